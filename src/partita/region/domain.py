"""The public domain of a table's rows: its declared columns, in order, with a stable fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import final

from partita.errors import region as refuse
from partita.region.codes import Codes
from partita.region.columns import Bounded, Column, Identifier, described


@final
@dataclass(frozen=True, init=False, eq=False)
class Domain:
    """What a row may hold; a region is a set of rows of one domain (theory E9).

    The axes are the columns with finitely many codes. Identifiers and open keys may be declared, and no
    region can be narrower because of them.

    >>> from partita.region.columns import categories, integers
    >>> domain = Domain({"day": integers(0, 364), "region": categories("north", "south")})
    >>> domain.axes, domain.shape, domain.size
    (('day', 'region'), (366, 4), 1464)
    """

    columns: Mapping[str, Column]

    def __init__(self, columns: Mapping[str, Column]) -> None:
        if not isinstance(columns, Mapping) or not columns:
            raise refuse.no_columns()
        for name, column in columns.items():
            if not isinstance(name, str) or not name:
                raise refuse.bad_column_name(name)
            if not isinstance(column, Column):
                raise refuse.not_a_column(name, column)
        folded = [name.lower() for name in columns]
        if len(set(folded)) != len(folded):
            raise refuse.repeated_column(next(name for name in columns if folded.count(name.lower()) > 1))
        object.__setattr__(self, "columns", MappingProxyType(dict(columns)))

    @classmethod
    def of(cls, columns: Domain | Mapping[str, Column]) -> Domain:
        """A domain as it is, or of these columns."""
        return columns if isinstance(columns, Domain) else cls(columns)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The names of the columns that regions may speak of, in the order declared."""
        return tuple(name for name, column in self.columns.items() if isinstance(column, Bounded))

    @cached_property
    def bounded(self) -> tuple[Bounded, ...]:
        """The columns of the axes."""
        return tuple(column for column in self.columns.values() if isinstance(column, Bounded))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many codes each axis has."""
        return tuple(column.size for column in self.bounded)

    @cached_property
    def everything(self) -> tuple[Codes, ...]:
        """The box of all record values."""
        return tuple(column.everything for column in self.bounded)

    @cached_property
    def closed(self) -> bool:
        """Whether records with equal values are equal: nothing is declared that has no codes."""
        return len(self.bounded) == len(self.columns)

    @property
    def size(self) -> int:
        """How many record values there are."""
        return prod(self.shape)

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """The axes declared constant per owner."""
        return tuple(place for place, column in enumerate(self.bounded) if column.constant)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the declaration, the same on every machine."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name.lower(): place for place, name in enumerate(self.axes)}

    def axis(self, name: str) -> int:
        """The place of a column among the axes; refuses what is unknown or has no axis.

        Names are found as SQL finds them, whatever their case.
        """
        if not isinstance(name, str):
            raise refuse.unknown_column(name, tuple(self.columns))
        place = self._places.get(name.lower())
        if place is None:
            for known, column in self.columns.items():
                if known.lower() == name.lower():
                    if isinstance(column, Identifier):
                        raise refuse.owner_in_region(known)
                    raise refuse.open_in_region(known)
            raise refuse.unknown_column(name, tuple(self.columns))
        return place

    def codes(self, record: Mapping[str, object]) -> tuple[int, ...]:
        """The codes of a stored record, column by column; an absent column counts as NULL.

        >>> from partita.region.columns import categories
        >>> Domain({"sex": categories("F", "M")}).codes({"sex": "M"})
        (1,)
        """
        for name in record:
            if name.lower() not in self._places and name not in self.columns:
                raise refuse.unknown_column(name, tuple(self.columns))
        folded = {name.lower(): value for name, value in record.items()}
        return tuple(
            column.code(folded.get(name.lower())) for name, column in zip(self.axes, self.bounded, strict=True)
        )

    def record(self, codes: tuple[int, ...]) -> dict[str, object]:
        """The record value that codes stand for."""
        return {
            name: column.value(int(code)) for name, column, code in zip(self.axes, self.bounded, codes, strict=True)
        }

    def describe(self) -> dict[str, object]:
        """The declaration as plain data."""
        return {"columns": [[name, column.describe()] for name, column in self.columns.items()]}

    @classmethod
    def described(cls, description: Mapping[str, object]) -> Domain:
        """The domain that a description was made from."""
        listed = description.get("columns")
        if not isinstance(listed, list):
            raise refuse.no_columns()
        return cls({str(name): described(parts) for name, parts in listed})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Domain({', '.join(self.columns)})"
