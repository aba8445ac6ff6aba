"""What an attacker sees of many runs: outputs as rows of numbers, or as labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from partita.errors import attacks as refuse

Floats = NDArray[np.float64]
Outputs = Sequence[object] | NDArray[np.generic]


def collect(release: Callable[..., object], data: object, runs: int, *, batch: bool) -> Outputs:
    """The outputs of so many runs on this data."""
    if not batch:
        return [release(data) for _ in range(runs)]
    made = release(data, runs)
    if not isinstance(made, np.ndarray):
        made = list(made) if isinstance(made, Sequence) else np.asarray(made)
    given = 1 if isinstance(made, np.ndarray) and made.ndim == 0 else len(made)
    if given != runs:
        raise refuse.wrong_length(runs, given)
    return made.reshape(runs, -1) if isinstance(made, np.ndarray) and made.ndim > 2 else made


def width(outputs: Outputs) -> int:
    """How many numbers an output usually consists of, or zero if most are no numbers.

    >>> width([1, 2.5, True]), width([(1, 2), (3, 4), "error"]), width(["yes", "no"])
    (1, 2, 0)
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return 1 if outputs.ndim == 1 else int(outputs.shape[1])
    return Counter(_width(output) for output in outputs).most_common(1)[0][0]


def kinds(outputs: Outputs) -> list[Hashable]:
    """What sort of thing each output is, whatever it says: its type, its length, its keys.

    >>> kinds([7, [1, 2], {"a": 1}, None])
    ['int', ('list', 2), ('dict', ('a',)), 'NoneType']
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return ["number"] * len(outputs)
    return [_kind(output) for output in outputs]


def numbers(outputs: Outputs, columns: int) -> Floats:
    """Outputs as a table of floats; what is no row of so many numbers becomes NaN, which no threshold admits.

    >>> numbers([(1, 2), "error"], 2)
    array([[ 1.,  2.],
           [nan, nan]])
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        table = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
        return table if table.shape[1] == columns else np.full((len(outputs), columns), np.nan)
    table = np.full((len(outputs), columns), np.nan)
    for row, output in enumerate(outputs):
        if _width(output) == columns:
            table[row] = _row(output)
    return table


def whole(outputs: Outputs) -> bool:
    """Whether every output is a whole number by its type.

    >>> whole([1, 2**70]), whole([1, 2.0])
    (True, False)
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype != object:
        return outputs.dtype.kind in "iu"
    return all(isinstance(output, Integral) for output in outputs)


def last_bits(outputs: Outputs) -> list[Hashable]:
    """The last six bits of whole numbers, exactly.

    >>> last_bits([2**60 + 1, 66])
    [1, 2]
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iu" and outputs.ndim == 1:
        return list((outputs % 64).tolist())
    return [int(output) % 64 if isinstance(output, Integral) else None for output in outputs]


def labels(outputs: Outputs) -> list[Hashable]:
    """Each output as something that can be counted.

    >>> labels([[1, 2], {"a": 1}, "yes"])
    [(1, 2), (('a', 1),), 'yes']
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        if outputs.ndim == 1:
            plain = outputs.tolist()
            return ["NaN" if number != number else number for number in plain] if outputs.dtype.kind == "f" else plain
        if outputs.size:
            row = np.dtype((np.void, outputs.dtype.itemsize * outputs.shape[1]))
            within = np.ascontiguousarray(outputs).view(row).ravel().tolist()
            return [(outputs.shape[1:], outputs.dtype.str, content) for content in within]
    return [_label(output) for output in outputs]


def _width(output: object) -> int:
    if isinstance(output, Real):
        return 1
    if isinstance(output, np.ndarray):
        return int(output.size) if output.dtype.kind in "biuf" else 0
    if isinstance(output, (list, tuple)) and all(isinstance(item, Real) for item in output):
        return len(output)
    return 0


def _kind(output: object) -> Hashable:
    name = type(output).__name__
    if isinstance(output, Mapping):
        return name, tuple(sorted(output, key=repr))
    return (
        (name, np.shape(output) if isinstance(output, np.ndarray) else len(output))
        if isinstance(output, Sized)
        else name
    )


def _row(output: object) -> Floats | list[float]:
    if isinstance(output, np.ndarray):
        return output.astype(np.float64).reshape(-1)
    items = output if isinstance(output, (list, tuple)) else [output]
    return [_float(item) for item in items if isinstance(item, Real)]


def _float(number: Real) -> float:
    try:
        return float(number)
    except OverflowError:  # a number beyond the floats still has a sign
        return math.inf if number == abs(number) else -math.inf


def _label(output: object) -> Hashable:
    match output:
        case np.ndarray():
            return (
                (output.shape, output.dtype.str, output.tobytes()) if output.dtype != object else _label(list(output))
            )
        case np.generic():
            return _label(output.item())
        case list() | tuple():
            return tuple(_label(item) for item in output)
        case Mapping():
            return tuple(sorted(((key, _label(value)) for key, value in output.items()), key=repr))
        case set() | frozenset():
            return frozenset(output)
        case float() if output != output:
            return "NaN"
        case Hashable():
            return output
        case _:
            raise refuse.unreadable_output(type(output).__name__)
