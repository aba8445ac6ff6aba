"""Keys of an open set with their counts, and the canonical order in which they are released."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from partita.errors import mechanisms as refuse
from partita.mechanisms.integers import Integers, read

_PLAIN = (str, bytes, int, Fraction, datetime.date, datetime.time, datetime.timedelta)


def read_counts(counts: object) -> tuple[list[Any], Integers]:
    """The keys that occur, in canonical order, and how often each does; keys counted zero times do not occur.

    >>> keys, times = read_counts({"b": 2, "a": 1, "c": 0})
    >>> keys, times.tolist()
    (['a', 'b'], [1, 2])
    """
    if not isinstance(counts, Mapping):
        raise refuse.not_counts(type(counts).__name__)
    times = read(list(counts.values())).values
    if times.ndim != 1:
        raise refuse.not_counts("a mapping to lists")
    if times.size and times.min() < 0:
        raise refuse.negative_count()
    ordered = sorted(
        ((place(key), key, time) for key, time in zip(counts, times, strict=True) if time > 0),
        key=lambda entry: entry[0],
    )
    return [key for _, key, _ in ordered], read([int(time) for _, _, time in ordered]).values


def place(key: object) -> tuple[Any, ...]:
    """Where a key stands among all keys: a function of the key alone, and different for different keys.

    >>> sorted(["b", 2, None, "a", 10], key=place)
    [2, 10, None, 'a', 'b']
    """
    if isinstance(key, np.generic):
        key = key.item()
    if key is None:
        return ("none",)
    if isinstance(key, tuple):
        return ("tuple", tuple(place(part) for part in key))
    if isinstance(key, Decimal) and key.is_finite():
        return ("decimal", Fraction(key), str(key))
    if type(key) in (*_PLAIN, bool) or isinstance(key, datetime.datetime):
        if isinstance(key, datetime.datetime | datetime.time):
            return (type(key).__name__, key.isoformat())
        return ("int" if isinstance(key, bool) else type(key).__name__, key)
    raise refuse.unordered_key(type(key).__name__)
