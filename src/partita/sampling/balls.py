"""Comparing a uniform number, known by its first bits, with a real number, known by balls of any precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flint import arb, ctx

from partita.sampling.bits import BitSource
from partita.theory.numerics import LOCK

_GUARD = 64


@contextmanager
def working(precision: int) -> Iterator[None]:
    """Evaluate balls with this many bits.

    >>> with working(256):
    ...     arb(1).exp().rel_accuracy_bits() > 200
    True
    """
    with LOCK:
        before = ctx.prec
        ctx.prec = precision
        try:
            yield
        finally:
            ctx.prec = before


def floor(number: arb) -> int:
    """The integer part of an exact number.

    >>> floor(arb("2.5"))
    2
    """
    found = integer_part(number)
    assert found is not None
    return found


def integer_part(number: arb) -> int | None:
    """The integer part of all numbers in a ball, if it is one and the same.

    >>> integer_part(arb(2).sqrt()), integer_part(arb(0).exp() * 3), integer_part(arb(2).sqrt() ** 2)
    (1, 3, None)
    """
    found = number.floor().unique_fmpz()
    return None if found is None else int(found)


def between(low: int, length: int) -> arb:
    """The ball of all numbers whose first bits after the point are those of ``low``."""
    return arb(low).union(arb(low + 1)) / arb(2) ** length


def append(prefix: int, bits: BitSource) -> int:
    """The first bits of a uniform number, and 64 more of the same number."""
    return (prefix << 64) | int(bits.words(1)[0])


def is_below(prefix: int, length: int, real: Callable[[], arb], bits: BitSource) -> bool:
    """Whether the uniform number that starts with these bits is below a real number.

    Bits are appended to the number until every number that starts with them is on one side: the answer has
    probability exactly ``real``, and whether to go on depends on revealed bits only (theory C17 i, ii).

    >>> from partita.sampling.bits import TestBits
    >>> is_below(1 << 63, 64, lambda: arb(1).exp() / 4, TestBits(1))
    True
    """
    while True:
        with working(length + _GUARD):
            scaled = real() * arb(2) ** length
            if prefix + 1 <= scaled:
                return True
            if prefix >= scaled:
                return False
        prefix, length = append(prefix, bits), length + 64
