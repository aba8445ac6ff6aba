"""Mechanisms that are broken on purpose: what an audit must catch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.attacks.audits.low_bits import naive_laplace
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.trial import entry_by_entry
from partita.sampling.bits import BitSource


def sharing_noise(bits: BitSource, pair: Sequence[int], count: int) -> NDArray[np.int64]:
    """Broken: two answers with the same draw, whose difference is exact."""
    noise = entry_by_entry(Laplace(scale=100), bits, 0, count)
    return np.asarray(pair, dtype=np.int64) + noise[:, None]


def floating(bits: BitSource, value: float, count: int) -> NDArray[np.float64]:
    """Broken: Laplace noise in floating point, whose low bits tell the value."""
    uniforms = ((bits.words(count) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    return naive_laplace(uniforms, value)
