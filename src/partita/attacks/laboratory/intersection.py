"""Two anonymous tables together are not anonymous: the intersection attack on k-anonymity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from partita.exact import whole


@final
@dataclass(frozen=True, slots=True)
class Ages:
    """A range of ages as a k-anonymous table prints it, both ends included.

    >>> 28 in Ages(0, 29), str(Ages(0, 29))
    (True, '<30')
    """

    low: int
    high: int

    def __contains__(self, age: int) -> bool:
        return self.low <= age <= self.high

    def __str__(self) -> str:
        if self.low <= 0:
            return f"<{self.high + 1}"
        return f"≥{self.low}" if self.high >= 120 else f"{self.low}-{self.high}"


@final
@dataclass(frozen=True, slots=True)
class Patient:
    """One printed row: the generalised columns anyone could know, and the condition."""

    zip_code: str  # a star stands for any digit
    ages: Ages
    condition: str

    def matches(self, zip_code: str, age: int) -> bool:
        """Whether a person of this age from this place could be this row."""
        place = len(self.zip_code) == len(zip_code) and all(
            mask in ("*", digit) for mask, digit in zip(self.zip_code, zip_code, strict=True)
        )
        return place and age in self.ages


def anonymity(table: Iterable[Patient]) -> int:
    """The k of a k-anonymous table: the size of its smallest class of rows that look alike.

    >>> anonymity(FIRST_HOSPITAL), anonymity(SECOND_HOSPITAL)
    (4, 6)
    """
    classes: dict[tuple[str, Ages], int] = {}
    for row in table:
        key = (row.zip_code, row.ages)
        classes[key] = classes.get(key, 0) + 1
    return min(classes.values(), default=0)


def possible_conditions(table: Iterable[Patient], *, zip_code: str, age: int) -> set[str]:
    """What one table alone says of a person who is known to be in it.

    >>> sorted(possible_conditions(FIRST_HOSPITAL, zip_code="13012", age=28))
    ['AIDS', 'Heart Disease', 'Viral Infection']
    """
    years = whole(age, "age")
    return {row.condition for row in table if row.matches(zip_code, years)}


def intersect(*tables: Iterable[Patient], zip_code: str, age: int) -> set[str]:
    """What all tables together say of a person who is in every one of them (theory G3).

    Alice is 28, lives in 13012 and went to both hospitals; each table hides her among at least four.

    >>> intersect(FIRST_HOSPITAL, SECOND_HOSPITAL, zip_code="13012", age=28)
    {'AIDS'}
    """
    found = [possible_conditions(table, zip_code=zip_code, age=age) for table in tables]
    return set.intersection(*found) if found else set()


def _table(classes: Mapping[Ages, str]) -> tuple[Patient, ...]:
    return tuple(
        Patient("130**", ages, condition) for ages, listed in classes.items() for condition in listed.split(", ")
    )


FIRST_HOSPITAL = _table(
    {
        Ages(0, 29): "AIDS, Heart Disease, Viral Infection, Viral Infection",
        Ages(40, 120): "Cancer, Heart Disease, Viral Infection, Viral Infection",
        Ages(30, 39): "Cancer, Cancer, Cancer, Cancer",
    }
)

SECOND_HOSPITAL = _table(
    {
        Ages(0, 34): "AIDS, Tuberculosis, Flu, Tuberculosis, Cancer, Cancer",
        Ages(35, 120): "Cancer, Cancer, Cancer, Tuberculosis, Viral Infection, Viral Infection",
    }
)
