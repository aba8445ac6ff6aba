from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import partita as pt
import partita.theory.measures as folder
from partita.registry import members
from partita.theory.conversions import pure_to_mu, pure_to_rho, pure_to_tau
from partita.theory.documents import from_document, to_document
from partita.theory.measures.base import Measure
from partita.theory.measures.renyi import ORDERS, Renyi
from tests.sizes import tried

mpmath.mp.dps = 60

amounts = st.fractions(min_value=Fraction(1, 10**6), max_value=12, max_denominator=10**7)
deltas = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 10), max_denominator=10**12)
shares = st.fractions(min_value=0, max_value=1, max_denominator=10**4)
epsilons = st.fractions(min_value=0, max_value=20, max_denominator=10**5)

pures = st.builds(lambda e: pt.Pure(epsilon=e), amounts)
approximates = st.builds(lambda e, d: pt.Approximate(epsilon=e, delta=d), amounts, deltas)
zcdps = st.builds(lambda r, d: pt.ZCDP(rho=r, delta=d), amounts, st.one_of(st.just(Fraction(0)), deltas))
gdps = st.builds(lambda m: pt.GDP(mu=m), amounts)
renyis = st.builds(lambda r: pt.convert(pt.ZCDP(rho=r), to=Renyi), amounts)
FAMILY = {"pure": pures, "approximate": approximates, "zcdp": zcdps, "gdp": gdps, "renyi": renyis}
ADDITIVE = sorted(FAMILY)
each = pytest.mark.parametrize("kind", ADDITIVE)
pytestmark = pytest.mark.soak
examples = settings(max_examples=tried(40, soaking=2000))


def test_every_additive_measure_of_the_family_is_held_to_these_laws() -> None:
    assert set(members(Measure, folder)) - {"profile"} == set(FAMILY)


@each
@examples
@given(data=st.data())
def test_losses_add_in_any_order_and_zero_adds_nothing(kind: str, data: st.DataObject) -> None:
    a, b, c = (data.draw(FAMILY[kind]) for _ in range(3))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + a.zero() == a
    assert a.times(3) == a + a + a


@each
@examples
@given(data=st.data())
def test_a_loss_fits_what_is_more_and_not_what_is_less(kind: str, data: st.DataObject) -> None:
    a, b = data.draw(FAMILY[kind]), data.draw(FAMILY[kind])
    assert a.fits(a + b)
    assert not (a + b).fits(a)
    assert (a + b).left_after(b) == a


@each
@examples
@given(data=st.data(), epsilon=epsilons)
def test_more_loss_never_means_less_delta(kind: str, data: st.DataObject, epsilon: Fraction) -> None:
    a, b = data.draw(FAMILY[kind]), data.draw(FAMILY[kind])
    # A search for the best order may stop a little short; the formula at any order is a bound.
    assert (a + b).delta_at(epsilon) >= a.delta_at(epsilon) * (1 - Fraction(1, 10**6))


@each
@examples
@given(data=st.data(), delta=deltas)
def test_epsilon_at_delta_reads_back_within_delta(kind: str, data: st.DataObject, delta: Fraction) -> None:
    a = data.draw(FAMILY[kind])
    carried = getattr(a, "delta", Fraction(0))
    wanted = carried + delta
    if wanted < 1:
        assert a.delta_at(a.epsilon_at(wanted)) <= wanted * (1 + Fraction(1, 10**6))


@each
@examples
@given(data=st.data(), fpr=shares)
def test_the_trade_off_lies_between_nothing_and_guessing(kind: str, data: st.DataObject, fpr: Fraction) -> None:
    a = data.draw(FAMILY[kind])
    assert 0 <= a.false_negatives(fpr) <= 1 - fpr
    assert 0 <= a.advantage() <= 1
    # No point of the curve beats the advantage.
    assert 1 - a.false_negatives(fpr) - fpr <= a.advantage() + Fraction(1, 10**6)


@pytest.mark.parametrize("kind", ["pure", "approximate", "gdp"])
@examples
@given(data=st.data(), epsilon=epsilons)
def test_a_conversion_never_promises_more_than_its_exact_source(
    kind: str, data: st.DataObject, epsilon: Fraction
) -> None:
    a = data.draw(FAMILY[kind])
    for target in (pt.ZCDP, pt.Renyi, pt.GDP, pt.Pure):
        try:
            b = pt.convert(a, to=target)
        except pt.NotProven:
            continue
        assert b.delta_at(epsilon) >= a.delta_at(epsilon)
        assert b.false_negatives(Fraction(1, 100)) <= a.false_negatives(Fraction(1, 100))


@examples
@given(rho=amounts, epsilon=epsilons)
def test_a_gaussian_is_never_above_the_concentrated_bound(rho: Fraction, epsilon: Fraction) -> None:
    assert pt.GDP.from_squared(2 * rho).delta_at(epsilon) <= pt.ZCDP(rho=rho).delta_at(epsilon)


