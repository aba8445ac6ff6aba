"""What only the custodian knows of a deployment: filled in by hand, and shown as missing where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import final

from partita.errors import explain as refuse

# Every field, with what it asks for.
FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "name": "the name of the data product",
        "data_curators": "who holds the data and answers for the release",
        "intended_use": "what the results are for",
        "data_product_type": "summary statistics, a model, synthetic data",
        "data_product_region": "the region of the world the data are about",
        "data_product_sector": "government, health, technology",
        "description": "what is published, in a sentence",
        "publication_date": "when",
        "data_collection": "how the data were collected, and who may see the raw table",
        "security": "how the machine, the ledger and its key are kept",
        "actors": "who is trusted with what",
        "unprotected_quantities": "what is published exactly, beside what is listed here",
        "preprocessing_and_tuning": "what was done to the data before, and whether bounds or budgets were tuned on it",
        "justification": "why this unit and this budget",
        "people": "how many people are in the data, at least, as is publicly known",
        "sources": "papers, code, announcements",
    }
)


@final
class About:
    """The custodian's own words, field by field.

    >>> About({"name": "Visits"})["name"], "security" in About({}).missing()
    ('Visits', True)
    """

    def __init__(self, fields: Mapping[str, object] | None = None) -> None:
        given = dict(fields or {})
        unknown = sorted(set(given) - set(FIELDS))
        if unknown:
            raise refuse.unknown_about(unknown[0], tuple(FIELDS))
        people = given.pop("people", None)
        if people is not None and (isinstance(people, bool) or not isinstance(people, int) or people < 1):
            raise refuse.bad_people(people)
        self.people: int | None = people
        self._fields = {name: _text(value) for name, value in given.items()}

    def __getitem__(self, field: str) -> str:
        return self._fields.get(field, "")

    def missing(self) -> tuple[str, ...]:
        """The fields that nobody has filled in."""
        return tuple(name for name in FIELDS if name != "people" and not self[name])


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return str(value)
