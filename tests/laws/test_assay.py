"""The assay agrees with the reference engine, is silent where enough is claimed, and hears a little too little."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partita.assay.assay import Claim, assay
from partita.assay.release import Reading
from partita.assay.rows import Row
from partita.curator.path.opinion import EFFORT, released
from partita.engine.reference import record, tallied, written
from partita.query.exact.program import Values
from partita.query.noise.quote import Quote
from tests.laws.assaying import CAPPED, MEASURES, QUESTIONS, UNITS, assayed, claims, quoted

DAYS = ("2024-02-27", "2024-02-29", "2024-03-01")
ROWS = st.fixed_dictionaries(
    {
        "who": st.sampled_from([1, 2, None]),
        "a": st.sampled_from([-9, -2, 0, 1, 3, 2.5, None, "many", float("nan")]),
        "b": st.sampled_from([0, 1, 2, 7, None]),
        "c": st.sampled_from([0, 0.5, 0.26, 1, -3]),
        "d": st.sampled_from(["x", "y", "z", None]),
        "f": st.sampled_from(DAYS),
        "t": st.sampled_from(["u", "v", None]),
    }
)
ALL = [(question, unit) for question in QUESTIONS for unit in ("rows", "owners", "days of owners")]


@given(st.sampled_from(ALL), st.sampled_from(["ε", "ρ", "(ε, δ)"]), st.lists(ROWS, max_size=6))
@settings(max_examples=250, deadline=None)
def test_what_rows_come_to_is_what_the_reference_engine_says(
    asked: tuple[str, str], measure: str, stored: list[dict[str, Any]]
) -> None:
    question = quoted(*asked, measure)
    assume(question is not None)
    assert question is not None
    assert _numbers_of(question, _made_up(question, stored)) == _reference_numbers_of(question, stored)


def _made_up(question: Quote, stored: list[dict[str, Any]]) -> list[Row]:
    """The same rows, ordered as the fixed truncation orders them."""
    table, cap = question.program.table, question.program.truncation
    found = [record(table, row) for row in stored]
    places = [str(place) if cap is None else cap.place(written(one, table.domain)) for place, one in enumerate(found)]
    order = {place: number for number, place in enumerate(sorted(set(places)))}
    return [
        Row(one.codes, one.owner, one.texts, order[place])  # type: ignore[arg-type]
        for one, place in zip(found, places, strict=True)
    ]


def _numbers_of(question: Quote, rows: list[Row]) -> dict[Any, Any]:
    reading = Reading(released(question))
    outcome = reading.outcome(rows)
    every = frozenset(line[0] for line in outcome.numbers) if question.program.opened else None
    numbers, histograms = reading.lines(outcome, every)
    shown: dict[Any, Any] = {line: mine for line, mine in numbers.items() if any(mine)}
    shown |= {key: dict(times) for key, times in histograms.items()}
    return shown | {("people", key): count for key, count in reading.crowd(outcome).items()}


def _reference_numbers_of(question: Quote, stored: list[dict[str, Any]]) -> dict[Any, Any]:
    program = question.program
    tallies = tallied(program, stored)
    texts, cells = len(program.opened), program.cells.listed
    extra = texts + 1 if texts else 0
    exact = question.exact(tallies[:, extra:])
    shown: dict[Any, Any] = {}
    for place, (line, found) in enumerate(zip(tallies, exact, strict=True)):
        key = (tuple(line[:texts]), cells[place % len(cells)])
        if any(found):
            shown[key] = [int(number) for number in found]
        for at, choice in enumerate(question.offer.choices):
            times = line[extra + program.tallies.index(Values(choice.of))]
            if len(times.values):
                shown[key, at] = dict(zip(times.values.tolist(), times.counts.tolist(), strict=True))
        if texts and None not in key[0]:
            shown["people", key[0]] = int(line[texts])
    return shown


CORPUS = [
    (question, unit, measure)
    for place, (question, unit) in enumerate(product(QUESTIONS, UNITS))
    for measure in [list(MEASURES)[(place + place // len(UNITS)) % len(MEASURES)]]
]


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_is_claimed_too_low(unit: str) -> None:
    asked = [one for one in CORPUS if one[1] == unit]
    quotes = [found for one in asked if (found := quoted(*one)) is not None]
    assert len(quotes) > len(asked) // 2
    assert [str(short) for one in quotes if (short := assayed(one, effort=80)) is not None] == []


@pytest.mark.parametrize("unit", CAPPED)
def test_nothing_is_claimed_too_low_where_a_question_has_caps(unit: str) -> None:
    quotes = [quoted(question, unit, "ρ", caps=CAPPED[unit]) for question in QUESTIONS]
    found = [one for one in quotes if one is not None]
    assert len(found) > len(quotes) // 2
    assert [str(short) for one in found if (short := assayed(one, effort=80)) is not None] == []


SHARP = [
    ("SELECT COUNT(*) AS n FROM things WHERE a > 1", "rows"),
    ("SELECT COUNT(*) AS n FROM things WHERE a > b", "change-one"),
    ("SELECT d, COUNT(*) AS n FROM things GROUP BY d", "change-one"),
    ("SELECT SUM(a) AS s FROM things", "rows"),
    ("SELECT SUM(a) AS s FROM things", "change-one"),
    ("SELECT SUM(b) AS s FROM things WHERE b > 0", "change-one"),
    ("SELECT SUM(a * b) AS s, SUM(c) AS v FROM things WHERE d = 'x'", "three rows"),
    ("SELECT AVG(b) AS v FROM things", "change-one"),
    ("SELECT VAR_POP(b) AS v FROM things", "rows"),
    ("SELECT COVAR_POP(a, b) AS v FROM things", "owners"),
    ("SELECT COUNT(*) AS n FROM things WHERE a > 1", "owners"),
    ("SELECT SUM(b - 1) AS s FROM things", "altered owners"),
    ("SELECT SUM(a) AS s FROM things", "two owners"),
    ("SELECT COUNT(DISTINCT who) AS v FROM things", "owners"),
    ("SELECT COUNT(*) AS n FROM things WHERE a > 1", "days of owners"),
    ("SELECT COUNT(*) AS n FROM things", "windows"),
    ("SELECT SUM(a) AS s FROM things", "rows beside owners"),
    ("SELECT MEDIAN(b) AS v FROM things", "rows"),
    ("SELECT t, COUNT(*) AS n FROM things GROUP BY t", "change-one"),
]


@pytest.mark.parametrize(("question", "unit"), SHARP)
def test_one_part_in_a_thousand_too_little_is_found(question: str, unit: str) -> None:
    asked = quoted(question, unit, "ρ")
    assert asked is not None
    shrunk = [_less(claim, Fraction(999, 1000)) for claim in claims([asked])]
    assert assay([released(asked)], claims([asked]), effort=400, seed="") is None
    assert assay([released(asked)], shrunk, effort=400, seed="") is not None


def _less(claim: Claim, share: Fraction) -> Claim:
    one, both, same = (tuple(share * part for part in parts) for parts in (claim.one, claim.substitution, claim.same))
    return replace(claim, one=one, substitution=both, same=same)


def test_rows_of_an_owner_are_tried_at_every_threshold_of_what_is_derived_from_them() -> None:
    """An owner's sixth row takes a value away, so what a change of owner costs hangs on how many rows they have."""
    derived = "(SELECT who, LEAST(COUNT(*), 9) AS n FROM things GROUP BY who)"
    question = f"SELECT SUM(CASE WHEN n < 5 THEN 0 WHEN n < 6 THEN 1 END + 1000) AS s FROM {derived}"
    asked = quoted(question, "change-one", "ρ")
    assert asked is not None
    # A change between two owners moves 0 to 2001, however many thousands one row moves.
    mechanism = asked.offer.parts[0].mechanism
    enough = Fraction(2001**2) / (2 * mechanism.sigma**2)  # type: ignore[attr-defined]
    (claim,) = claims([asked])
    amounts = (enough, Fraction(0))
    whole = replace(claim, one=amounts, substitution=amounts, same=amounts)
    assert assay([released(asked)], [whole], effort=EFFORT, seed="") is None
    assert assay([released(asked)], [_less(whole, Fraction(999, 1000))], effort=EFFORT, seed="") is not None
