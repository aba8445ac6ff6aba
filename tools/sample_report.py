"""A report of a ledger that was made up for it, to be looked at.

python tools/sample_report.py report.html
"""

from __future__ import annotations

import sys
from pathlib import Path

import partita as pt

QUESTIONS = (
    ("ada", "SELECT region, COUNT(*) AS n, AVG(cost) AS cost FROM visits GROUP BY region", "0.1"),
    ("ada", "SELECT COUNT(*) AS n FROM visits WHERE age >= 65", "0.05"),
    ("bob", "SELECT SUM(cost) AS total FROM visits WHERE age < 18", "0.05"),
    ("bob", "SELECT sex, MEDIAN(age) AS half FROM visits GROUP BY sex", "0.02"),
)
REGIONS = ("north", "south", "east", "west")


def page() -> str:
    """The page of a small ledger with two promises, two analysts and four questions."""
    rows = [
        {
            "patient": i % 1500,
            "age": 37 * i % 100,
            "sex": "FM"[i % 2],
            "region": REGIONS[i % 4],
            "cost": 50 + 91 * i % 900,
        }
        for i in range(6000)
    ]
    columns = {
        "patient": pt.identifier(),
        "age": pt.integers(0, 120, missing=0),
        "sex": pt.categories("F", "M", other="F", missing="F"),
        "region": pt.categories(*REGIONS, other="north", missing="north"),
        "cost": pt.decimals(0, 20_000, step="0.01", missing=0),
    }
    promises = [
        pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="1e-6")),
        pt.Promise(pt.users("patient", rows=4), pt.ZCDP(rho=8, delta="1e-5")),
    ]
    about = {
        "name": "Visits to four hospitals",
        "description": "Counts and mean costs by region and age.",
        "people": 1500,
    }
    with pt.Curator(tables=[pt.Table("visits", rows, columns)], promises=promises, ledger=":memory:") as curator:
        for analyst, question, rho in QUESTIONS:
            curator.ask(question, rho=rho, analyst=analyst)
        return pt.report(curator.ledger, about=about, version=pt.__version__).html()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
