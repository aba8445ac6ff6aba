"""Quantiles and owners on random tables: scores move no further than claimed, and engines agree on the histograms."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference, tallied
from partita.granularity import Granularity, replace, rows, users
from partita.mechanisms.exponential import Exponential
from partita.query.aggregates import Quantile
from partita.query.blocks import Lengths, Owned
from partita.query.expressions import bounds
from partita.query.plan import Plan
from partita.query.program import Histogram, Owners, Program, Values, cells
from partita.query.quantiles import Choice, moves, scored
from partita.query.quote import narrowed
from partita.query.sql import read
from partita.query.stability import movement
from partita.query.truncation import Truncation, truncation
from tests.laws.test_engines import CAPS
from tests.unit.query import strategies

TABLE = strategies.table()
Rows = list[dict[str, Any]]
SHARES = st.sampled_from(["0", "0.1", "0.5", "0.75", "1"])


@st.composite
def ranked(draw: st.DrawFn) -> str:
    """A question for one quantile."""
    of = draw(st.sampled_from(["a", "b", "c", "f", "a * 2 - b", "CASE WHEN g THEN a END", "CLAMP(c, 0, 1)"]))
    key = draw(st.sampled_from(["", "d", "BUCKET(a, 2)", "e, g"]))
    text = f"SELECT QUANTILE({of}, {draw(SHARES)}) AS v FROM things"
    if draw(st.booleans()):
        text += f" WHERE {draw(strategies.conditions())}"
    return text + (f" GROUP BY {key}" if key else "")


def histograms(plan: Plan, table: Rows, cap: Truncation | None) -> list[Histogram]:
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    program = Program(TABLE, plan.where, cells(plan.keys, plan.where), (Values(aggregate.of),), cap)
    return list(tallied(program, table)[:, 0])


def moved(plan: Plan, before: Rows, after: Rows, cap: Truncation | None = None) -> list[int]:
    """How far the scores of each group that moves really are apart."""
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    within = bounds(aggregate.of, narrowed(plan))
    found = []
    for old, new in zip(histograms(plan, before, cap), histograms(plan, after, cap), strict=True):
        sides = []
        for one in (old, new):
            _, lengths, scores = scored(one, within, aggregate.share, inset=2 if aggregate.share in (0, 1) else 0)
            assert lengths.sum() == within.high - within.low + 1
            sides.append(np.repeat(scores, lengths))
        found.append(int(abs(sides[0] - sides[1]).max()))
    return sorted(far for far in found if far)


def within_a_case(found: list[int], cases: tuple[tuple[int, ...], ...]) -> bool:
    def fits(case: tuple[int, ...]) -> bool:
        padded = [0] * (len(case) - len(found)) + found
        return len(found) <= len(case) and all(far <= most for far, most in zip(padded, sorted(case), strict=True))

    return any(fits(case) for case in cases)


def claimed(plan: Plan, granularity: Granularity, cap: Truncation | None = None) -> Any:
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    return moves(aggregate.share, granularity, groups=cells(plan.keys, plan.where).count, truncation=cap)


TABLES = st.lists(strategies.rows(), max_size=6)


@settings(max_examples=100)
@given(ranked(), TABLES, strategies.rows(), strategies.rows())
def test_a_row_moves_the_scores_no_further_than_claimed(question, table, old, new):
    plan = read(question, [TABLE])
    one = claimed(plan, rows())
    assert within_a_case(moved(plan, table, [*table, new]), one.row)
    assert within_a_case(moved(plan, [*table, old], [*table, new]), one.row + one.both)


@settings(max_examples=100)
@given(ranked(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_the_scores_move_no_further_than_claimed(question, table, old, new, most):
    plan = read(question, [TABLE])
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    assert within_a_case(moved(plan, table, [*table, new], cap), claimed(plan, rows(), cap).row)
    assert within_a_case(moved(plan, [*table, old], [*table, new], cap), claimed(plan, replace(), cap).both)


@settings(max_examples=100)
@given(ranked(), TABLES, st.lists(strategies.rows(), min_size=1, max_size=5), st.integers(1, 3))
def test_an_owner_moves_the_scores_by_no_more_than_the_owners_rows(question, table, own, most):
    plan = read(question, [TABLE])
    granularity = users("who", rows=most)
    cap = truncation(TABLE, [granularity], "key")
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    found = moved(plan, others, [*others, *({**row, "who": 1} for row in own)], cap)
    ((one,),) = claimed(plan, granularity, cap).row
    assert sum(found) <= most * one


@settings(max_examples=100)
@given(st.sampled_from(["", "d", "BUCKET(a, 2)", "e, g"]), TABLES, st.lists(strategies.rows(), max_size=5),
       st.integers(1, 3), st.booleans())  # fmt: skip
def test_the_number_of_owners_moves_no_further_than_claimed(key, table, own, most, altered):
    plan = read("SELECT COUNT(DISTINCT who) AS v FROM things" + (f" GROUP BY {key}" if key else ""), [TABLE])
    grouped = cells(plan.keys, plan.where)
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    mine = [{**row, "who": 1} for row in own]

    def apart(before: Rows, after: Rows, cap: Truncation | None) -> Lengths:
        program = Program(TABLE, plan.where, grouped, (Owners(),), cap)
        change = [abs(int(far)) for far in (tallied(program, before) - tallied(program, after)).flat]
        return Lengths(sum(change), sum(far**2 for far in change), max(change))

    granularity = users("who", rows=most, altered=altered)
    cap = truncation(TABLE, [granularity], "key")
    pairs = [(granularity, cap, others, [*others, *mine])]
    pairs += [(kind, limit, others, [*others, *mine[:1]]) for kind in (rows(), replace()) for limit in (None, cap)]
    for kind, limit, before, after in pairs:
        far = apart(before, after, limit)
        most_far = movement(Owned(), kind, groups=grouped.count, partial=False, truncation=limit).unit
        assert (far.l1, far.l2_squared, far.linf) <= (most_far.l1, most_far.l2_squared, most_far.linf)
        assert far.l2_squared <= most_far.l2_squared
        assert far.linf <= most_far.linf


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), max_size=6), st.integers(0, 6), SHARES, st.sampled_from([Fraction(1, 3), Fraction(2)])
)
def test_no_outcome_is_likelier_than_the_loss_allows(values, extra, share, epsilon):
    """Brute force over all candidates: exact probabilities of neighbours, against ε and against ρ."""
    q = Fraction(share)
    far = moves(q, rows(), groups=1, truncation=None).row[0][0]
    mechanism = Exponential(epsilon=epsilon / far)
    within = bounds(read("SELECT MEDIAN(b) AS v FROM things", [TABLE]).aggregates[0].of, TABLE.domain)
    within = type(within)(0, 6, within.unit, nullable=False)
    chances = []
    for listed in (values, [*values, extra]):
        found = Histogram(*(part.astype(np.int64) for part in np.unique(listed, return_counts=True)))
        _, lengths, scores = scored(found, within, q, inset=1 if q in (0, 1) else 0)
        chances.append(mechanism.probabilities(np.repeat(scores, lengths).astype(np.int64)))
    for first, second in (chances, chances[::-1]):
        loss = np.log(first / second)
        assert loss.max() <= float(epsilon) + 1e-9
        assert float((first * loss).sum()) <= float(epsilon) ** 2 / 8 + 1e-9


@settings(max_examples=100)
@given(ranked(), strategies.stored_tables(), CAPS)
def test_duckdb_finds_the_histograms_and_owners_of_the_reference(question, stored, cap):
    def program(table: Any) -> Program:
        plan = read(question, [table])
        (aggregate,) = plan.aggregates
        assert isinstance(aggregate, Quantile)
        grouped = cells(plan.keys, plan.where)
        return Program(table, plan.where, grouped, (Owners(), Values(aggregate.of)), cap)

    table = strategies.table(stored)
    expected = Reference([table]).run(program(table)).tolist()
    engine = DuckDB([table], threads=1)
    assert engine.run(program(table)).tolist() == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(stored, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = DuckDB([file], threads=1, copied_below=0)
        assert engine.run(program(file)).tolist() == expected
        engine.close()


def test_the_law_notices_a_claim_that_is_too_small():
    plan = read("SELECT QUANTILE(a, 0.75) AS v FROM things", [TABLE])
    found = moved(plan, [{"a": 1}], [{"a": 1}, {"a": 5}])
    assert found == [3]
    assert not within_a_case(found, ((2,),))
    assert within_a_case(found, claimed(plan, rows()).row)


@pytest.mark.parametrize("share", ["0", "0.25", "0.5", "1"])
def test_the_rank_error_holds_as_often_as_it_says(share):
    from partita.sampling.bits import TestBits

    draws = np.random.default_rng(5)
    values = np.sort(draws.integers(0, 10_000, 400))
    found = Histogram(*(part.astype(np.int64) for part in np.unique(values, return_counts=True)))
    aggregate = Quantile(read("SELECT MEDIAN(a) AS v FROM things", [TABLE]).aggregates[0].of, Fraction(share))
    within = bounds(aggregate.of, TABLE.domain)
    choice = Choice(
        aggregate, type(within)(0, 10_000, within.unit, nullable=False), Exponential(epsilon=Fraction(1, 2))
    )
    bits, missed, rounds = TestBits(3), 0, 400
    for _ in range(rounds):
        chosen = choice.release(found, bits=bits)
        low, high = np.searchsorted(values, chosen), np.searchsorted(values, chosen, side="right")
        target = float(aggregate.share) * len(values)
        missed += max(low - target, target - high, 0) > choice.rank_error(0.9)
    assert missed <= 0.1 * rounds + 5 * (0.09 * rounds) ** 0.5
