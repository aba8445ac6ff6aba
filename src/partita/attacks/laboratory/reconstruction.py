"""Reconstruction: too many answers that are too exact give the whole table away (Dinur and Nissim)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from partita.attacks.attack import Attack, Chart, surely
from partita.attacks.cohort import NAME, Cohort, made
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT, most_right
from partita.attacks.victims import Counts, Exposed, Guarded, by_ward, given, protected
from partita.curator.curator import Curator
from partita.errors import BudgetExceeded
from partita.errors import attacks as refuse
from partita.exact import Number, nonnegative, positive, whole
from partita.sampling.bits import BitSource

Floats = NDArray[np.float64]

# At and below this ε, least squares on random subsets must stay near chance (theory G1).
_MODEST = Fraction(5)
_NEAR_CHANCE = 0.60


def least_squares(asked: Floats, answers: Floats) -> Floats:
    """How much of each person every column of answers contains, by least squares."""
    return np.asarray(np.linalg.lstsq(asked, answers, rcond=None)[0], dtype=np.float64)


def linear_programming(asked: Floats, answers: Floats) -> Floats:
    """Shares between zero and one whose subset counts are nearest to the answers, in the sum of absolute errors."""
    from scipy.optimize import linprog

    questions, people = asked.shape
    slack = np.eye(questions)
    limits = np.block([[asked, -slack], [-asked, -slack]])
    costs = np.concatenate([np.zeros(people), np.ones(questions)])
    ranges = [(0, 1)] * people + [(0, None)] * questions
    found = [
        linprog(costs, A_ub=limits, b_ub=np.concatenate([column, -column]), bounds=ranges, method="highs").x[:people]
        for column in answers.T
    ]
    return np.array(found, dtype=np.float64).T


def exhaustive(asked: Floats, answers: Floats) -> Floats:
    """Of all tables there could be, the one whose answers are nowhere far from those given (theory G1a)."""
    people = asked.shape[1]
    tables = (np.arange(2**people)[:, None] >> np.arange(people)) & 1
    counts = tables @ asked.T
    best = [np.abs(counts - column).max(axis=1).argmin() for column in answers.T]
    return tables[best].T.astype(np.float64)


METHODS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "least squares": least_squares,
    "linear programming": linear_programming,
    "exhaustive": exhaustive,
}
# Wards and people of each, so that every method takes a few seconds.
_SIZES = {"least squares": (16, 64), "linear programming": (8, 64), "exhaustive": (32, 8)}
_LARGEST = 12  # people whose tables can all be tried


def reconstruct(
    method: str = "least squares",
    *,
    epsilon: Number = 1,
    people: int | None = None,
    questions: int | None = None,
    error: Number = "0.25",
    among: Cohort | None = None,
    against: Curator | None = None,
    analyst: str = "",
    bits: BitSource | None = None,
) -> Attack:
    """Ask how many of a random subset are present, many times over, and solve for who is (theory G1).

    The unprotected curator answers within ``error`` times the root of the number of people. Against Partita the
    attacker divides the budget evenly over all questions; everybody is in half of them, and pays for those only.
    """
    source = given(bits)
    if method not in METHODS:
        raise refuse.unknown_method(method, tuple(METHODS))
    wards, size = _SIZES[method]
    target = among or made(wards, size if people is None else people, bits=source)
    if method == "exhaustive" and target.people > _LARGEST:
        raise refuse.too_many_to_try(target.people, _LARGEST)
    asked = _subsets(method, target.people, questions, source)
    half_width = float(nonnegative(error, "error")) * target.people**0.5

    def about(counts: Floats) -> Floats:
        uniforms = source.words(counts.size).astype(np.float64) * 2.0**-64
        noisy: Floats = counts + half_width * (2 * uniforms - 1)
        return noisy

    curator = against or protected([target.table()], epsilon, bits=source)
    budget = curator.promises[0].budget
    share = positive(epsilon, "epsilon") / int(asked.sum(axis=0).max())
    there = _answers(by_ward(Exposed({NAME: target.rows()}), target.wards, about), asked, target.wards)
    here = _answers(by_ward(Guarded(curator, analyst=analyst, epsilon=share), target.wards), asked, target.wards)
    lines = {
        name: tuple(
            (float(size), _recovered(METHODS[method], asked[:size], found[:size], target))
            for size in _steps(len(found))
        )
        for name, found in ((WITHOUT, there), (AGAINST, here))
    }
    most = most_right(budget)
    modest = positive(epsilon, "epsilon") <= _MODEST
    allowed = min(most, _NEAR_CHANCE) if modest else most
    total = target.present.size
    ends = (float(len(there)),)
    won = lines[AGAINST][-1][1] if lines[AGAINST] else 0.5
    return Attack(
        name=f"reconstruction by {method}{' search' if method == 'exhaustive' else ''}",
        aim=f"say of each of {total} people whether they are in the table, from {len(asked)} counts of random subsets",
        criterion=f"At least 95% of the people; near chance (at most {allowed:.0%}) is allowed (theory G1).",
        statistic="share of people placed right",
        without=lines[WITHOUT][-1][1],
        against=won,
        surely=surely(round(won * total), total),
        needed=0.95,
        allowed=allowed,
        chart=Chart(
            "questions answered",
            "people placed right",
            {
                **{name: points for name, points in lines.items() if points},
                ALLOWED: ((0.0, allowed), (ends[0], allowed)),
                BLIND: ((0.0, 0.5), (ends[0], 0.5)),
            },
        ),
        notes=(f"{len(here)} of {len(asked)} questions were answered, at ε = {float(share):.3g} each.",),
    )


def _subsets(method: str, people: int, questions: int | None, source: BitSource) -> Floats:
    if method == "exhaustive" and questions is None:
        every = (np.arange(1, 2**people)[:, None] >> np.arange(people)) & 1
        return every.astype(np.float64)
    count = whole(4 * people if questions is None else questions, "questions", least=1)
    words = source.words(count * people).reshape(count, people)
    drawn = (words >> np.uint64(63)).astype(np.float64)
    drawn[drawn.sum(axis=1) == 0, 0] = 1  # nobody is a subset that no question can name
    return drawn


def _answers(ask: Counts, asked: Floats, wards: int) -> Floats:
    """One line of answers for each question, one number a ward, until the first refusal for want of budget."""
    found = []
    for line in asked:
        listed = ", ".join(map(str, np.flatnonzero(line)))
        question = f"SELECT ward, COUNT(*) AS n FROM {NAME} WHERE person IN ({listed}) GROUP BY ward"
        try:
            found.append(ask(question))
        except BudgetExceeded:
            break
    return np.array(found, dtype=np.float64).reshape(len(found), wards)


def _recovered(solve: Callable[[Floats, Floats], Floats], asked: Floats, answers: Floats, target: Cohort) -> float:
    return float(np.mean((solve(asked, answers) > 0.5) == target.present.T))


def _steps(most: int) -> list[int]:
    return sorted({max(1, most * step // 8) for step in (1, 2, 4, 8)}) if most else []
