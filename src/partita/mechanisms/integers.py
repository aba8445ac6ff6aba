"""Exact integers in, noisy integers out: reading what callers hand over, and adding without ever wrapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import mechanisms as refuse
from partita.sampling import entropy
from partita.sampling.bits import BitSource, source

Integers = NDArray[Any]

_LOW, _HIGH = -(1 << 63), (1 << 63) - 1


@final
@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """Exact values in the shape they came in; ``scalar`` if it was one bare number."""

    values: Integers
    scalar: bool


def read(values: object) -> Exact:
    """The caller's integers as an array of int64, or of Python's integers where 64 bits are not enough.

    A refusal names the type that came, never a value: values may be protected.

    >>> read([1, 2**70]).values.dtype
    dtype('O')
    """
    if isinstance(values, Integral) and not isinstance(values, bool):
        return Exact(_narrow(np.array(int(values), dtype=object)), scalar=True)
    array = _array(values)
    if array.dtype == object:
        for item in array.flat:
            if isinstance(item, bool | np.bool_) or not isinstance(item, Integral):
                raise refuse.not_integers(type(item).__name__)
        array = _narrow(array)
    elif array.dtype == np.uint64:
        array = _narrow(array.astype(object))
    elif array.dtype.kind in "iu":
        array = array.astype(np.int64)
    else:
        raise refuse.not_integers(str(array.dtype))
    return Exact(array, scalar=array.ndim == 0)


def read_flat(values: object) -> Integers:
    """A list of at least one exact integer.

    >>> read_flat([3, 1]).tolist()
    [3, 1]
    """
    array = read(values).values
    if array.ndim != 1:
        raise refuse.not_flat(array.ndim)
    if array.size == 0:
        raise refuse.nothing_to_choose()
    return array


def answers_of(values: object) -> object:
    """Answers of yes and no as 1 and 0; anything else as it is.

    >>> answers_of([True, False])
    array([1, 0])
    """
    if isinstance(values, bool | np.bool_):
        return int(values)
    listed = isinstance(values, list | tuple) and len(values) > 0 and all(isinstance(one, bool) for one in values)
    array = np.asarray(values) if listed or isinstance(values, np.ndarray) else None
    return values if array is None or array.dtype != np.bool_ else array.astype(np.int64)


def add(values: Integers, noise: Integers) -> Integers:
    """The exact sums: int64 where they all fit, Python's integers otherwise.

    Which of the two depends on the sums alone, so it tells no more than they do.

    >>> add(np.array([2**63 - 1]), np.array([1])).tolist() == [2**63]
    True
    """
    if values.dtype != object and noise.dtype != object:
        with np.errstate(over="ignore"):
            total: Integers = values + noise
        # A sum has wrapped exactly if both terms have the sign that it has not.
        if not (((values ^ total) & (noise ^ total)) < 0).any():
            return total
    # Python's integers added as arrays without axes are a bare number again.
    return _narrow(np.asarray(values.astype(object) + noise.astype(object), dtype=object))


def noisy(values: object, draw: Callable[[int, BitSource], Integers], bits: BitSource | None) -> Any:
    """The values with one draw added to each, in the shape they came in; a bare number gives a bare number."""
    given = read(values)
    noise = draw(given.values.size, source_of(bits))
    total = add(given.values, noise.reshape(given.values.shape))
    return int(total[()]) if given.scalar else total


def source_of(bits: BitSource | None) -> BitSource:
    """The source given, or the operating system's."""
    return entropy.system() if bits is None else source(bits)


def _array(values: object) -> Integers:
    if isinstance(values, list | tuple):
        # Through Python's own objects: numpy would turn large integers into floats.
        try:
            return np.array(values, dtype=object if values else np.int64)
        except ValueError:
            raise refuse.not_integers("ragged list") from None
    # Asked only of subclasses: loading numpy's masked arrays takes longer than most answers.
    if isinstance(values, np.ndarray) and type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray):
        # Adding to a masked entry leaves it as it is, without noise.
        raise refuse.not_integers("masked array")
    if isinstance(values, np.ndarray) or hasattr(values, "__array__"):
        # Never a subclass: its own arithmetic could leave the noise out.
        return np.asarray(values)
    raise refuse.not_integers(type(values).__name__)


def _narrow(array: Integers) -> Integers:
    """The same integers as int64 if all of them fit."""
    if array.size == 0 or (array.min() >= _LOW and array.max() <= _HIGH):
        return array.astype(np.int64)
    return np.array([int(item) for item in array.flat], dtype=object).reshape(array.shape)
