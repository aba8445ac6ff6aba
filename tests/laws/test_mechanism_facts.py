"""What mechanisms say of themselves is true: of each of them, whatever its parameters are."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.plans.straight import law_of
from partita.errors import PartitaError
from partita.granularity import Relation
from partita.mechanisms.family import family, home_of
from partita.mechanisms.strength import Setting, Strength
from partita.theory.distance import Distance, Norm
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.laws.mechanism_family import MAKERS

noises = st.fractions(min_value=Fraction(1, 3), max_value=50, max_denominator=40)
every_kind = pytest.mark.parametrize("kind", sorted(MAKERS))
LEAK = Fraction(1, 10**6)
AROUND = {
    "subsampled": {"mechanism": family()["gaussian"], "rate": "0.1"},
    "shuffled": {"mechanism": family()["randomized_response"], "people": 1},
}


def distance(mechanism, length):
    return Distance(mechanism.norm, Fraction(length) ** (2 if mechanism.norm is Norm.L2 else 1))


def loss(mechanism):
    """The first measure that prices it, as one number."""
    for measure in (Pure, ZCDP):
        try:
            return measure, mechanism.cost(mechanism.unit(), measure).vector()[0]
        except PartitaError:
            continue
    return None, mechanism.closed_forms(mechanism.unit())[0].vector()[0]


@pytest.mark.parametrize("kind", sorted(kind for kind, one in family().items() if one.law_family is not None))
@settings(max_examples=40)
@given(noise=noises, power=st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60))
def test_a_parameter_read_in_floats_is_that_of_the_pair_rounded_up(kind, noise, power):
    mechanism = MAKERS[kind](noise)
    for at, read in ((Fraction(1), mechanism.parameter(None)), (power, mechanism.parameter(power))):
        if read is None:
            continue
        pair = mechanism.pair(Distance(mechanism.norm, at))
        law = type(mechanism).law_family(math.nextafter(read, math.inf))
        assert pair.symmetric
        assert type(pair.remove) is type(law)
        for epsilon in (0.0, 0.5, 2.0):
            assert law.delta(epsilon) >= pair.delta(epsilon) * (1 - 1e-9)
    if mechanism.parameter(None) is not None:
        assert law_of(mechanism) is not None


@every_kind
@settings(max_examples=15)
@given(noise=noises, length=st.integers(1, 3))
def test_a_word_is_heard_as_a_release_that_loses_no_less(kind, noise, length):
    mechanism = MAKERS[kind](noise)
    at = distance(mechanism, length)
    word = mechanism.said(at)
    if word is None:
        return
    heard = home_of(word).heard(word)
    assert heard.mechanism.relations <= mechanism.relations
    own, other = mechanism.pair(at), heard.mechanism.pair(heard.distance)
    for epsilon in (0.0, 0.3, 1.0, 4.0):
        assert other.delta(epsilon) >= own.delta(epsilon) * (1 - 1e-9) - 1e-12


def test_every_word_has_one_home():
    words = [one.word for one in family().values() if one.word is not None]
    assert len(words) == len(set(words)) == 5


@pytest.mark.parametrize("kind", sorted(kind for kind, one in family().items() if one.strength is not None))
def test_the_stronger_the_less_noise(kind):
    rest = AROUND.get(kind, {})
    made = [family()[kind].of_strength(Fraction(s), Setting(rest, LEAK)) for s in ("0.2", "0.5", "1", "2")]
    losses = [loss(one) for one in made]
    assert len({measure for measure, _ in losses}) == 1
    assert [number for _, number in losses] == sorted({number for _, number in losses})


@pytest.mark.parametrize("kind", sorted(kind for kind, one in family().items() if one.strength is not None))
def test_a_strength_is_about_the_loss_of_one_release(kind):
    one = family()[kind]
    rest = {**AROUND[kind], "mechanism": family()["laplace"]} if kind in AROUND else {}
    made = one.of_strength(Fraction(1, 2), Setting(rest, LEAK))
    form = {type(found): found for found in made.closed_forms(made.unit())}
    if GDP in form and one.strength is Strength.MU:
        assert float(form[GDP].mu) == pytest.approx(0.5)
    elif one.strength is Strength.MU:
        assert float(form[ZCDP].rho) == pytest.approx(0.125)
    elif kind == "exponential":
        assert float(form[ZCDP].rho) == pytest.approx(0.125)  # the ρ of ε = 1/2 without a bounded range
    else:
        assert float(next(found for found in form.values() if hasattr(found, "epsilon")).epsilon) == pytest.approx(0.5)


@every_kind
def test_a_part_of_delta_is_needed_by_those_that_leak_alone(kind):
    one = family()[kind]
    if one.strength is None or kind in AROUND:
        return
    if one.leaks:
        with pytest.raises(PartitaError, match="δ"):
            one.of_strength(Fraction(1), Setting({}))
    else:
        one.of_strength(Fraction(1), Setting({}))


@every_kind
def test_those_that_take_a_relation_are_proven_for_that_one(kind):
    mechanism = MAKERS[kind](Fraction(2))
    assert mechanism.takes_relation == (hasattr(mechanism, "relation"))
    if mechanism.takes_relation:
        assert mechanism.relations == {mechanism.relation}


@every_kind
@settings(max_examples=10)
@given(noise=noises, length=st.integers(1, 3))
def test_a_shift_is_the_whole_loss(kind, noise, length):
    mechanism = MAKERS[kind](noise)
    at = distance(mechanism, length)
    shift = mechanism.shift(at)
    if shift is not None:
        assert mechanism.cost(at, GDP) == GDP.from_squared(shift)
        assert mechanism.cost(at, ZCDP).rho == shift / 2


@every_kind
def test_the_audit_of_a_mechanism_is_under_relations_that_it_claims(kind):
    trials = list(family()[kind].trials())
    assert trials
    assert all(trial.claims and trial.relation in Relation for trial in trials)
