"""How far above the truth charges lie: what is booked for one question over what neighbours really lose, in ρ.

    python benchmarks/tightness/run.py [word ...]

Writes the table of RESULTS.md beside this file (with words, only prints the cases that contain one of them). Every case
is one question on a table with a small domain, priced and booked as a curator does it. Neighbours are enumerated: all
lists of rows of the one or two owners concerned, up to one row above the cap, under several keys of the truncation. The
loss of additive noise follows from the distance of the exact numbers; that of a chosen quantile from the probabilities
of all candidates, at many Rényi orders. 1 is the truth; nothing may be below 1.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement as multisets
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import partita as pt
from partita.composition.account import RegionAccount
from partita.composition.calibration.pricing import Price
from partita.curator.path.path import costs_of
from partita.engine.reference import tallied
from partita.granularity import Granularity, Replace, Rows, Users
from partita.query.batch.joint import joint, union
from partita.query.exact.measurements import entries
from partita.query.exact.program import Values
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.query.tables.truncation import truncation
from partita.theory.measures.zcdp import ZCDP

RESULTS = Path(__file__).with_name("RESULTS.md")
Table = tuple[dict[str, Any], ...]
ORDERS = (1.0001, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 64.0)
RHO = "0.01"


@dataclass(frozen=True)
class Case:
    """A question, the columns beside the owner, the promises (the first is measured) and the rows of other owners."""

    name: str
    sql: str
    columns: dict[str, Any]
    values: tuple[dict[str, Any], ...]
    units: tuple[Granularity, ...]
    most: int = 2
    rest: tuple[Table, ...] = ((),)
    both: str | None = None
    full: int = 0


def cases() -> Iterator[Case]:
    """All cases, in the order of the table."""
    sums, ends = {"x": pt.integers(0, 10, missing=0)}, ({"x": 0}, {"x": 10})
    pairs = tuple({"x": x, "y": y} for x in range(3) for y in range(2))
    small = {"x": pt.integers(0, 2, missing=0), "y": pt.integers(0, 1, missing=0)}
    per_owner = (
        (
            "CLAMP(COUNT(*), 0, 50)",
            "SELECT SUM(n) AS v FROM (SELECT who, CLAMP(COUNT(*), 0, 50) AS n FROM t GROUP BY who)",
        ),
        (
            "CLAMP(SUM(x), 0, 3000)",
            "SELECT SUM(n) AS v FROM (SELECT who, CLAMP(SUM(x), 0, 3000) AS n FROM t GROUP BY who)",
        ),
        (
            "mean of CLAMP(COUNT(*), 0, 50)",
            "SELECT AVG(n) AS v FROM (SELECT who, CLAMP(COUNT(*), 0, 50) AS n FROM t GROUP BY who)",
        ),
        ("MAX(x)", "SELECT SUM(n) AS v FROM (SELECT who, MAX(x) AS n FROM t GROUP BY who)"),
        (
            "histogram of LEAST(COUNT(*), 3)",
            "SELECT n, COUNT(*) AS v FROM (SELECT who, LEAST(COUNT(*), 3) AS n FROM t GROUP BY who) GROUP BY n",
        ),
    )
    for unit, word in ((pt.rows(), "rows"), (pt.replace(), "change-one")):
        for name, sql in per_owner:
            yield Case(f"per owner {name}, {word}", sql, sums, ends, (unit,), full=301)
        beside = (unit, pt.users("who", rows=2))
        for name, sql in per_owner[:2]:
            yield Case(f"per owner {name}, {word} beside users", sql, sums, ends, beside)
    plain = (
        ("COUNT(*)", "SELECT COUNT(*) AS v FROM t"),
        ("COUNT(*) of a part", "SELECT COUNT(*) AS v FROM t WHERE x = 2"),
        ("COUNT(*) by x", "SELECT x, COUNT(*) AS v FROM t GROUP BY x"),
        ("SUM(x), x in [0, 2]", "SELECT SUM(x) AS v FROM t"),
        ("SUM(x) by y", "SELECT y, SUM(x) AS v FROM t GROUP BY y"),
        ("SUM(x - 1)", "SELECT SUM(x - 1) AS v FROM t"),
        ("AVG(x)", "SELECT AVG(x) AS v FROM t"),
        ("VAR_POP(x)", "SELECT VAR_POP(x) AS v FROM t"),
        ("COVAR_POP(x, y)", "SELECT COVAR_POP(x, y) AS v FROM t"),
        ("CORR(x, y)", "SELECT CORR(x, y) AS v FROM t"),
    )
    owners = (
        ("COUNT(DISTINCT who)", "SELECT COUNT(DISTINCT who) AS v FROM t"),
        ("COUNT(DISTINCT who) by x", "SELECT x, COUNT(DISTINCT who) AS v FROM t GROUP BY x"),
    )
    for unit, word in (
        (pt.users("who", rows=2), "users"),
        (pt.users("who", rows=2, altered=True), "altered users"),
    ):
        for name, sql in (*plain, *owners):
            yield Case(f"{name}, {word}", sql, small, pairs, (unit,))
    altered = pt.users("who", rows=2, altered=True)
    yield Case("a plan: COUNT(*) and SUM(x), altered users", plain[0][1], small, pairs, (altered,), both=plain[3][1])
    yield Case(
        "a plan with COUNT(DISTINCT who), altered users", plain[0][1], small, pairs, (altered,), both=owners[0][1]
    )
    for unit, word in ((pt.rows(), "rows"), (pt.replace(), "change-one")):
        for name, sql in plain:
            yield Case(f"{name}, {word} beside users", sql, small, pairs, (unit, pt.users("who", rows=1)), most=1)
        for name, sql in owners:
            yield Case(f"{name}, {word} beside users", sql, small, pairs, (unit, pt.users("who", rows=1)), most=1)
    for top in (1, 2, 4, 10, 20):
        column = {"x": pt.integers(0, top, missing=0)}
        values = tuple({"x": x} for x in sorted({0, top // 2, top}))
        for share, low in (("0.5", (0,)), ("0.9", (0, 6, 7))):
            # The worst tables of a high quantile have most of their rows at the lower end.
            others = tuple(
                tuple({"who": 9 + place, "x": x} for place, x in enumerate((*[0] * more, *held)))
                for more in low
                for size in range(4 if len(low) == 1 else 3)
                for held in multisets(sorted({0, top // 4, top // 2, top - top // 4, top}), size)
            )
            sql = f"SELECT QUANTILE(x, {share}) AS v FROM t"
            for unit, word in ((pt.rows(), "rows"), (pt.replace(), "change-one")):
                yield Case(f"QUANTILE(x, {share}) of {top + 1} values, {word}", sql, column, values, (unit,), 1, others)
            for unit, word in (
                (pt.users("who", rows=2), "users"),
                (pt.users("who", rows=2, altered=True), "altered users"),
            ):
                yield Case(f"QUANTILE(x, {share}) of {top + 1} values, {word}", sql, column, values, (unit,), 2, others)


def owned(values: Iterable[dict[str, Any]], who: int) -> Table:
    return tuple({**value, "who": who} for value in values)


def neighbours(case: Case) -> Iterator[tuple[Table, Table]]:
    """All pairs of tables that the first promise makes hard to tell apart, up to what cannot matter."""
    lists = [held for size in range(case.most + 2) for held in multisets(case.values, size)]
    if case.full:
        lists += [case.values[-1:] * size for size in (case.full - 2, case.full)]
    for rest in case.rest:
        match case.units[0]:
            case Rows():
                for held, value in product(lists, case.values):
                    yield (*rest, *owned(held, 1)), (*rest, *owned((*held, value), 1))
            case Replace():
                for held, other, old, new in product(lists, lists, case.values, case.values):
                    both = (*rest, *owned(held, 1), *owned(other, 2))
                    yield (*both, *owned((old,), 1)), (*both, *owned((new,), 2))
            case Users(altered=altered):
                for before, after in product(lists, lists if altered else [()]):
                    yield (*rest, *owned(before, 1)), (*rest, *owned(after, 1))


def chances(asked: Quote, place: int, found: Any) -> np.ndarray:
    choice = asked.offer.choices[place]
    values = range(choice.within.low, choice.within.high + 1)
    scores = np.array([float(choice.away(found, each)) for each in product(values, repeat=len(choice.shares))])
    weights = np.exp(-float(choice.mechanism.epsilon) / 2 * scores)
    return weights / weights.sum()


def renyi(first: np.ndarray, other: np.ndarray) -> float:
    """The least ρ that these two laws have, at many orders."""
    far = np.log(first) - np.log(other)
    return max(math.log(float((other * np.exp(a * far)).sum())) / (a - 1) / a for a in ORDERS)


class Truth:
    """What one question really loses; tables are computed once."""

    def __init__(self, asked: Quote) -> None:
        self.asked = asked
        self.known: dict[str, tuple[np.ndarray, list[list[np.ndarray]]]] = {}

    def of(self, table: Table) -> tuple[np.ndarray, list[list[np.ndarray]]]:
        key = repr(sorted(map(repr, table)))
        if key not in self.known:
            tallies = tallied(self.asked.program, list(table))
            laws = []
            for place, choice in enumerate(self.asked.offer.choices):
                column = self.asked.program.tallies.index(Values(choice.of))
                laws.append([chances(self.asked, place, found) for found in tallies[:, column]])
            self.known[key] = self.asked.exact(tallies), laws
        return self.known[key]

    def lost(self, before: Table, after: Table) -> float:
        first, other = self.of(before), self.of(after)
        apart, start, total = first[0] - other[0], 0, 0.0
        for part in self.asked.offer.parts:
            end = start + len(entries(part.measurement))
            total += float(sum(int(one) ** 2 for one in apart[:, start:end].flat) / (2 * part.mechanism.sigma**2))
            start = end
        for mine, theirs in zip(first[1], other[1], strict=True):
            for one, two in zip(mine, theirs, strict=True):
                total += max(renyi(one, two), renyi(two, one)) if not np.array_equal(one, two) else 0.0
        return total


KEYS = ("key", "other", "third", "fourth")


def measured(case: Case) -> tuple[float, float]:
    """What is booked for the question and what is really lost, at most."""
    table = pt.Table("t", source=[], columns={"who": pt.identifier(), **case.columns})
    booked, true = 0.0, 0.0
    behind = len(case.units) > 1
    for key in KEYS if behind else KEYS[:1]:
        asked, booked = priced(case, table, key)
        truths = [Truth(one) for one in asked]
        lost = (sum(truth.lost(before, after) for truth in truths) for before, after in neighbours(case))
        true = max(true, *lost)
    return booked, true


def priced(case: Case, table: pt.Table, key: str) -> tuple[list[Quote], float]:
    """The question, or the plan, and what is booked for it."""
    promises = [pt.Promise(unit, ZCDP(rho=10**6)) for unit in case.units]
    cut = truncation(table, case.units, key)
    most = {} if cut is None else {"t": cut.altogether(table.domain)}
    noise = None if "QUANTILE" in case.sql else "gaussian"
    asked = [
        quote(read(sql, [table], {}, most), promises, Price.of(rho=RHO), noise=noise, truncation=cut)
        for sql in (case.sql, case.both)
        if sql is not None
    ]
    account = RegionAccount(table.domain, promises[0])
    if case.both is None:
        account.charge(asked[0].region, costs_of(asked[0])[0])
    else:
        total = joint(asked, promises, [Fraction(0)] * len(promises))[0]
        account.charge(union(asked), total.together)
    return asked, float(account.bracket()[1].vector()[0])


def earlier() -> dict[str, str]:
    """The ratios that RESULTS.md names for earlier times."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    found = (re.fullmatch(r"\| (.+) \| ([0-9.]+|–) \| [0-9.]+ \|", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def main() -> None:
    words, before, lines = sys.argv[1:], earlier(), []
    for case in cases():
        if words and not any(word in case.name for word in words):
            continue
        booked, true = measured(case)
        lines.append(f"| {case.name} | {before.get(case.name, '–')} | {booked / true:.2f} |")
        print(lines[-1], flush=True)
    if not words:
        head, _, rest = RESULTS.read_text().partition("| case | before | now |\n|---|---|---|\n")
        tail = rest[rest.index("\n\n") :]
        RESULTS.write_text(f"{head}| case | before | now |\n|---|---|---|\n{chr(10).join(lines)}{tail}")


if __name__ == "__main__":
    main()
