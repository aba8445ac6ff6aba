"""A hospital that does not exist: patients made by arithmetic, the same ones every time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import final

# Conditions and how common they are, per thousand.
_CONDITIONS = {
    "heart disease": 262,
    "fracture": 191,
    "infection": 173,
    "cancer": 148,
    "diabetes": 121,
    "asthma": 74,
    "epilepsy": 27,
    "AIDS": 4,
}
# Multiples of the golden ratio fall evenly everywhere, so shares come out right at any size.
_GOLDEN = 0.6180339887498949


@final
@dataclass(frozen=True, slots=True)
class Patient:
    """One person with one main condition."""

    number: int
    condition: str


def patients(count: int = 600) -> list[Patient]:
    """So many patients.

    >>> len(patients(10)), patients(1)[0].condition
    (10, 'infection')
    """
    return [Patient(number, _condition(number * _GOLDEN % 1)) for number in range(1, count + 1)]


def by_condition(people: list[Patient]) -> dict[str, int]:
    """How many have each condition; conditions that nobody has are there too."""
    seen = Counter(person.condition for person in people)
    return {condition: seen[condition] for condition in _CONDITIONS}


def _condition(share: float) -> str:
    total = 0
    for condition, weight in _CONDITIONS.items():
        total += weight
        if share * 1000 < total:
            return condition
    return "AIDS"
