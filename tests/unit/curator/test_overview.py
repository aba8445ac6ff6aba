"""Whoever wants to ask can see what may be asked."""

from __future__ import annotations

import partita as pt
from partita.query.tables.holding import holds

VISITS = pt.Table(
    "visits",
    [],
    {
        "patient": pt.identifier(),
        "age": pt.integers(0, 120, missing=0),
        "cost": pt.decimals(0, 20_000, step="0.01"),
        "clinic": pt.categories("a", "b", missing="a"),
    },
)
CLINICS = pt.PublicTable("clinics", [{"clinic": "a", "beds": 80}], key="clinic")


def test_a_curator_shows_its_columns_its_promises_and_what_is_left():
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=1))
    with pt.Curator(tables=[VISITS], public=[CLINICS], promises=[promise]) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.25")
        assert str(curator).splitlines() == [
            "visits",
            "  patient  whom a row belongs to: COUNT(DISTINCT ...), and GROUP BY in brackets",
            "  age      integers, 0 to 120",
            "  cost     decimals, 0 to 20000 in steps of 0.01, or NULL",
            "  clinic   categories: a, b, OTHER",
            "clinics (public, joined on clinic): clinic, beds",
            "Promised: at most ρ = 1 for one row, added or removed. Left: ρ = 0.75.",
        ]
        assert curator._repr_html_().startswith("<pre>visits\n")
        assert repr(curator) == "<Curator of visits; print it to see what may be asked>"


def test_long_lists_are_cut():
    assert holds(pt.categories(*(f"c{place}" for place in range(20)))).endswith("c7 and 13 more, or NULL")
    assert holds(pt.dates("2025-01-01", "2025-12-31")) == "dates, 2025-01-01 to 2025-12-31, or NULL"
    assert holds(pt.text_keys()) == "open texts, to group by"
    assert holds(pt.booleans(missing=False)) == "booleans"
