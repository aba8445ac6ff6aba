"""A small hospital: one table, a curator over it, and the exact answers to compare with."""

from __future__ import annotations

from typing import Any

import partita as pt
from partita.sampling.bits import TestBits

REGIONS = ("north", "south", "east", "west")


def visits(count: int = 400) -> list[dict[str, Any]]:
    """The same visits every time: 100 patients, ages and costs spread evenly."""
    return [
        {
            "patient": f"p{i % 100}",
            "age": (i * 7) % 100,
            "sex": "FM"[i % 2],
            "region": REGIONS[i % 4],
            "cost": f"{(i * 37) % 1000}.50",
            "day": f"2025-{1 + i % 12:02d}-{1 + i % 28:02d}",
        }
        for i in range(count)
    ]


def columns() -> dict[str, Any]:
    return {
        "patient": pt.identifier(),
        "age": pt.integers(0, 120),
        "sex": pt.categories("F", "M"),
        "region": pt.categories(*REGIONS),
        "cost": pt.decimals(0, 20_000, step="0.01"),
        "day": pt.dates("2025-01-01", "2025-12-31"),
    }


def hospital(
    *,
    promises: list[pt.Promise] | None = None,
    rows: list[dict[str, Any]] | None = None,
    ledger: Any = ":memory:",
    backend: Any = "duckdb",
    seed: int = 7,
    **more: Any,
) -> pt.Curator:
    """A curator over the visits, with noise that repeats."""
    import pandas

    table = pt.Table("visits", source=pandas.DataFrame(visits() if rows is None else rows), columns=columns())
    kept = promises or [pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="1e-6"))]
    return pt.Curator(tables=[table], promises=kept, ledger=ledger, backend=backend, bits=TestBits(seed), **more)
