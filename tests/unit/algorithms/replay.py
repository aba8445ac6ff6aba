"""Runs a learner on two tables with the same released numbers, and measures how far each exact sum moved."""

from __future__ import annotations

import numpy as np

from partita.algorithms.learning.sums import Noisy
from partita.sampling.bits import TestBits


def sums_on(learner, rows, seed, monkeypatch, released=None):
    """The exact sums a learner takes, in order, and what is released for them: noisy, or as given."""
    exact, given = [], []
    own = Noisy.release

    def release(self, name, values, bits):
        values = np.asarray(values, dtype=float)
        assert (values == np.rint(values)).all(), "only whole numbers are released"
        exact.append((name, values.reshape(-1)))
        noisy = own(self, name, values, bits)
        found = noisy if released is None else released[len(exact) - 1].reshape(values.shape)
        given.append(found.reshape(-1))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Noisy, "release", release)
        learner.learn(rows, bits=TestBits(seed))
    return exact, given


def moves(learner, first, second, seed, monkeypatch):
    """(sum, how far it moved in L1, and squared in L2) for every release, given the same earlier releases."""
    before, released = sums_on(learner, first, seed, monkeypatch)
    after, _ = sums_on(learner, second, seed, monkeypatch, released)
    assert [name for name, _ in before] == [name for name, _ in after]
    for (name, one), (_, other) in zip(before, after, strict=True):
        gap = one - other
        yield name, float(np.abs(gap).sum()), float((gap**2).sum())
