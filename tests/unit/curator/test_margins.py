"""ROLLUP, CUBE and GROUPING SETS in a plain question: every level has a share of the price of its own."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import partita as pt

ROWS = [{"day": (7 * i * i) % 100, "shop": "abc"[i % 3], "units": i % 11} for i in range(900)]
SALES = {
    "day": pt.integers(0, 99, missing=0),
    "shop": pt.categories("a", "b", "c", other="a", missing="a"),
    "units": pt.integers(0, 10, missing=0),
}
PROMISES = {
    "zcdp": (pt.Promise(pt.rows(), pt.ZCDP(rho="9", delta="1e-6")), {"rho": "0.5"}),
    "pure": (pt.Promise(pt.rows(), pt.Pure(epsilon="9")), {"epsilon": "0.5"}),
    "change": (pt.Promise(pt.replace(), pt.Approximate(epsilon="9", delta="1e-6")), {"epsilon": "0.5"}),
}
WIDE = "SELECT day, COUNT(*) AS n, SUM(units) AS u FROM sales GROUP BY ROLLUP (day)"
CUBE = "SELECT shop, units, COUNT(*) AS n FROM sales GROUP BY CUBE (shop, units)"
SURE = 1 - 1e-9


def opened(promise: pt.Promise) -> pt.Curator:
    return pt.Curator(tables=[pt.Table("sales", ROWS, SALES)], promises=[promise], ledger=":memory:")


def exact(line: dict[str, Any], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return [row for row in ROWS if all(line[key] is None or row[key] == line[key] for key in keys)]


@pytest.mark.parametrize("kind", PROMISES)
@pytest.mark.parametrize(("question", "keys"), [(WIDE, ("day",)), (CUBE, ("shop", "units"))])
def test_every_line_is_within_its_bar_for_one_charge_and_one_receipt(kind, question, keys):
    promise, price = PROMISES[kind]
    with opened(promise) as curator:
        offer, before = curator.quote(question, **price), curator.remaining()
        answer, again = curator.ask(question, **price), curator.ask(question, **price)
        assert answer.cost == offer.cost
        assert answer.cost.fits(
            pt.ZCDP(rho="0.5") if kind == "zcdp" else promise.budget.like([0.5, 0][: len(answer.cost.vector())])
        )
        left = float(before[0].vector()[0] - answer.cost.vector()[0])
        assert float(curator.remaining()[0].vector()[0]) == pytest.approx(left, rel=1e-6)
        assert again.free
        assert again.rows() == answer.rows()
        assert answer.receipt.seq
        assert curator.quote(question, **price).free
        bars = answer.error(SURE)
        for place, line in enumerate(answer.rows()):
            rows = exact(line, keys)
            assert abs(line["n"] - len(rows)) <= bars["n"][place] + 0.5
            if "u" in line:
                assert abs(line["u"] - sum(row["units"] for row in rows)) <= bars["u"][place]


def test_no_level_is_much_worse_than_with_an_equal_share_of_the_price():
    promise, price = PROMISES["zcdp"]
    with opened(promise) as curator:
        for question, keys in ((WIDE, ["day"]), (CUBE, ["shop", "units"])):
            answer = curator.ask(question, **price)
            levels: Counter[tuple[bool, ...]] = Counter()
            for line, bar in zip(answer.rows(), answer.error()["n"], strict=True):
                level = tuple(line[key] is None for key in keys)
                levels[level] = max(levels[level], bar)
            share = {"rho": f"{0.5 / len(levels)}"}
            plain = (
                "SELECT COUNT(*) AS n, SUM(units) AS u FROM sales"
                if "u" in answer.rows()[0]
                else "SELECT COUNT(*) AS n FROM sales"
            )
            alone = curator.quote(plain, **share).error()["n"]
            assert max(levels.values()) <= 1.05 * alone + 0.5


def test_a_statement_around_a_rollup_has_bars():
    promise, price = PROMISES["zcdp"]
    with opened(promise) as curator:
        answer = curator.ask(
            f"SELECT day, n, n / SUM(n) OVER () AS share FROM ({WIDE}) AS t ORDER BY n DESC LIMIT 3", **price
        )
        assert answer.rows()[0]["day"] is None
        assert all(bar > 0 for bar in answer.error()["share"])


def test_what_cannot_be_added_up_by_levels_is_answered_as_before():
    promise, price = PROMISES["zcdp"]
    with opened(promise) as curator:
        assert (
            len(curator.ask("SELECT shop, COUNT(*) AS n FROM sales GROUP BY GROUPING SETS ((shop))", **price).rows())
            == 3
        )
        assert curator.ask("SELECT shop, COUNT(*) AS n FROM sales GROUP BY ROLLUP (shop)", within=20).cost
        assert curator.ask("SELECT shop, COUNT(*) AS n FROM sales GROUP BY ROLLUP (shop)", key="k", **price).cost
