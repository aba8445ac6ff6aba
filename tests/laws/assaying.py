"""Questions about a small table, and what is claimed for each of them: material for the assay."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import partita as pt
from partita.assay.assay import Claim, Shortfall, assay
from partita.composition.calibration.pricing import Price
from partita.curator.batches.batch import deltas_of
from partita.curator.batches.planned import plan_charge
from partita.curator.path.opinion import claimed, released
from partita.curator.path.path import charge_of
from partita.errors import PartitaError
from partita.granularity import Granularity
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge
from partita.ledger.opening import open_ledger
from partita.query.batch.charging import ByTable
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Caps, truncation
from partita.region.columns import Column
from partita.theory.measures.base import Measure

COLUMNS: dict[str, Column] = {
    "who": pt.identifier(),
    "a": pt.integers(-2, 3),
    "b": pt.integers(0, 2, missing=0),
    "c": pt.decimals(0, 1, step="0.5", missing=0),
    "d": pt.categories("x", "y", missing="x"),
    "f": pt.dates("2024-02-27", "2024-03-01"),
    "t": pt.text_keys(),
}
CONSTANT = {**COLUMNS, "d": pt.categories("x", "y", missing="x", constant=True)}
UNITS: dict[str, tuple[Granularity, ...]] = {
    "rows": (pt.rows(),),
    "change-one": (pt.replace(),),
    "a metric": (pt.metric("a", unit=1),),
    "three rows": (pt.groups(3),),
    "two changes": (pt.groups(2, of=pt.replace()),),
    "owners": (pt.users("who", rows=2),),
    "owners once in a region": (pt.users("who", rows=3, in_region=1),),
    "altered owners": (pt.users("who", rows=2, altered=True),),
    "days of owners": (pt.users("who", rows=2, per="f"),),
    "altered days of owners": (pt.users("who", rows=2, per="f", altered=True),),
    "two owners": (pt.groups(2, of=pt.users("who", rows=2)),),
    "rows beside owners": (pt.rows(), pt.users("who", rows=2)),
    "change-one beside owners": (pt.replace(), pt.users("who", rows=2)),
    "windows": (pt.windows("f", width=2),),
    "changed windows": (pt.windows("f", width=2, changed=True),),
}
MEASURES: dict[str, tuple[Measure, dict[str, Any]]] = {
    "ε": (pt.Pure(epsilon=10**6), {"epsilon": "0.5"}),
    "ρ": (pt.ZCDP(rho=10**6, delta="0.1"), {"rho": "0.1"}),
    "μ": (pt.GDP(mu=10**3), {"mu": "0.3"}),
    "(ε, δ)": (pt.Approximate(epsilon=10**6, delta="0.1"), {"epsilon": "0.5", "delta": "1e-6"}),
}
PRESENT = "(SELECT who, {} FROM things{} GROUP BY who{})"
QUESTIONS = (
    "SELECT COUNT(*) AS n FROM things",
    "SELECT COUNT(*) AS n FROM things WHERE a > 1",
    "SELECT COUNT(*) AS n FROM things WHERE a % 2 = 0 AND b <> 1",
    "SELECT COUNT(*) AS n FROM things WHERE a > 1 OR b > 1",
    "SELECT COUNT(*) AS n FROM things WHERE a > b",
    "SELECT COUNT(*) AS n FROM things WHERE (a > b OR d = 'x') AND f > DATE '2024-02-27'",
    "SELECT COUNT(a) AS n FROM things WHERE b > 0",
    "SELECT d, COUNT(*) AS n FROM things GROUP BY d",
    "SELECT BUCKET(a, 2) AS k, COUNT(*) AS n FROM things WHERE b > 0 GROUP BY BUCKET(a, 2)",
    "SELECT DATE_TRUNC('month', f) AS k, COUNT(*) AS n FROM things GROUP BY DATE_TRUNC('month', f)",
    "SELECT CASE WHEN a > 2 THEN 'h' WHEN b > 1 OR d = 'x' THEN 'l' END AS k, COUNT(*) AS n FROM things GROUP BY k",
    "SELECT a % 2 AS k, d, SUM(c) AS n FROM things GROUP BY a % 2, d",
    "SELECT SUM(a) AS s FROM things",
    "SELECT SUM(b) AS s FROM things WHERE b > 0",
    "SELECT SUM(b + 5) AS s FROM things WHERE a > b",
    "SELECT SUM(a - 9) AS s FROM things",
    "SELECT SUM(a) AS s FROM things WHERE a > 0",
    "SELECT AVG(a) AS v FROM things WHERE a > 0 OR a IS NULL",
    "SELECT COUNT(*) AS n FROM things WHERE f = DATE '2024-02-27'",
    "SELECT SUM(a * b) AS s, SUM(c) AS v FROM things WHERE d = 'x'",
    "SELECT SUM(CLAMP(a, 0, 2)) AS s, SUM(CASE WHEN b > 1 THEN a ELSE -b END) AS v FROM things",
    "SELECT SUM(COALESCE(a, 5)) AS s FROM things WHERE f <= DATE '2024-02-28'",
    "SELECT AVG(b) AS v FROM things",
    "SELECT d, AVG(a) AS v, COUNT(*) AS n FROM things GROUP BY d",
    "SELECT VAR_POP(b) AS v FROM things",
    "SELECT VAR_POP(a) AS v FROM things WHERE b > 0",
    "SELECT COVAR_POP(a, b) AS v FROM things",
    "SELECT d, CORR(b, c) AS v FROM things GROUP BY d",
    "SELECT MEDIAN(b) AS v FROM things",
    "SELECT d, QUANTILE(b, 0.9) AS v FROM things WHERE a > 0 GROUP BY d",
    "SELECT QUANTILE(b, 0.25) AS u, MEDIAN(b) AS v FROM things",
    "SELECT MAX(b) AS v, COUNT(*) AS n FROM things WHERE d = 'x'",
    "SELECT COUNT(DISTINCT who) AS v FROM things",
    "SELECT COUNT(DISTINCT t) AS v FROM things WHERE a > 0",
    "SELECT d, COUNT(DISTINCT b) FILTER (WHERE a > 1) AS v FROM things GROUP BY d",
    "SELECT SUM(a / b) AS v, SUM(LEAST(a, b)) AS w FROM things",
    "SELECT SUM(GREATEST(a, b)) AS v, SUM(LEAST(a - 9, b)) AS w, SUM(SQRT(b + c)) AS x FROM things",
    "SELECT d, COUNT(DISTINCT who) AS v, SUM(b) AS w FROM things WHERE a > 0 GROUP BY d",
    "SELECT COUNT(*) AS n, AVG(s) AS v FROM " + PRESENT.format("SUM(b) AS s", " WHERE a > 0", ""),
    "SELECT SUM(3 * k) AS v FROM " + PRESENT.format("CLAMP(COUNT(*), 0, 3) AS k", "", ""),
    "SELECT SUM(s) AS v FROM " + PRESENT.format("CLAMP(SUM(b), 0, 3) AS s", "", ""),
    "SELECT k, COUNT(*) AS n FROM " + PRESENT.format("CLAMP(COUNT(*), 0, 3) AS k", "", "") + " GROUP BY k",
    "SELECT AVG(m) AS v FROM (SELECT who, d, MAX(b) AS m FROM things GROUP BY who, d) WHERE m > 0",
    "SELECT MEDIAN(m) AS v FROM " + PRESENT.format("MIN(b) AS m", "", ""),
    "SELECT t, COUNT(*) AS n FROM things GROUP BY t",
    "SELECT t, SUM(b) AS n FROM things WHERE a > 0 GROUP BY t",
    "SELECT t, COUNT(DISTINCT who) AS n FROM things GROUP BY t",
    "SELECT t, d, COUNT(*) AS n FROM things WHERE b > 0 GROUP BY t, d",
)
RAGGED: dict[str, Column] = {
    "x": pt.integers(0, 130, missing=0),
    "y": pt.integers(0, 130, missing=0),
    "z": pt.integers(100, 101, missing=100),
}
RAGGED_QUESTIONS = (
    "SELECT COUNT(*) AS n FROM things WHERE (x % 2 = 0 OR x = 7) AND y % 2 = 0",
    "SELECT SUM(z) AS n FROM things WHERE x % 2 = 0 AND y % 2 = 0",
)
# Many boxes, and many intervals in one of them: a claim may leave out any.
MANY_QUESTIONS = (
    "SELECT COUNT(*) AS n FROM things WHERE "
    + " OR ".join(f"(x BETWEEN {10 * i} AND {10 * i + 4} AND y BETWEEN {9 * i} AND {9 * i + 3})" for i in range(12)),
    f"SELECT COUNT(*) AS n FROM things WHERE x IN ({', '.join(str(4 * i + 1) for i in range(30))})",
)
PLANS = (
    ("SELECT COUNT(*) AS n FROM things WHERE a > 1", "SELECT SUM(b) AS s FROM things WHERE b > 0"),
    ("SELECT d, COUNT(*) AS n FROM things GROUP BY d", "SELECT AVG(b) AS v FROM things WHERE a > 0"),
    ("SELECT SUM(b - 1) AS s FROM things WHERE d = 'x'", "SELECT SUM(c) AS s FROM things WHERE d = 'y'"),
    ("SELECT MEDIAN(b) AS v FROM things", "SELECT COUNT(*) AS n FROM things WHERE a > b"),
    ("SELECT COUNT(DISTINCT who) AS v FROM things", "SELECT COUNT(*) AS n FROM things WHERE a > 1"),
)
CAPPED = {"owners": Caps.of(1, None), "altered owners": Caps.of(None, 1), "two owners": Caps.of(2, 1)}


def quoted(
    sql: str, units: str, measure: str, *, caps: Caps | None = None, columns: dict[str, Column] | None = None
) -> Quote | None:
    """The question with its price, or None where it has none under these promises."""
    budget, price = MEASURES[measure]
    table = Table("things", [], COLUMNS if columns is None else columns)
    promises = [pt.Promise(unit, budget) for unit in UNITS[units]]
    if " t " in sql.replace(",", " ") and measure == "ρ":
        price = {**price, "delta": "1e-6"}
    try:
        plan = read(sql, {"things": table})
        plan = plan if caps is None else plan.capped(caps)
        cut = truncation(table, [promise.granularity for promise in promises], "k" * 24)
        asked = quote(plan, promises, Price.of(**price), truncation=cut)
        claims([asked])
        return asked
    except PartitaError:
        return None


def claims(asked: Sequence[Quote], charge: Charge | None = None) -> list[Claim]:
    """What a ledger would book for a question, or for a plan, under each promise."""
    charge = charge_of(asked[0], asked="") if charge is None else charge
    terms = Terms(asked[0].promises, {"things": asked[0].plan.table.domain})  # type: ignore[arg-type]
    with open_ledger(":memory:", terms) as ledger:
        return claimed(ledger, asked[0].promises, charge)  # type: ignore[arg-type]


def assayed(asked: Quote, *, effort: int) -> Shortfall | None:
    """The second opinion on a question."""
    return assay([released(asked)], claims([asked]), effort=effort, seed="a public seed")


def planned(questions: Sequence[str], units: str, measure: str) -> tuple[list[Quote], Charge] | None:
    """Questions fixed beforehand, and the one charge for all of them."""
    quotes = [found for one in questions if (found := quoted(one, units, measure)) is not None]
    try:
        deltas = deltas_of(quotes, None, None)
        charge = plan_charge(quotes, ByTable(quotes[0].promises, {}).together(quotes, deltas), deltas)  # type: ignore[arg-type]
        claims(quotes, charge)
        return quotes, charge
    except (PartitaError, IndexError):
        return None


Case = tuple[list[Quote], list[Claim]]


def cases(wanted: Sequence[str] = ()) -> Iterator[tuple[str, Case]]:
    """Everything that deliberate mistakes are looked for with, by name; those whose name holds a wanted word."""
    chances = [f"{unit}/{measure}/{question}" for question, unit, measure in product(QUESTIONS, UNITS, MEASURES)]
    chances += [f"ragged/{unit}/{at}" for unit in ("rows", "change-one", "two changes") for at in range(2)]
    chances += [f"many/{unit}/{at}" for unit in ("rows", "change-one", "two changes") for at in range(2)]
    chances += [
        f"constant/{unit}/{question}"
        for unit, question in product(UNITS, QUESTIONS)
        if "owners" in unit and "beside" not in unit
    ]
    chances += [f"capped/{unit}/{question}" for unit, question in product(CAPPED, QUESTIONS)]
    chances += [f"plan/{unit}/{measure}/{at}" for unit, measure, at in product(UNITS, MEASURES, range(len(PLANS)))]
    for name in chances:
        if all(word in name for word in wanted):
            found = _case(name)
            if found is not None:
                yield name, found


def _case(name: str) -> Case | None:
    kind, *rest = name.split("/", 2)
    asked: Quote | None
    match kind:
        case "ragged":
            asked = quoted(RAGGED_QUESTIONS[int(rest[1])], rest[0], "ρ", columns=RAGGED)
        case "many":
            asked = quoted(MANY_QUESTIONS[int(rest[1])], rest[0], "ρ", columns=RAGGED)
        case "constant":
            asked = quoted(rest[1], rest[0], "ρ", columns=CONSTANT)
        case "capped":
            asked = quoted(rest[1], rest[0], "ρ", caps=CAPPED[rest[0]])
        case "plan":
            measure, at = rest[1].split("/")
            plan = planned(PLANS[int(at)], rest[0], measure)
            return None if plan is None or not plan[0] else (plan[0], claims(*plan))
        case _:
            asked = quoted(rest[1], kind, rest[0])
    return None if asked is None else ([asked], claims([asked]))


def search(wanted: Sequence[str], effort: int) -> str | None:
    """The first claim that is found too low, and on what; None if there is none."""
    for name, (quotes, claimed_) in cases(wanted):
        short = assay([released(one) for one in quotes], claimed_, effort=effort, seed=name)
        if short is not None:
            return f"{name}: {short}"
    return None


if __name__ == "__main__":
    found = search(sys.argv[2:], int(sys.argv[1]))
    sys.stdout.write(f"{found or 'nothing is claimed too low'}\n")
    sys.exit(3 if found else 0)
