"""The open family of public columns: one file each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from partita.errors import region as refuse
from partita.region.columns.base import Bounded, Column, Open, Operator
from partita.region.columns.booleans import Booleans, booleans
from partita.region.columns.categories import Categories, categories
from partita.region.columns.dates import Dates, dates
from partita.region.columns.decimals import Decimals, decimals
from partita.region.columns.integers import Integers, integers
from partita.region.columns.open import Identifier, Key, TextKeys, identifier, key, text_keys
from partita.region.columns.timestamps import Timestamps, timestamps
from partita.registry import members

__all__ = [
    "Booleans",
    "Bounded",
    "Categories",
    "Column",
    "Dates",
    "Decimals",
    "Identifier",
    "Integers",
    "Key",
    "Open",
    "Operator",
    "TextKeys",
    "Timestamps",
    "booleans",
    "categories",
    "dates",
    "decimals",
    "described",
    "identifier",
    "integers",
    "key",
    "text_keys",
    "timestamps",
]


def described(description: Mapping[str, object]) -> Column:
    """The column that a description was made from.

    >>> described(integers(0, 9, missing=0).describe())
    Integers(low=0, high=9, missing=0, constant=False, reading=None)
    """
    kind, family = description.get("kind"), _family()
    if not isinstance(kind, str) or kind not in family:
        raise refuse.unknown_column_kind(kind)
    try:
        return family[kind].restored(description)
    except (KeyError, TypeError):
        raise refuse.bad_description(kind) from None


@cache
def _family() -> dict[str, type[Column]]:
    from partita.region import columns

    return members(Column, columns)  # type: ignore[type-abstract]
