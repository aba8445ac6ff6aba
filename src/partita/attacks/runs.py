"""How the built-in audit runs a mechanism: many independent releases of one exact value at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from partita.attacks.low_bits import naive_laplace
from partita.mechanisms.key_selection import KeyThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.perturbed_objective import PerturbedObjective
from partita.mechanisms.selection import Selection
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import BitSource


class Releases(Protocol):
    """A mechanism that releases arrays of integers entry by entry."""

    def release(self, values: object, *, bits: BitSource | None = None) -> Any:
        """The noisy values."""


def entry_by_entry(mechanism: Releases, bits: BitSource, value: object, count: int) -> NDArray[np.int64]:
    """So many releases of one number or one vector: entries are independent, so they are one large release."""
    exact = np.asarray(value, dtype=np.int64)
    noisy: NDArray[np.int64] = mechanism.release(np.broadcast_to(exact, (count, *exact.shape)), bits=bits)
    return noisy


def encoded(mechanism: UnaryEncoding, bits: BitSource, answer: int, count: int) -> NDArray[np.int64]:
    """So many reports of one answer, each row of bits as one number."""
    reports = mechanism.release([answer] * count, bits=bits)
    found: NDArray[np.int64] = reports @ (1 << np.arange(mechanism.values))
    return found


def minimised(mechanism: PerturbedObjective, bits: BitSource, rows: Sequence[int]) -> float:
    """One released minimiser, where a row's loss is minus itself times the weight: it is known in closed form."""
    pulled = sum(rows) - mechanism.tilt(bits=bits)
    return float(mechanism.finish(pulled / float(mechanism.regulariser), bits=bits)[0])


def chosen(mechanism: Selection, bits: BitSource, scores: Sequence[int]) -> int:
    """One choice among candidates."""
    return mechanism.release(list(scores), bits=bits)


def answered(mechanism: SparseVector, bits: BitSource, values: Sequence[int]) -> tuple[bool, ...]:
    """The answers of one session, until its last positive one; the threshold is one."""
    session = mechanism.open(1, bits=bits)
    answers: list[bool] = []
    for value in values:
        if session.left:
            answers.append(session.ask(value))
    return tuple(answers)


def thresholded(mechanism: KeyThreshold, bits: BitSource, people: int, count: int) -> list[int | None]:
    """What is released of so many keys, each with so many people: its noisy count, or nothing."""
    released = mechanism.release(dict.fromkeys(range(count), people) if people else {}, bits=bits)
    return [released.get(key) for key in range(count)]


def kept(mechanism: TruncatedGeometric, bits: BitSource, people: int, count: int) -> NDArray[np.bool_]:
    """Whether each of so many keys, each with so many people, is released."""
    found = np.zeros(count, dtype=np.bool_)
    if people:
        found[mechanism.release(dict.fromkeys(range(count), people), bits=bits)] = True
    return found


def sampled(mechanism: Subsampled, bits: BitSource, records: Sequence[int], count: int) -> NDArray[np.int64]:
    """Noisy sums over a fresh Poisson sample of the records each time."""
    here = mechanism.sample(count * len(records), bits=bits).reshape(count, len(records))
    sums = (here * np.asarray(records, dtype=np.int64)).sum(axis=1)
    noise: Any = mechanism.mechanism
    noisy: NDArray[np.int64] = noise.release(sums, bits=bits)
    return noisy


def drawn(mechanism: Subsampled, bits: BitSource, records: Sequence[int]) -> int:
    """One noisy sum over a sample of fixed size."""
    noise: Any = mechanism.mechanism
    total: int = noise.release(int(np.asarray(records)[mechanism.sample(len(records), bits=bits)].sum()), bits=bits)
    return total


def sharing_noise(bits: BitSource, pair: Sequence[int], count: int) -> NDArray[np.int64]:
    """Broken: two answers with the same draw, whose difference is exact."""
    noise = entry_by_entry(Laplace(scale=100), bits, 0, count)
    return np.asarray(pair, dtype=np.int64) + noise[:, None]


def floating(bits: BitSource, value: float, count: int) -> NDArray[np.float64]:
    """Broken: Laplace noise in floating point, whose low bits tell the value."""
    uniforms = ((bits.words(count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    return naive_laplace(uniforms, value)
