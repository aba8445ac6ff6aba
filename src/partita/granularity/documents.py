"""Neighbouring relations as plain documents with a durable kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from functools import cache
from typing import Any

import partita.granularity as family
from partita.errors import ledger as refuse
from partita.granularity import Granularity
from partita.registry import members


def unit_document(granularity: Granularity) -> dict[str, object]:
    """A granularity as plain data.

    >>> from partita.granularity import users
    >>> unit_document(users("patient", rows=3))["rows"]
    3
    """
    found: dict[str, object] = {"kind": granularity.kind}
    for item in fields(granularity):  # type: ignore[arg-type]
        value = getattr(granularity, item.name)
        if isinstance(value, Granularity):
            value = unit_document(value)
        elif isinstance(value, Fraction):
            value = str(value)
        found[item.name] = value
    return found


def unit_from(document: Mapping[str, Any]) -> Granularity:
    """The granularity that was written; fields added since take their defaults.

    >>> unit_from({"kind": "groups", "size": 2, "of": {"kind": "rows"}})
    Groups(size=2, of=Rows())
    """
    parts = dict(document)
    kind = parts.pop("kind", None)
    member = _members().get(str(kind))
    if member is None:
        raise refuse.unknown_unit(kind)
    known = {item.name: item for item in fields(member)}  # type: ignore[arg-type]
    needed = {name for name, item in known.items() if item.default is MISSING and item.default_factory is MISSING}
    if not parts.keys() <= known.keys() or not needed <= parts.keys():
        raise refuse.unknown_unit(kind)
    return member(**{name: unit_from(value) if isinstance(value, Mapping) else value for name, value in parts.items()})


@cache
def _members() -> dict[str, type[Granularity]]:
    # mypy sees an abstract family; the registry lists only members that can be made.
    return members(Granularity, family)  # type: ignore[type-abstract]
