"""Runs a computation on two neighbours with the same released numbers, and measures how far each release moved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.selection import Selection
from partita.mechanisms.sparse_vector import Session
from partita.sampling.bits import TestBits
from partita.theory.distance import Norm


@dataclass
class Call:
    """One use of a mechanism: what went in, exactly, and what came out."""

    mechanism: object
    exact: list[int]
    given: object


def calls_of(run, patch, replayed=None):
    """What something returns, and every use of a mechanism on the way; with ``replayed``, each gives what it gave then.

    Noise has a source of its own, so that what is drawn besides is the same in both runs.
    """
    found: list[Call] = []
    noise = TestBits(7)

    def note(mechanism, exact, own):
        entries = [int(entry) for entry in np.asarray(exact, dtype=object).reshape(-1)]
        given = own() if replayed is None else replayed[len(found)].given
        if replayed is not None:
            before = replayed[len(found)]
            assert before.mechanism == mechanism, "which mechanism runs must not depend on the rows"
            assert len(before.exact) == len(entries), "how much is released must not depend on the rows"
        found.append(Call(mechanism, entries, given))
        return given

    additive, choosing, asking, runs = AdditiveNoise.release, Selection.release, Session.ask, Exponential.release_run

    def release(self, values, *, bits=None):
        return note(self, values, lambda: additive(self, values, bits=noise))

    def choose(self, scores, *, bits=None):
        return note(self, scores, lambda: choosing(self, scores, bits=noise))

    def choose_run(self, scores, lengths, *, bits=None):
        return note(self, scores, lambda: runs(self, scores, lengths, bits=noise))

    def ask(self, value):
        above = note(self.mechanism, [value], lambda: asking(self, value))
        if replayed is not None:
            self._left -= above
        return above

    patch.setattr(AdditiveNoise, "release", release)
    patch.setattr(Selection, "release", choose)
    patch.setattr(Exponential, "release_run", choose_run)
    patch.setattr(Session, "ask", ask)
    return run(TestBits(5)), found


def moves(first, second):
    """How far each use moved, in all norms: (mechanism, L1, squared L2, L∞)."""
    assert len(first) == len(second), "how many releases there are must not depend on the rows"
    for one, other in zip(first, second, strict=True):
        signed = [a - b for a, b in zip(one.exact, other.exact, strict=True)]
        if getattr(one.mechanism, "monotone", False):
            assert min(signed) >= 0 or max(signed) <= 0, "these scores are said to move all the same way"
        gaps = [abs(gap) for gap in signed]
        yield one.mechanism, sum(gaps), sum(gap * gap for gap in gaps), max(gaps, default=0)


def stated(losses):
    """What is stated for each mechanism: (the sum of its distances' powers, the largest, how many releases)."""
    found: dict[object, tuple[Fraction, Fraction, int]] = {}
    for one in losses:
        total, most, count = found.get(one.mechanism, (Fraction(0), Fraction(0), 0))
        far = one.distance.power
        found[one.mechanism] = (total + far * one.count, max(most, far), count + one.count)
    return found


def check(first, second, losses):
    """No mechanism moves further than the losses say: sums for additive noise, each choice and test by itself."""
    limits = stated(losses)
    summed: dict[object, int] = {}
    moved_choices: dict[object, int] = {}
    for mechanism, l1, square, most in moves(first, second):
        if not most:
            continue
        assert mechanism in limits, f"{mechanism} moved and is not among the losses"
        if isinstance(mechanism, AdditiveNoise):
            # Shifts of equal independent noise add up: in squares for Gaussian noise, plainly for Laplace noise.
            summed[mechanism] = summed.get(mechanism, 0) + (square if mechanism.norm is Norm.L2 else l1)
            continue
        assert most <= limits[mechanism][1]
        moved_choices[mechanism] = moved_choices.get(mechanism, 0) + 1
    for mechanism, total in summed.items():
        assert total <= limits[mechanism][0], f"{mechanism} moves by {total}, stated is {limits[mechanism][0]}"
    for mechanism, times in moved_choices.items():
        if isinstance(mechanism, Selection):
            assert times <= limits[mechanism][2]
