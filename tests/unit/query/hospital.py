"""A table as people would declare it, for tests that read like questions people ask."""

from __future__ import annotations

from partita.query.tables.schema import Table
from partita.region.columns import booleans, categories, dates, decimals, identifier, integers, text_keys

VISITS = Table(
    "visits",
    "visits.parquet",
    {
        "patient": identifier(),
        "age": integers(0, 120),
        "beds": integers(1, 9, missing=1),
        "sex": categories("F", "M"),
        "region": categories("north", "south", "east", "west"),
        "cost": decimals(0, 20_000, step="0.01"),
        "day": dates("2025-01-01", "2025-12-31"),
        "smoker": booleans(missing=False),
        "term": text_keys(),
    },
)
