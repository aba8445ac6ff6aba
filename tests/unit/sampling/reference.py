"""Slow and obvious: the same laws from mpmath alone, sharing no code with the samplers."""

from fractions import Fraction

from mpmath import MPContext

# A context of our own, so that no other test changes its precision.
mp = MPContext()
mp.dps = 80
mpf = mp.mpf


def real(number):
    """A rational at full precision."""
    return mpf(number.numerator) / mpf(number.denominator)


def exp(x):
    """The exponential of a rational."""
    return mp.exp(real(Fraction(x)))


def scaled(number, length):
    """The integer part of a number times a power of two."""
    return int(mp.floor(number * mpf(2) ** length))


def share(prefix, length):
    """A binary fraction."""
    return mpf(prefix) / mpf(2) ** length


def real_tail(shape, scale, x):
    """Pr[X >= x] of the real variable, for any x."""
    b, x = real(scale), real(x)
    if shape == "gaussian":
        return mp.erfc(x / (b * mp.sqrt(2))) / 2
    return mp.exp(-x / b) / 2 if x >= 0 else 1 - mp.exp(x / b) / 2


def weight(shape, scale, distance):
    """The density, relative to its peak."""
    z = distance / real(scale)
    return mp.exp(-z * z / 2) if shape == "gaussian" else mp.exp(-abs(z))


def rounded_cdf(shape, scale, k):
    """Pr[round(X) <= k]."""
    return real_tail(shape, scale, -Fraction(2 * k + 1, 2))


def discrete_cdf(shape, scale, k):
    """Pr[Z <= k] of the law on the integers that is proportional to the density."""
    reach = 40 + int(scale * (200 if shape == "laplace" else 20))
    total = 1 + 2 * sum(weight(shape, scale, mpf(z)) for z in range(1, reach))
    return sum(weight(shape, scale, mpf(z)) for z in range(-reach, k + 1)) / total


def is_quantile(cdf_before, cdf_at, prefix, length):
    """Whether every uniform number that starts with these bits lies between the two."""
    return cdf_before <= share(prefix, length) and share(prefix + 1, length) <= cdf_at
