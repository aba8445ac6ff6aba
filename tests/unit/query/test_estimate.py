"""Estimates of a batch: unbiased whatever the data hold, with the variance they claim, and none better."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.reference import tallied
from partita.query.answer.estimators import Linear
from partita.query.batch.allotment import Allotment, _inverse
from partita.query.batch.batch import shared
from partita.query.batch.charging import ByTable
from partita.query.batch.estimate import estimates, told
from partita.query.batch.share import Share
from partita.query.noise.quote import Quote, quote
from partita.query.reuse.reuse import linears
from partita.query.reuse.sums import sums
from partita.query.sql.parse import read
from partita.sampling.bits import TestBits
from tests.unit.query.test_reuse import ROWS, TABLE


def by_table(*promises: pt.Promise) -> ByTable:
    """One table of rows that nothing is left out of."""
    return ByTable(promises, {"t": None})


PROMISES = [pt.Promise(pt.rows(), pt.ZCDP(rho="5"))]
AGGREGATES = ["COUNT(*)", "SUM(b)", "AVG(b)", "COUNT(a)", "SUM(a)", "AVG(a)", "SUM(2 * b - 3)", "VAR_POP(b)"]
KEYS = ["a", "b", "BUCKET(a, 2)", "BUCKET(a, 5)", "DATE_TRUNC('month', d)"]
WHERES = ["", "a < 4", "a IS NOT NULL", "b = 2", "b >= 2 AND a < 6", "d < '2025-02-01'", "a < 4 OR b = 1", "a > b"]


@st.composite
def questions(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    where = draw(st.sampled_from(WHERES))
    shown = draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True))
    by = f"GROUP BY {draw(st.sampled_from(['{}', 'ROLLUP({})'])).format(', '.join(keys))}" if keys else ""
    listed = [*keys, *(f"{one} AS n{place}" for place, one in enumerate(shown))]
    return f"SELECT {', '.join(listed)} FROM t {'WHERE ' + where if where else ''} {by}"


def quoted(sql: str, price: Price | None = None) -> Quote:
    return quote(read(sql, [TABLE]), PROMISES, price or Price.of(rho="0.1"), noise="gaussian")


def exactly(one: Quote, rows: Any) -> Any:
    return one.exact(tallied(one.program, rows)).astype(float)


@settings(max_examples=20, deadline=None)
@given(listed=st.lists(questions(), min_size=2, max_size=5, unique=True), rows=ROWS)
def test_every_relation_between_numbers_holds_for_every_table(listed: list[str], rows: Any) -> None:
    quotes = [quoted(sql) for sql in listed]
    for one in told(quotes, [1.0] * len(quotes))[0]:  # type: ignore[index]
        vectors = np.concatenate([one.sums.vectors[of] for of in one.sums.of])
        values = np.concatenate([exactly(quotes[place], rows).ravel() for place in one.places])
        scaled = values / np.concatenate(one.sums.factors)
        found = vectors @ np.linalg.lstsq(vectors, scaled, rcond=1e-9)[0]
        assert np.abs(found - scaled).max() < 1e-6 * max(1.0, np.abs(scaled).max())


@settings(max_examples=20, deadline=None)
@given(listed=st.lists(questions(), min_size=2, max_size=5, unique=True), rows=ROWS)
def test_estimates_from_exact_numbers_are_exact(listed: list[str], rows: Any) -> None:
    quotes = [quoted(sql) for sql in listed]
    families, _ = told(quotes, [1.0] * len(quotes))  # type: ignore[misc]
    found = estimates(families, quotes, len(quotes), dict(enumerate(quotes)))
    for want, estimate in zip(quotes, found, strict=True):
        if estimate is None:
            continue
        every = np.concatenate([exactly(one, rows).ravel() for one in estimate.sources])
        lines = exactly(want, rows)
        if want.plan.lines.sets:
            lines = np.array([lines[m].sum(axis=0) for _, m in want.program.cells.margins(want.plan.lines.sets)])
        parts = list(dict.fromkeys(part for estimator in want.estimators for part in linears(estimator)))
        truth = np.stack([lines @ np.array([float(w) for w in part.exactly]) for part in parts], axis=1)
        made = estimate.mixed.weights @ every / np.array(estimate.divisors, dtype=float)
        assert np.abs(made - truth).max() < 1e-6 * max(1.0, np.abs(truth).max())


@settings(max_examples=20, deadline=None)
@given(listed=st.lists(questions(), min_size=2, max_size=5, unique=True))
def test_no_estimate_has_more_noise_than_the_question_released_alone(listed: list[str]) -> None:
    quotes = [quoted(sql) for sql in listed]
    families, _ = told(quotes, [1.0] * len(quotes))  # type: ignore[misc]
    for want, estimate in zip(quotes, estimates(families, quotes, len(quotes), dict(enumerate(quotes))), strict=True):
        if estimate is None or want.plan.lines.sets:
            continue
        assert estimate.figure <= want.figure * (1 + 1e-6)


def test_cells_that_share_nothing_are_not_related() -> None:
    quotes = [quoted("SELECT COUNT(*) AS n FROM t WHERE a < 4"), quoted("SELECT COUNT(*) AS n FROM t WHERE a > 6")]
    found = sums(quotes)
    assert found is not None
    assert found.rank == 2
    families, _ = told(quotes, [1.0, 1.0])  # type: ignore[misc]
    assert estimates(families, quotes, 2, dict(enumerate(quotes))) == [None, None]


def test_what_a_condition_tests_beyond_its_region_is_not_taken_for_the_region() -> None:
    quotes = [quoted("SELECT COUNT(*) AS n FROM t"), quoted("SELECT COUNT(*) AS n FROM t WHERE a > b")]
    families, alone = told(quotes, [1.0, 1.0])  # type: ignore[misc]
    assert families == []
    assert min(alone) > 0


def test_tables_with_too_many_cells_to_relate_still_tell_what_follows_from_them() -> None:
    listed = [
        "SELECT a, d, COUNT(*) AS n FROM t GROUP BY a, d",
        "SELECT a, COUNT(*) AS n FROM t WHERE b = 1 GROUP BY a",
    ]
    listed.append("SELECT a, COUNT(*) AS n FROM t GROUP BY a")
    measure, price = PRICES["gaussian"]
    shares = shared([read(sql, [TABLE]) for sql in listed], by_table(pt.Promise(pt.rows(), measure)), price)
    assert [len(share.sources) for share in shares] == [1, 1, 2]
    assert all(share.estimate is None for share in shares)


ROLLED = "SELECT a, b, COUNT(*) AS n FROM t GROUP BY ROLLUP(a, b)"


def test_levels_of_a_rollup_are_released_by_themselves_where_that_is_more_exact() -> None:
    measure, price = PRICES["gaussian"]
    (share,) = shared([read(ROLLED, [TABLE])], by_table(pt.Promise(pt.rows(), measure)), price)
    assert len(share.sources) > 1
    rolled, plain = share.result(share.nothing()), share.quote
    margins = rolled.cells.margins(rolled.plan.lines.sets)
    sizes = [len(members) for _, members in margins]
    whole = quote(rolled.plan, plain.promises, price).spreads[0].variance
    parts = rolled.estimators[0]
    assert isinstance(parts, Linear)
    variances: dict[object, float] = {}
    for line, (keys, _) in enumerate(margins):
        variances[keys] = max(rolled.numbers.spread(parts, line).variance, variances.get(keys, 0.0))
    # No level has more noise than with an equal share of its own, and the total far less than that of all groups.
    assert max(variances.values()) < 1.05 * len(variances) * whole
    assert variances[()] < 0.2 * whole * max(sizes)
    found = share.result(
        {one.fingerprint: one.release(tallied(one.program, TRUE_ROWS), bits=TestBits(3)) for one in share.sources}
    )
    levels: dict[int, float] = {}
    for size, value in zip(sizes, found.numbers.combined(parts), strict=True):
        levels[size] = levels.get(size, 0.0) + value
    assert max(levels.values()) - min(levels.values()) < 1e-6


def test_levels_of_a_rollup_share_noise_of_one_sort_that_adds_up_faster() -> None:
    measure, price = PRICES["laplace"]
    (share,) = shared([read(ROLLED, [TABLE])], by_table(pt.Promise(pt.rows(), measure)), price)
    rolled = share.result(share.nothing())
    margins = rolled.cells.margins(rolled.plan.lines.sets)
    whole = quote(rolled.plan, share.quote.promises, price).spreads[0].variance
    parts = rolled.estimators[0]
    assert isinstance(parts, Linear)
    variances = {keys: rolled.numbers.spread(parts, line).variance for line, (keys, _) in enumerate(margins)}
    # Of ε, an equal share of k levels has k squared the variance; and the total is better than the sum of its groups.
    assert max(variances.values()) < 1.25 * len(variances) ** 2 * whole
    assert variances[()] < whole * max(len(members) for _, members in margins)


LISTED = [
    "SELECT a, b, COUNT(*) AS n, AVG(b) AS mean FROM t GROUP BY ROLLUP(a, b)",
    "SELECT b, COUNT(*) AS n, SUM(a) AS total FROM t GROUP BY b",
    "SELECT BUCKET(a, 5) AS half, COUNT(*) AS n FROM t GROUP BY 1",
    "SELECT COUNT(*) AS n FROM t WHERE a < 4 OR b = 1",
    "SELECT AVG(b) AS mean FROM t",
]
TRUE_ROWS = [{"a": i % 10, "b": (i * i) % 5, "d": None} for i in range(1000)]
PRICES: dict[str, tuple[Any, Price]] = {
    "gaussian": (pt.ZCDP(rho="0.5"), Price.of(rho="0.5")),
    "laplace": (pt.Pure(epsilon=1), Price.of(epsilon=1)),
}


def batch(kind: str) -> list[Share]:
    measure, price = PRICES[kind]
    plans = [read(sql, [TABLE]) for sql in LISTED]
    return shared(plans, by_table(pt.Promise(pt.rows(), measure)), price)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PRICES)
def test_answers_vary_as_much_as_they_claim_and_bars_hold_as_often_as_they_say(kind: str) -> None:
    shares, times, looked = batch(kind), 225, 50
    releases = {one.fingerprint: one for share in shares for one in share.sources}
    exact = {name: tallied(one.program, TRUE_ROWS) for name, one in releases.items()}
    bits = TestBits(7)
    truth = {name: one.exact(exact[name]) for name, one in releases.items()}
    off: list[list[Any]] = [[] for _ in shares]
    inside = [dict.fromkeys(share.result(share.nothing()).intervals(0.9), 0.0) for share in shares]
    right = [share.result(truth) for share in shares]
    for turn in range(times):
        noisy = {name: one.release(exact[name], bits=bits) for name, one in releases.items()}
        for place, share in enumerate(shares):
            found = share.result(noisy)
            off[place].append((found.noisy - right[place].noisy).astype(float))
            for name, ends in found.intervals(0.9).items() if turn < looked else ():
                # Means of groups that may be empty are not told.
                meant = zip(ends, right[place].columns[name], strict=True)
                hits = [low <= true <= high for (low, high), true in meant if true is not None]
                inside[place][name] += sum(hits) / len(hits)
    for share, offs, bars in zip(shares, off, inside, strict=True):
        result = share.result(share.nothing())
        every = np.array(offs)
        # A few hundred variances, each of so many draws: beyond six of their deviations one of them is wrong.
        slack = 6 * math.sqrt((2 if kind == "gaussian" else 5) / times)
        for line in range(every.shape[1]):
            for part in range(every.shape[2]):
                unit = [float(part == other) for other in range(every.shape[2])]
                claimed = (
                    result.mixed.spread(line, unit) if result.mixed is not None else result.numbers.spreads[part]
                ).variance
                assert 1 - slack < every[:, line, part].var() / claimed < 1 + slack
                assert abs(every[:, line, part].mean()) < 6 * math.sqrt(claimed / times)
        for hits in bars.values():
            assert hits / looked > 0.9 - 6 * math.sqrt(0.09 / looked)


@settings(max_examples=20, deadline=None)
@given(
    listed=st.lists(questions(), min_size=2, max_size=5, unique=True),
    power=st.sampled_from([1.0, 2.0]),
    seed=st.integers(0, 100),
)
def test_no_exchange_of_shares_makes_a_batch_much_more_exact(listed: list[str], power: float, seed: int) -> None:
    quotes = [quoted(sql) for sql in listed]
    families, alone = told(quotes, [1.0] * len(quotes))  # type: ignore[misc]
    count = len(quotes)
    everyone = (frozenset(range(count)),)
    problem = Allotment(tuple(families), np.array(alone), tuple((i,) for i in range(count)), everyone, power)
    shares = np.array(problem.best())
    assert shares.sum() <= 1 + 1e-9
    best = problem.error(shares)
    chance = np.random.default_rng(seed)
    for _ in range(10):
        other = shares * np.exp(chance.normal(0, 0.2, count))
        assert problem.error(other / other.sum()) >= best * 0.99


def test_a_batch_is_the_same_in_whatever_order_it_is_asked() -> None:
    measure, price = PRICES["gaussian"]
    promises = [pt.Promise(pt.rows(), measure)]
    plans = [read(sql, [TABLE]) for sql in LISTED]
    found = [shared(listed, by_table(*promises), price) for listed in (plans, plans[::-1])]
    assert [one.quote.fingerprint for one in found[0]] == [one.quote.fingerprint for one in found[1]][::-1]


def wide(columns: int, values: int) -> tuple[Any, list[str], str]:
    """A table of many columns, a question about each, and the condition that holds for one value of all of them."""
    names = [f"c{place}" for place in range(columns)]
    table = pt.Table("t", source=[{"c0": 0}], columns={name: pt.integers(0, values - 1) for name in names})
    listed = [f"SELECT {name}, COUNT(*) AS n FROM t GROUP BY {name}" for name in names]
    return table, listed, " AND ".join(f"{name} = 1" for name in names)


def test_a_cell_that_is_next_to_nothing_of_all_values_is_not_taken_for_nothing() -> None:
    table, listed, inside = wide(10, 10)
    listed += [f"SELECT COUNT(*) AS n FROM t WHERE {inside}", f"SELECT COUNT(*) AS n FROM t WHERE NOT ({inside})"]
    listed += ["SELECT COUNT(*) AS n FROM t"]
    measure, price = PRICES["gaussian"]
    shares = shared([read(sql, [table]) for sql in listed], by_table(pt.Promise(pt.rows(), measure)), price)
    rows = [dict.fromkeys((f"c{place}" for place in range(10)), 1)] * 1000
    found = [
        share.result({one.fingerprint: one.exact(tallied(one.program, rows)).astype(object) for one in share.sources})
        for share in shares[-3:]
    ]
    assert [result.columns["n"] for result in found] == [[1000], [0], [1000]]


NOTHING = [
    "SELECT SUM(0) AS n FROM t",
    "SELECT SUM(b - b) AS n FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE a < 4 AND a > 6",
    "SELECT a, COUNT(*) AS n FROM t WHERE a < 4 AND a > 6 GROUP BY a",
    "SELECT AVG(b) AS n FROM t WHERE b = 2",
]


@pytest.mark.parametrize(
    "beside",
    [[], ["SELECT COUNT(*) AS n FROM t", "SELECT a, COUNT(*) AS n FROM t GROUP BY a"]],
    ids=["alone", "beside others"],
)
@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("sql", NOTHING)
def test_sums_of_nothing_and_of_nobody_have_a_share_of_the_price(sql: str, kind: str, beside: list[str]) -> None:
    measure, price = PRICES[kind]
    promise = pt.Promise(pt.rows(), measure)
    shares = shared([read(one, [TABLE]) for one in (sql, *beside)], by_table(promise), price)
    account = pt.RegionAccount(shares[0].quote.plan.table.domain, promise)
    for one in {one.fingerprint: one for share in shares for one in share.sources}.values():
        account.charge(one.region, one.tolls[0].cost.row, one.tolls[0].cost.substitution)
    assert shares[0].estimate is None


@pytest.mark.parametrize("kind", PRICES)
def test_a_question_of_hardly_any_weight_is_still_told_and_its_bar_says_how_badly(kind: str) -> None:
    listed = [
        "SELECT a, COUNT(*) AS n FROM t GROUP BY a",
        "SELECT b, COUNT(*) AS n FROM t GROUP BY b",
        "SELECT COUNT(*) AS n FROM t WHERE a < 4",
    ]
    measure, price = PRICES[kind]
    plans, promises = [read(sql, [TABLE]) for sql in listed], [pt.Promise(pt.rows(), measure)]
    shares = shared(plans, by_table(*promises), price, [1, "1e-20", "1e20"])
    for share in shares:
        made = share.result(
            {one.fingerprint: one.exact(tallied(one.program, TRUE_ROWS)).astype(object) for one in share.sources}
        )
        own = share.quote.result(share.quote.exact(tallied(share.quote.program, TRUE_ROWS)).astype(object))
        assert made.columns["n"] == own.columns["n"]
    errors = [share.error()["n"] for share in shares]
    assert errors[2] < errors[0]
    assert errors[2] < errors[1]


def test_shares_are_found_where_numbers_are_long_vectors_and_one_is_left_out() -> None:
    """Lists of pairs in many columns: beside their lengths what keeps a matrix regular was lost in rounding."""
    table, _, _ = wide(24, 100)
    listed = [
        f"SELECT COUNT(*) AS n FROM t WHERE (c{k}, c{(5 * k + 1) % 24}) IN "
        f"({', '.join(f'({i * (k + 3) % 97}, {i * (7 + k) % 97})' for i in range(10))})"
        for k in range(12)
    ]
    quotes = [quote(read(sql, [table]), PROMISES, Price.of(rho="0.001"), noise="gaussian") for sql in listed]
    families, alone = told(quotes, [1.0] * len(quotes))  # type: ignore[misc]
    everyone = (frozenset(range(12)),)
    problem = Allotment(tuple(families), np.array(alone), tuple((i,) for i in range(12)), everyone, 1.0)
    # None follows from others, so each is released, with the same share.
    assert problem.best() == pytest.approx([1 / 12] * 12, rel=1e-3)
    for place in range(12):
        assert problem.error(np.where(np.arange(12) == place, 0.0, 1 / 11)) > 1e6 * problem.error(np.full(12, 1 / 12))


@pytest.mark.parametrize("known", [np.ones((3, 3)), np.zeros((3, 3)), np.diag([1.0, 0.5, -1e-15])])
def test_what_nothing_tells_of_has_a_huge_error_and_never_a_negative_one(known: Any) -> None:
    inverse = _inverse(known)
    assert np.isfinite(inverse).all()
    assert np.linalg.eigvalsh(inverse)[-1] >= 1e12
    assert np.linalg.eigvalsh(inverse)[0] > -1e-3
