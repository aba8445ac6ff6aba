"""The exact profile of plans small enough to be written down, in Arb: what certified bounds are held against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb

from flint import arb, ctx

PRECISION = 600


def number(x: float) -> arb:
    """The float itself, not its decimal text."""
    return arb(x)


def gaussian(mu: arb, x: arb) -> arb:
    def cdf(y: arb) -> arb:
        return (-y / arb(2).sqrt()).erfc() / 2

    return cdf(-x / mu + mu / 2) - x.exp() * cdf(-x / mu - mu / 2)


def subsampled(rate: float, sigma: float, x: arb, *, removes: bool) -> arb:
    def cdf(y: arb) -> arb:
        return (-y / arb(2).sqrt()).erfc() / 2

    q, s = number(rate), number(sigma)
    level = (x if removes else -x).exp() - (1 - q)
    if not level > 0:
        return 1 - x.exp() if removes else arb(0)
    point = s * (level / q).log() + 1 / (2 * s)
    if removes:
        return (1 - q) * cdf(-point) + q * cdf(1 / s - point) - x.exp() * cdf(-point)
    return cdf(point) - x.exp() * ((1 - q) * cdf(point) + q * cdf(point - 1 / s))


Response = tuple[float, float, int]  # epsilon, leak, count


def responses(parts: Sequence[Response]) -> tuple[list[tuple[arb, arb]], arb]:
    """The values of the summed losses of randomised responses with their masses, and the mass that is finite."""
    values = [(arb(0), arb(1))]
    kept = arb(1)
    for epsilon, leak, count in parts:
        e = number(epsilon)
        high = 1 / (1 + (-e).exp())
        kept *= (1 - number(leak)) ** count
        more = [((2 * i - count) * e, comb(count, i) * high**i * (1 - high) ** (count - i)) for i in range(count + 1)]
        values = [(a + b, p * q) for (a, p), (b, q) in product(values, more)]
    return values, kept


def with_responses(parts: Sequence[Response], delta: object, x: float) -> arb:
    """Randomised responses composed with one law whose profile is known."""
    assert callable(delta)
    values, kept = responses(parts)
    at = number(x)
    return (1 - kept) + kept * sum((p * delta(at - loss) for loss, p in values), arb(0))


def laplace_and_responses(laplaces: Sequence[tuple[float, int]], parts: Sequence[Response], x: float) -> arb:
    """Laplace releases and randomised responses: the transform is a sum of e^(bz) z^(-r), inverted term by term.

    With z = s + 1/2, s(s+1) = z² - 1/4, whose inverse is 2 sinh(u/2); each power of 1/z integrates it once more.
    """
    before, ctx.prec = ctx.prec, PRECISION
    try:
        # Terms: shift b -> coefficients of z^(-r).
        terms: list[tuple[arb, list[arb]]] = [(arb(0), [arb(1)])]
        scale = arb(1)
        for epsilon, count in laplaces:
            e = number(epsilon)
            scale *= ((-e / 2).exp() / 2) ** count
            more = [((2 * i - count) * e, _polynomial(i, count - i, comb(count, i))) for i in range(count + 1)]
            terms = [(a + b, _times(p, q)) for (a, p), (b, q) in product(terms, more)]
        kept = arb(1)
        for epsilon, leak, count in parts:
            e = number(epsilon)
            kept *= (1 - number(leak)) ** count
            scale *= (1 / ((e / 2).exp() + (-e / 2).exp())) ** count
            more = [((2 * i - count) * e, [arb(comb(count, i))]) for i in range(count + 1)]
            terms = [(a + b, _times(p, q)) for (a, p), (b, q) in product(terms, more)]
        at = number(x)
        total = arb(0)
        for shift, coefficients in terms:
            u = shift - at
            if u > 0:
                whole = _integrals(u, len(coefficients))
                total += sum((a * g for a, g in zip(coefficients, whole, strict=False)), arb(0))
        return (1 - kept) + kept * scale * (at / 2).exp() * total
    finally:
        ctx.prec = before


def _polynomial(plus: int, minus: int, scale: int) -> list[arb]:
    """scale (1 + 1/2z)^plus (1 - 1/2z)^minus as coefficients of z^(-r)."""
    result = [arb(scale)]
    for sign, times in ((1, plus), (-1, minus)):
        for _ in range(times):
            result = _times(result, [arb(1), arb(sign) / 2])
    return result


def _times(first: list[arb], second: list[arb]) -> list[arb]:
    result = [arb(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            result[i + j] += a * b
    return result


def _integrals(u: arb, most: int) -> list[arb]:
    """2 sinh(u/2) integrated 0, 1, ... times from zero: g_r = 4 (g_(r-2) - u^(r-1) / (r-1)!)."""
    half = u / 2
    found = [half.exp() - (-half).exp(), 2 * (half.exp() + (-half).exp()) - 4]
    power = u
    for r in range(2, most + 1):
        found.append(4 * (found[r - 2] - power))
        power = power * u / r
    return found
