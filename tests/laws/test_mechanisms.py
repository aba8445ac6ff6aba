"""Properties that every mechanism of the family has."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partita.composition.guarantees.compose import compose
from partita.errors import PartitaError
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import LEAST, Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.laws.mechanism_family import AROUND, KINDS, MAKERS
from tests.refusals import taken

MEASURES = [Pure, ZCDP, GDP, Renyi]
noises = st.fractions(min_value=Fraction(1, 3), max_value=50, max_denominator=40)
lengths = st.integers(1, 4)
losses = st.floats(-3, 6)

every_kind = pytest.mark.parametrize("kind", sorted(MAKERS))
# Those whose pair is the exact curve of some neighbours, not only a bound on it.
EXACT = sorted(
    kind
    for kind, made in MAKERS.items()
    if kind != "subsampled" and made(Fraction(2)).is_exact(made(Fraction(2)).unit())
)


def distance(mechanism, length):
    return Distance(mechanism.norm, Fraction(length) ** (2 if mechanism.norm is Norm.L2 else 1))


def priced(mechanism, at, measure, **options):
    """The cost, or nothing where no theorem gives one."""
    try:
        return mechanism.cost(at, measure, **options)
    except PartitaError:
        return None


def curve(mechanism, at):
    try:
        return mechanism.pair(at)
    except PartitaError:
        return None


def test_every_mechanism_is_tried():
    assert set(MAKERS) == set(KINDS)
    assert EXACT == ["discrete_gaussian", "gaussian", "geometric", "laplace", "randomized_response"]


@every_kind
@settings(max_examples=12)
@given(noise=noises, near=lengths, far=lengths, epsilon=losses)
def test_neighbours_further_apart_never_cost_less(kind, noise, near, far, epsilon):
    mechanism = MAKERS[kind](noise)
    near, far = sorted((near, far))
    close, wide = distance(mechanism, near), distance(mechanism, far)
    for measure in MEASURES:
        less, more = priced(mechanism, close, measure), priced(mechanism, wide, measure)
        assert less is None or more is None or less.fits(more)
    curves = curve(mechanism, close), curve(mechanism, wide)
    if None not in curves and type(curves[0].remove) is type(curves[1].remove):
        assert curves[0].delta(epsilon) <= curves[1].delta(epsilon) * (1 + 1e-9) + 1e-12


@every_kind
@settings(max_examples=12)
@given(noise=noises, more=noises, length=lengths, epsilon=losses)
def test_more_noise_never_costs_more(kind, noise, more, length, epsilon):
    noise, more = sorted((noise, more))
    loud, quiet = MAKERS[kind](more), MAKERS[kind](noise)
    at = distance(loud, length)
    # More noise at the same threshold lets more keys through by chance: that part of the cost may grow.
    coordinates = 1 if kind.endswith("_threshold") else None
    for measure in MEASURES:
        less, much = priced(loud, at, measure), priced(quiet, at, measure)
        if less is not None and much is not None:
            pairs = zip(less.vector()[:coordinates], much.vector()[:coordinates], strict=True)
            assert all(mine <= theirs for mine, theirs in pairs)
    curves = curve(loud, at), curve(quiet, at)
    if None not in curves and coordinates is None:
        assert curves[0].delta(epsilon) <= curves[1].delta(epsilon) * (1 + 1e-9) + 1e-12


@every_kind
@settings(max_examples=12)
@given(noise=noises, length=lengths)
def test_a_pure_cost_is_never_below_the_largest_loss_of_the_pair(kind, noise, length):
    mechanism = MAKERS[kind](noise)
    at = distance(mechanism, length)
    pure, pair = priced(mechanism, at, Pure), curve(mechanism, at)
    if pure is not None and pair is not None:
        for _, law in pair.directions():
            assert law.maximum <= float(pure.epsilon) * (1 + 1e-12)
            assert law.infinity == 0


@pytest.mark.parametrize("kind", EXACT)
@settings(max_examples=25)
@given(noise=noises, epsilon=losses)
def test_no_closed_form_is_below_the_exact_curve(kind, noise, epsilon):
    mechanism = MAKERS[kind](noise)
    at = distance(mechanism, 1)
    true = mechanism.pair(at).delta(epsilon)
    for form in mechanism.closed_forms(at):
        if epsilon >= 0 or isinstance(form, Pure | GDP):
            assert float(form.delta_at(Fraction(epsilon))) >= true * (1 - 1e-9) - 1e-12


@settings(max_examples=15)
@given(noise=st.fractions(min_value=Fraction(1, 2), max_value=5, max_denominator=10), epsilon=st.floats(0, 6))
def test_no_closed_form_of_a_sampled_gaussian_is_below_its_exact_curve(noise, epsilon):
    mechanism = MAKERS["subsampled"](noise)
    true = mechanism.pair(Distance.l2(1)).delta(epsilon)
    for form in mechanism.closed_forms(Distance.l2(1)):
        assert float(form.delta_at(Fraction(epsilon))) >= true * (1 - 1e-9) - 1e-12


@every_kind
@settings(max_examples=10)
@given(noise=noises, k=st.integers(1, 4))
def test_a_group_is_priced_by_its_distance_and_never_above_the_rule_for_groups(kind, noise, k):
    mechanism = MAKERS[kind](noise)
    if not mechanism.group_by_distance:
        return
    one = mechanism.unit()
    for measure in (Pure, ZCDP, GDP):
        single, group = priced(mechanism, one, measure), priced(mechanism, one.times(k), measure)
        try:
            rule = single.group(k) if single is not None else None
        except PartitaError:
            continue
        if rule is not None and group is not None:
            # Each side is rounded up, by less than 2^-60.
            slack = [part * (1 + Fraction(1, 2**55)) for part in rule.vector()]
            assert all(mine <= theirs for mine, theirs in zip(group.vector(), slack, strict=True))
            if measure is Pure:
                assert group == rule


@every_kind
@settings(max_examples=10)
@given(noise=noises, length=lengths)
def test_a_stated_cost_is_never_worse_than_a_conversion(kind, noise, length):
    mechanism = MAKERS[kind](noise)
    forms = mechanism.closed_forms(distance(mechanism, length))
    for form in forms:
        for other in forms:
            try:
                converted = convert(other, type(form))
            except PartitaError:
                continue
            slack = [part * (1 + Fraction(1, 2**50)) for part in converted.vector()]
            assert all(mine <= theirs for mine, theirs in zip(form.vector(), slack, strict=True))


@every_kind
def test_nobody_loses_anything_at_distance_zero(kind):
    mechanism = MAKERS[kind](Fraction(2))
    nowhere = Distance(mechanism.norm, Fraction(0))
    for measure in (*MEASURES, Approximate, Profile):
        assert mechanism.cost(nowhere, measure).is_zero()
    assert mechanism.pair(nowhere).delta(0.0) == 0
    assert [form.is_zero() for form in mechanism.closed_forms(nowhere)] == [True]


@every_kind
@settings(max_examples=8)
@given(noise=noises, delta=st.sampled_from(["1e-9", "1e-6", "1e-3"]))
def test_an_approximate_cost_holds_on_the_curve_it_was_read_from(kind, noise, delta):
    mechanism = MAKERS[kind](noise)
    at = mechanism.unit()
    cost = priced(mechanism, at, Approximate, delta=delta)
    if cost is None:
        return
    assert cost.delta == Fraction(delta)
    readings = [float(form.delta_at(cost.epsilon)) for form in mechanism.closed_forms(at)]
    readings.append(mechanism.pair(at).delta(math.nextafter(float(cost.epsilon), math.inf)))
    if kind != "gaussian_threshold":
        assert min(readings) <= float(delta) * (1 + 1e-9)


@pytest.mark.parametrize("noise", [GaussianNoise(sigma=10**6), Laplace(scale=10**6)], ids=["gaussian", "laplace"])
def test_where_a_curve_needs_no_epsilon_a_little_is_told_all_the_same(noise):
    """A loss of ε = 0 beside a δ is not accepted (theory B25), however honest the mechanism is."""
    cost = noise.cost(noise.unit(), Approximate, delta="0.01")
    assert (cost.epsilon, cost.delta) == (LEAST, Fraction(1, 100))
    assert noise.pair(noise.unit()).delta(0.0) <= 0.01
    together = compose([(noise, 2)], delta="0.01").loss()
    assert 0 < together.epsilon <= 2 * Fraction(1, 10**6)


@every_kind
def test_a_profile_is_the_curve_of_the_pair(kind):
    mechanism = MAKERS[kind](Fraction(2))
    profile = mechanism.cost(mechanism.unit(), Profile)
    assert profile.pair == mechanism.pair(mechanism.unit())


@every_kind
@pytest.mark.parametrize("wrong", [1, "1", None, 0.5, float("nan"), [1]])
def test_a_bare_number_is_no_distance(kind, wrong):
    mechanism = MAKERS[kind](Fraction(2))
    for call in (mechanism.pair, mechanism.closed_forms, lambda d: mechanism.cost(d, Pure), mechanism.at):
        with pytest.raises(PartitaError, match="does not say in which norm"):
            call(wrong)


@every_kind
def test_a_distance_in_another_norm_is_refused(kind):
    mechanism = MAKERS[kind](Fraction(2))
    for norm in set(Norm) - {mechanism.norm}:
        with pytest.raises(PartitaError, match="calibrated to a distance in"):
            mechanism.cost(Distance(norm, Fraction(1)), Pure)
        with pytest.raises(PartitaError, match="calibrated to a distance in"):
            mechanism.pair(Distance(norm, Fraction(1)))


@every_kind
@pytest.mark.parametrize("wrong", [None, "Pure", float, Pure(epsilon=1)])
def test_a_cost_needs_a_measure(kind, wrong):
    mechanism = MAKERS[kind](Fraction(2))
    with pytest.raises(PartitaError, match="is not a measure"):
        mechanism.cost(mechanism.unit(), wrong)


@every_kind
def test_a_delta_that_is_none_is_refused(kind):
    mechanism = MAKERS[kind](Fraction(2))
    wrong = [float("nan"), float("inf"), -1, 1, 2, "x", True, []]
    assert taken(lambda delta: mechanism.cost(mechanism.unit(), Approximate, delta=delta), wrong) == []


@every_kind
def test_only_an_approximate_cost_takes_a_delta(kind):
    mechanism = MAKERS[kind](Fraction(2))
    with pytest.raises(PartitaError, match="takes neither"):
        mechanism.cost(mechanism.unit(), ZCDP, delta="1e-6")


@every_kind
@given(noise=noises)
def test_the_parameters_are_enough_to_make_it_again(kind, noise):
    mechanism = MAKERS[kind](noise)
    text = mechanism.parameters()
    assert all(isinstance(name, str) and isinstance(value, str) for name, value in text.items())
    if kind not in AROUND:
        assert type(mechanism)(**text) == mechanism
    assert hash(mechanism) == hash(MAKERS[kind](noise))


@every_kind
@settings(max_examples=8)
@given(
    noise=noises, confidence=st.floats(0.05, 0.999999), more=st.floats(0.05, 0.999999), entries=st.integers(1, 10**6)
)
def test_more_confidence_and_more_entries_need_a_wider_interval(kind, noise, confidence, more, entries):
    mechanism = MAKERS[kind](noise)
    confidence, more = sorted((confidence, more))
    narrow = mechanism.error(confidence, 1)
    assert 0 <= narrow <= mechanism.error(more, 1)
    assert narrow <= mechanism.error(confidence, entries)


@every_kind
def test_a_confidence_that_is_none_is_refused(kind):
    wrong = [0, 1, -1, 2, float("nan"), float("inf"), "x", None, True]
    assert taken(MAKERS[kind](Fraction(2)).error, wrong) == []


@every_kind
def test_a_number_of_entries_that_is_none_is_refused(kind):
    mechanism, wrong = MAKERS[kind](Fraction(2)), [0, -1, 1.5, float("nan"), "x", None, True]
    assert taken(lambda entries: mechanism.error(0.9, entries), wrong) == []


@pytest.mark.parametrize("kind", sorted(MAKERS))
@given(noise=noises, huge=st.sampled_from([Fraction(10) ** 400, Fraction(1, 10**400)]))
@settings(max_examples=4)
def test_extreme_parameters_give_a_bound_or_a_refusal_of_ours(kind, noise, huge):
    mechanism = MAKERS[kind](noise * huge) if kind != "subsampled" else MAKERS[kind](max(noise * huge, Fraction(1)))
    assume(mechanism)
    for measure in MEASURES:
        loss = priced(mechanism, mechanism.unit(), measure)
        assert loss is None or all(part > 0 for part in loss.vector()[:1])
    pair = curve(mechanism, mechanism.unit())
    assert pair is None or 0 <= pair.delta(1.0) <= 1


@pytest.mark.parametrize("kind", sorted(kind for kind in MAKERS if issubclass(KINDS[kind], AdditiveNoise)))
@pytest.mark.parametrize("noise", ["1/10", "1/2", "3", "40"])
@pytest.mark.parametrize("entries", [1, 7, 1000])
def test_the_error_of_additive_noise_is_the_least_that_keeps_its_word(kind, noise, entries):
    from tests.laws.noise_tails import beyond

    mechanism = MAKERS[kind](Fraction(noise))
    for confidence in (0.5, 0.95, 0.999):
        width = int(mechanism.error(confidence, entries))
        kept = [(1 - beyond(kind, float(Fraction(noise)), h)) ** entries for h in (width, width - 1)]
        assert kept[0] >= confidence * (1 - 1e-12)
        assert width == 0 or kept[1] < confidence