@pytest.mark.parametrize("kind", ["pure", "approximate", "gdp", "zcdp"])
@examples
@given(data=st.data(), k=st.integers(1, 5), m=st.integers(1, 4))
def test_a_group_of_groups_is_a_group(kind: str, data: st.DataObject, k: int, m: int) -> None:
    a = data.draw(FAMILY[kind])
    try:
        whole, parts = a.group(k * m), a.group(k).group(m)
    except pt.NotProven:
        return
    assert a.group(1) == a
    assert all(abs(x - y) <= max(x, y) / 10**15 for x, y in zip(whole.vector(), parts.vector(), strict=True)), (
        whole,
        parts,
    )


REFUSED = {
    ("zcdp", "pure"),
    ("zcdp", "gdp"),
    ("renyi", "pure"),
    ("renyi", "zcdp"),
    ("renyi", "gdp"),
    ("gdp", "pure"),
}
SAMPLES: dict[str, Measure] = {
    "pure": pt.Pure(epsilon=1),
    "approximate": pt.Approximate(epsilon=1, delta=0),
    "zcdp": pt.ZCDP(rho=1),
    "gdp": pt.GDP(mu=1),
    "renyi": pt.Renyi(order=8, tau=1),
}
CLASSES = {kind: type(sample) for kind, sample in SAMPLES.items()}


@pytest.mark.parametrize(("source", "target"), [*product(ADDITIVE, ["pure", "zcdp", "gdp", "renyi"])])
def test_a_direction_is_proven_or_refused_with_its_reason(source: str, target: str) -> None:
    if (source, target) in REFUSED:
        with pytest.raises(pt.NotProven, match="does not give"):
            pt.convert(SAMPLES[source], to=CLASSES[target])
    else:
        assert isinstance(pt.convert(SAMPLES[source], to=CLASSES[target]), CLASSES[target])


@pytest.mark.parametrize("target", ["pure", "renyi", "gdp"])
def test_a_loss_that_carries_delta_is_not_read_as_one_that_does_not(target: str) -> None:
    for loss in (pt.Approximate(epsilon=1, delta="1e-6"), pt.ZCDP(rho=1, delta="1e-6")):
        with pytest.raises(pt.NotProven):
            pt.convert(loss, to=CLASSES[target])


def test_concentrated_loss_is_not_gaussian_loss() -> None:
    """Theory B12: randomised response at ε = 1 would contradict it."""
    response = pt.Pure(epsilon=1)
    rho = pt.convert(response, to=pt.ZCDP).rho
    fpr = Fraction("0.2689")
    assert response.false_negatives(fpr) < pt.GDP.from_squared(2 * rho).false_negatives(fpr) - Fraction("0.09")


@examples
@given(epsilon=amounts)
def test_pure_conversions_are_rounded_up_and_tight(epsilon: Fraction) -> None:
    e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    for computed, true in [
        (pure_to_rho(epsilon), e * mpmath.tanh(e / 2)),
        (pure_to_mu(epsilon), 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(e / 2))),
        *[
            (
                pure_to_tau(epsilon, order),
                e - mpmath.log((1 + mpmath.exp(-e)) / (1 + mpmath.exp(-(2 * a - 1) * e))) / (a - 1),
            )
            for order in ORDERS[::8]
            for a in [mpmath.mpf(order.numerator) / order.denominator]
        ],
    ]:
        value = mpmath.mpf(computed.numerator) / computed.denominator
        assert true <= value <= true * (1 + mpmath.mpf(2) ** -58)


@examples
@given(
    mu=st.fractions(min_value=Fraction(1, 100), max_value=12, max_denominator=1000),
    epsilon=st.fractions(min_value=-5, max_value=40, max_denominator=1000),
)
def test_the_gaussian_profile_is_rounded_up_and_tight_deep_in_the_tail(mu: Fraction, epsilon: Fraction) -> None:
    assume(epsilon < 25 * mu)
    m, e = (mpmath.mpf(x.numerator) / x.denominator for x in (mu, epsilon))
    with mpmath.workdps(350):
        true = mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)
        computed = pt.GDP(mu=mu).delta_at(epsilon)
        value = mpmath.mpf(computed.numerator) / computed.denominator
        assert true <= value <= true * (1 + mpmath.mpf(2) ** -55)


@each
@examples
@given(data=st.data())
def test_a_loss_survives_being_written_down(kind: str, data: st.DataObject) -> None:
    a = data.draw(FAMILY[kind])
    assert from_document(to_document(a)) == a


@examples
@given(first=st.sampled_from(ADDITIVE), second=st.sampled_from(ADDITIVE))
def test_unlike_losses_never_add_silently(first: str, second: str) -> None:
    if first != second:
        with pytest.raises(pt.InvalidInput, match="cannot be added"):
            SAMPLES[first] + SAMPLES[second]
