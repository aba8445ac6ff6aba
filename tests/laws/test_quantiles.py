"""Quantiles and owners on random tables: scores move no further than claimed, and engines agree on the histograms."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
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
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.query.exact.measurements import Lengths, Owned
from partita.query.exact.program import Histogram, Owners, Program, Values, cells
from partita.query.exact.sensitivity import movement
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Bounds, Value, bounds
from partita.query.language.plan import Plan
from partita.query.noise.quote import narrowed
from partita.query.quantiles.costs import Cases, moves
from partita.query.quantiles.quantiles import FENCED, Choice
from partita.query.quantiles.ranks import Runs, step
from partita.query.sql.parse import read
from partita.query.tables.truncation import Truncation, truncation
from tests.laws.test_engines import FEW_INSIDE, FEW_ROWS
from tests.sizes import tried
from tests.unit.query import strategies

pytestmark = pytest.mark.filterwarnings("ignore:.* is stored as TIMESTAMP.* and declared as dates")

TABLE = strategies.table()
Rows = list[dict[str, Any]]
SHARES = st.sampled_from(["0", "0.1", "0.5", "0.75", "1"])


def histogram(values: Iterable[int]) -> Histogram:
    listed = np.array(list(values), dtype=np.int64)
    return Histogram(*(part.astype(np.int64) for part in np.unique(listed, return_counts=True)))


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


def moved(plan: Plan, before: Rows, after: Rows, cap: Truncation | None = None) -> list[Fraction]:
    """How far the scores of each group that moves really are apart, in rows."""
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    within = bounds(aggregate.of, narrowed(plan))
    found = []
    for old, new in zip(histograms(plan, before, cap), histograms(plan, after, cap), strict=True):
        sides = []
        for one in (old, new):
            runs = Runs.of(one, within)
            assert runs.lengths.sum() == within.high - within.low + 1
            sides.append(np.repeat(runs.off(aggregate.share, 2 if aggregate.share in (0, 1) else 0), runs.lengths))
        found.append(Fraction(int(abs(sides[0] - sides[1]).max()), step(aggregate.share)))
    return sorted(far for far in found if far)


def within_a_case(found: list[Fraction], cases: tuple[tuple[Fraction, ...], ...]) -> bool:
    def fits(case: tuple[Fraction, ...]) -> bool:
        padded = [Fraction(0)] * (len(case) - len(found)) + found
        return len(found) <= len(case) and all(far <= most for far, most in zip(padded, sorted(case), strict=True))

    return any(fits(case) for case in cases.ways)


def claimed(plan: Plan, granularity: Granularity, cap: Truncation | None = None) -> Any:
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    return moves((aggregate.share,), granularity, groups=cells(plan.keys, plan.where).count, truncation=cap)


TABLES = st.lists(strategies.rows(), max_size=6)
OWN = st.lists(strategies.rows(), max_size=5)


@settings(max_examples=100)
@given(ranked(), TABLES, strategies.rows(), strategies.rows())
def test_a_row_moves_the_scores_no_further_than_claimed(question, table, old, new):
    plan = read(question, [TABLE])
    one = claimed(plan, rows())
    assert within_a_case(moved(plan, table, [*table, new]), one.row)
    assert within_a_case(moved(plan, [*table, old], [*table, new]), one.row | one.substitution)


@settings(max_examples=100)
@given(ranked(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_the_scores_move_no_further_than_claimed(question, table, old, new, most):
    plan = read(question, [TABLE])
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    assert within_a_case(moved(plan, table, [*table, new], cap), claimed(plan, rows(), cap).swap)
    assert within_a_case(moved(plan, [*table, old], [*table, new], cap), claimed(plan, replace(), cap).substitution)


@settings(max_examples=100)
@given(ranked(), TABLES, st.lists(strategies.rows(), min_size=1, max_size=5), st.integers(1, 3))
def test_an_owner_moves_the_scores_by_no_more_than_the_owners_rows(question, table, own, most):
    plan = read(question, [TABLE])
    granularity = users("who", rows=most)
    cap = truncation(TABLE, [granularity], "key")
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    found = moved(plan, others, [*others, *({**row, "who": 1} for row in own)], cap)
    ((one,),) = claimed(plan, granularity, cap).row.ways
    assert sum(found) <= most * one


@settings(max_examples=100)
@given(ranked(), TABLES, OWN, OWN, st.integers(1, 3))
def test_an_altered_owner_moves_the_scores_by_no_more_than_so_many_changes(question, table, old, new, most):
    plan = read(question, [TABLE])
    granularity = users("who", rows=most, altered=True)
    cap = truncation(TABLE, [granularity], "key")
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    before, after = ([*others, *({**row, "who": 1} for row in own)] for own in (old, new))
    found, one = moved(plan, before, after, cap), claimed(plan, granularity, cap)
    assert one.unit.steps == most
    cases = one.unit.ways
    assert sum(found) <= most * max(map(sum, cases))
    assert sum(far**2 for far in found) <= most**2 * max(sum(far**2 for far in case) for case in cases)


TWO = Bounds(0, 1, Fraction(1), nullable=False)


def apart_of_two(share: Fraction, first: tuple[int, int], other: tuple[int, int]) -> Fraction:
    """How far the scores of two values move against each other, from so many rows of each to so many others."""
    choice = Choice(Value("g"), (share,), TWO, Exponential(epsilon=1))
    off = [
        choice.away(
            Histogram(np.array([at for at in (0, 1) if held[at]]), np.array([one for one in held if one])), (at,)
        )
        for held in (first, other)
        for at in (0, 1)
    ]
    return abs((off[0] - off[1]) - (off[2] - off[3]))


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(2, 3), Fraction(1)])
def test_of_two_values_the_scores_move_half_as_far(share):
    one = moves((share,), rows(), groups=1, truncation=None, values=2)
    ((row,),), ((change,),) = one.row.ways, one.substitution.ways
    most = [Fraction(0), Fraction(0)]
    for low, high in product(range(24), range(24)):
        most[0] = max(most[0], apart_of_two(share, (low, high), (low + 1, high)))
        most[0] = max(most[0], apart_of_two(share, (low, high), (low, high + 1)))
        most[1] = max(most[1], apart_of_two(share, (low + 1, high), (low, high + 1)))
    # A distance allows each score to move that far up or down: twice as far against each other.
    assert most == [2 * row, 2 * change]


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
    chances = []
    for listed in (values, [*values, extra]):
        runs = Runs.of(histogram(listed), Bounds(0, 6, Fraction(1), nullable=False))
        off = np.repeat(runs.off(q, 1 if q in (0, 1) else 0), runs.lengths).astype(np.int64)
        chances.append(Exponential(epsilon=epsilon / step(q)).probabilities(-off))
    for first, second in (chances, chances[::-1]):
        loss = np.log(first / second)
        assert loss.max() <= float(epsilon) + 1e-9
        assert float((first * loss).sum()) <= float(epsilon) ** 2 / 8 + 1e-9


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), max_size=6), st.integers(0, 6), SHARES, st.sampled_from([Fraction(1, 3), Fraction(2)])
)
def test_permute_and_flip_loses_no_more_and_is_never_further_off(values, extra, share, epsilon):
    q = Fraction(share)
    chances = []
    for listed in (values, [*values, extra]):
        runs = Runs.of(histogram(listed), Bounds(0, 6, Fraction(1), nullable=False))
        off = np.repeat(runs.off(q, 1 if q in (0, 1) else 0), runs.lengths).astype(np.int64)
        flips, chosen = (kind(epsilon=epsilon / step(q)).probabilities(-off) for kind in (PermuteAndFlip, Exponential))
        assert flips @ off <= chosen @ off + 1e-9
        chances.append(flips)
    assert abs(np.log(chances[0] / chances[1])).max() <= float(epsilon) + 1e-9


@pytest.mark.soak
@settings(max_examples=tried(15, soaking=3000))
@given(
    st.lists(ranked(), min_size=2, max_size=3), strategies.stored_tables(), st.tuples(st.none(), FEW_ROWS, FEW_INSIDE)
)
def test_duckdb_finds_the_histograms_and_owners_of_the_reference(asked, stored, caps):
    """Questions of one table under every kind of cap: the rows are taken in once, which is most of the work."""

    def programs(table: Any) -> list[Program]:
        found = []
        for question, cap in product(asked, caps):
            plan = read(question, [table])
            (aggregate,) = plan.aggregates
            assert isinstance(aggregate, Quantile)
            grouped = cells(plan.keys, plan.where)
            found.append(Program(table, plan.where, grouped, (Owners(), Values(aggregate.of)), cap))
        return found

    table = strategies.table(stored)
    engine, reference = DuckDB([table], threads=1), Reference([table])
    expected = [reference.run(program).tolist() for program in programs(table)]
    assert [engine.run(program).tolist() for program in programs(table)] == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(stored, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = strategies.in_place(file)
        if engine is None:
            return
        assert [engine.run(program).tolist() for program in programs(file)] == expected
        engine.close()


def test_the_law_notices_a_claim_that_is_too_small():
    plan = read("SELECT QUANTILE(a, 0.75) AS v FROM things", [TABLE])
    found = moved(plan, [{"a": 1}], [{"a": 1}, {"a": 5}])
    assert found == [1]
    assert not within_a_case(found, Cases(((Fraction(2, 3),),)))
    assert within_a_case(found, claimed(plan, rows()).row)


@pytest.mark.parametrize("shares", ["0", "0.25", "0.5", "1", "0.5 0.9", "0.25 0.5 0.75"])
def test_the_rank_error_holds_as_often_as_it_says(shares):
    from partita.sampling.bits import TestBits

    draws = np.random.default_rng(5)
    values = np.sort(draws.integers(0, 10_000, 400))
    listed = tuple(map(Fraction, shares.split()))
    choice = Choice(
        Value("a"), listed, Bounds(0, 10_000, Fraction(1), nullable=False), Exponential(epsilon=Fraction(1, 2))
    )
    bits, missed, rounds = TestBits(3), 0, 400 // len(listed)
    for _ in range(rounds):
        off = []
        for share, chosen in zip(listed, choice.release(histogram(values), bits=bits), strict=True):
            low, high = np.searchsorted(values, chosen), np.searchsorted(values, chosen, side="right")
            target = float(share) * len(values)
            off.append(max(low - target, target - high, 0))
        missed += max(off) > choice.rank_error(0.9)
    assert missed <= 0.1 * rounds + 5 * (0.09 * rounds) ** 0.5


# --- values chosen beside a quantile -------------------------------------------------------------------------------


def _beside(share: Fraction, side: int, epsilon: Fraction) -> Choice:
    within = Bounds(0, 6, Fraction(1), nullable=False)
    return Choice(Value("a"), (share,), within, Exponential(epsilon=epsilon), side)


def _scores(choice: Choice, values: list[int]) -> list[Fraction]:
    """Minus the score of every candidate, the one beyond the end included."""
    found = histogram(values)
    return [choice.away(found, (one,)) for one in range(choice.placed.low, choice.placed.high + 1)]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), max_size=6),
    st.integers(0, 6),
    st.integers(0, 6),
    SHARES,
    st.sampled_from([-1, 1]),
    st.sampled_from([Fraction(1, 3), Fraction(9)]),
)
def test_a_row_moves_the_score_of_a_side_by_at_most_one(values, extra, other, share, side, epsilon):
    choice = _beside(Fraction(share), side, epsilon)
    one, more, changed = (_scores(choice, listed) for listed in (values, [*values, extra], [*values, other]))
    (most,) = moves((Fraction(share),), rows(), groups=1, truncation=None).substitution.ways[0]
    assert max(abs(a - b) for a, b in zip(one, more, strict=True)) <= 1
    assert max(abs(a - b) for a, b in zip(more, changed, strict=True)) <= most


@settings(max_examples=60)
@given(st.lists(st.integers(0, 6), max_size=60), st.sampled_from(["0", "0.1", "0.5", "0.75", "1"]))
def test_the_exact_quantile_is_on_the_inner_side_as_surely_as_said(values, share):
    """By exact probabilities, of groups without rows and with few as well; the quantile of no rows is any value."""
    q, epsilon = Fraction(share), Fraction(1)
    for side in (-1, 1):
        if q == (0 if side < 0 else 1):
            continue
        choice = _beside(q, side, epsilon)
        scores = np.array([float(one) for one in _scores(choice, values)])
        chances = np.exp(-float(choice.mechanism.weight) * scores)
        chances /= chances.sum()
        ranked = sorted(values)
        reached = [one for place, one in enumerate(ranked, start=1) if place >= max(q * len(ranked), 1)]
        exact = reached[0] if reached else (0 if side < 0 else 6)
        places = range(choice.placed.low, choice.placed.high + 1)
        outside = sum(chance for place, chance in zip(places, chances, strict=True) if (place - exact) * side < 0)
        assert outside <= 1 - FENCED


# --- several quantiles at once -----------------------------------------------------------------------------------

COMPANIES = st.sampled_from(["1/2 9/10", "1/4 3/4", "1/10 1/5", "1/4 1/2 3/4", "1/10 1/2 9/10"])
FEW = Bounds(0, 4, Fraction(1), nullable=False)


def jointly(shares: str, epsilon: Fraction = Fraction(1), within: Bounds = FEW) -> Choice:
    return Choice(Value("a"), tuple(map(Fraction, shares.split())), within, Exponential(epsilon=epsilon))


def every(choice: Choice, values: list[int]) -> dict[tuple[int, ...], Fraction]:
    """How many rows every tuple of values is away."""
    tuples = product(range(choice.within.low, choice.within.high + 1), repeat=len(choice.shares))
    return {chosen: choice.away(histogram(values), chosen) for chosen in tuples}


@settings(max_examples=80, deadline=None)
@given(COMPANIES, st.lists(st.integers(0, 4), max_size=7), st.integers(0, 4), st.sampled_from(["1/10", "1", "40"]))
def test_one_row_moves_the_score_of_no_tuple_by_more_than_one(shares, values, extra, epsilon):
    choice = jointly(shares, Fraction(epsilon))
    before, after = every(choice, values), every(choice, [*values, extra])
    assert max(abs(before[chosen] - after[chosen]) for chosen in before) <= 1


def changed(choice: Choice, values: list[int], old: int, new: int) -> Fraction:
    """How far the score of a tuple moves at most if a row becomes another."""
    before, after = every(choice, [*values, old]), every(choice, [*values, new])
    return max(abs(before[chosen] - after[chosen]) for chosen in before)


@settings(max_examples=60, deadline=None)
@given(COMPANIES, st.lists(st.integers(0, 4), max_size=6), st.integers(0, 4), st.integers(0, 4))
def test_a_changed_row_moves_the_score_of_no_tuple_further_than_claimed(shares, values, old, new):
    choice = jointly(shares)
    (far,) = moves(choice.shares, replace(), groups=1, truncation=None).substitution.ways[0]
    assert changed(choice, values, old, new) <= far


def test_a_changed_row_may_move_several_quantiles_as_far_as_claimed_and_one_as_well():
    pair = jointly("1/4 3/4")
    assert moves(pair.shares, replace(), groups=1, truncation=None).substitution.ways == ((Fraction(2),),)
    assert changed(pair, [1, 1, 2, 2, 3, 3], 0, 4) > 1
    alone = jointly("9/10")
    assert moves(alone.shares, replace(), groups=1, truncation=None).substitution.ways == ((Fraction(10, 9),),)
    assert changed(alone, [1, 2, 2, 3], 0, 4) == Fraction(10, 9)


@settings(max_examples=25, deadline=None)
@given(COMPANIES, st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_no_more_rows_are_counted_than_would_have_to_come_or_go(shares, values):
    """Brute force: all ways in which few rows come and go, until the values are exact quantiles."""
    choice = jointly(shares, Fraction(1, 100), Bounds(0, 3, Fraction(1), nullable=False))
    away = every(choice, values)
    counts = [values.count(value) for value in range(4)]
    for change in product((-1, 0, 1, 2), repeat=4):
        made = [count + more for count, more in zip(counts, change, strict=True)]
        if min(made) < 0:
            continue
        rows = sum(made)
        for chosen, far in away.items():
            if chosen == tuple(sorted(chosen)) and all(
                sum(made[:value]) <= share * rows <= sum(made[: value + 1])
                for share, value in zip(choice.shares, chosen, strict=True)
            ):
                assert far <= sum(map(abs, change))


@pytest.mark.parametrize("shares", ["1/2 9/10", "1/4 1/2 3/4"])
def test_what_is_counted_is_the_distance_to_exact_quantiles_where_nothing_is_tied(shares):
    """The same number by linear programming: the least change of the parts' sizes with the ranks as they are."""
    from scipy.optimize import linprog

    choice = jointly(shares, Fraction(1, 1000), Bounds(0, 200, Fraction(1), nullable=False))
    values = list(range(0, 200, 2))
    parts = np.diff([0.0, *map(float, choice.shares), 1.0])
    draws = np.random.default_rng(2)
    for _ in range(30):
        chosen = tuple(sorted(int(2 * place + 1) for place in draws.integers(5, 95, len(parts) - 1)))
        sizes = np.diff([0, *((value + 1) // 2 for value in chosen), len(values)])
        count = len(parts)
        # Least Σ t with -t_j <= size_j - p_j N <= t_j.
        above = np.hstack([-np.eye(count), -parts[:, None]])
        beneath = np.hstack([-np.eye(count), parts[:, None]])
        found = linprog([1.0] * count + [0.0], A_ub=np.vstack([above, beneath]), b_ub=np.concatenate([-sizes, sizes]))
        assert float(choice.away(histogram(values), chosen)) == pytest.approx(found.fun, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(COMPANIES, st.lists(st.integers(0, 4), max_size=6), st.integers(0, 4), st.sampled_from(["1/3", "2", "12"]))
def test_no_tuple_is_likelier_than_the_loss_allows(shares, values, extra, epsilon):
    loss = Fraction(epsilon)
    choice = jointly(shares, loss)
    chances = []
    for listed in (values, [*values, extra]):
        weights = np.exp([-float(choice.mechanism.weight * far) for far in every(choice, listed).values()])
        chances.append(weights / weights.sum())
    for first, second in (chances, chances[::-1]):
        ratio = np.log(first / second)
        assert ratio.max() <= float(loss) + 1e-9
        assert float((first * ratio).sum()) <= float(loss) ** 2 / 8 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("shares", ["1/2 9/10", "1/4 1/2 3/4"])
def test_tuples_are_drawn_as_often_as_their_scores_say(shares):
    from scipy.stats import chisquare

    from partita.sampling.bits import TestBits

    choice, values = jointly(shares, Fraction(3), Bounds(0, 2, Fraction(1), nullable=False)), [0, 0, 1, 1, 1, 2]
    far = every(choice, values)
    weights = np.exp([-float(choice.mechanism.weight * away) for away in far.values()])
    bits, rounds = TestBits(11), 2_500
    drawn = Counter(choice.release(histogram(values), bits=bits) for _ in range(rounds))
    expected = rounds * weights / weights.sum()
    seen = np.array([drawn[chosen] for chosen in far])
    rare = expected < 10
    seen, expected = np.append(seen[~rare], seen[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    assert chisquare(seen, expected).pvalue > 1e-6


def test_several_quantiles_are_nearer_than_each_by_itself_at_the_same_price():
    from partita.sampling.bits import TestBits

    values = np.sort(np.random.default_rng(7).integers(0, 100_000, 2_000))
    within, found = Bounds(0, 100_000, Fraction(1), nullable=False), histogram(values)
    bits, shares = TestBits(5), (Fraction(1, 2), Fraction(9, 10))
    exact = np.array([np.quantile(values, float(share)) for share in shares])
    both = jointly("1/2 9/10", within=within)
    apart = [Choice(Value("a"), (share,), within, Exponential(epsilon=Fraction(1, 2))) for share in shares]
    one = np.array([both.release(found, bits=bits) for _ in range(150)]) - exact
    other = np.array([[choice.release(found, bits=bits)[0] for choice in apart] for _ in range(150)]) - exact
    gain = (other**2).mean(axis=0) / (one**2).mean(axis=0)
    assert gain[0] > 1.2
    assert gain[1] > 2
