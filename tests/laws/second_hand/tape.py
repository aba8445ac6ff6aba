"""A tape of every use of randomness: what went in, exactly, and what came out; and the same outputs played again.

Two tables are told apart by the releases only if, the outputs so far being equal, the next exact inputs differ. So
the second table is run with the outputs of the first, and the inputs of both are kept (theory D1, E1).
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from unittest import mock

import numpy as np

from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.key_selection import KeyThreshold
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.selection import Selection
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.sampling.bits import TestBits
from tests.laws.second_hand import losses
from tests.laws.second_hand.losses import KeyMove, Moves


class Differs(Exception):
    """Something public depends on the table: which noise, how many numbers, or which keys."""


@dataclass
class Call:
    """One use of a mechanism."""

    mechanism: Any
    kind: str
    exact: Any
    given: Any


@dataclass
class Tape:
    """The calls of each action; with ``played``, those of an earlier tape are given again."""

    seed: int
    played: Tape | None = None
    actions: list[list[Call]] = field(default_factory=list)
    void: set[int] = field(default_factory=set)  # actions in which a key was named that this table does not have

    def begin(self) -> None:
        """A new action starts."""
        self.actions.append([])

    def note(self, mechanism: Any, kind: str, exact: Any, own: Callable[[], Any]) -> Any:
        """What the mechanism gives for these exact inputs."""
        calls = self.actions[-1]
        place = len(calls)
        given = own()
        if self.played is not None and not self._void():
            listed = self.played.actions[len(self.actions) - 1]
            if place >= len(listed):
                raise Differs(f"{kind} runs once more")
            before = listed[place]
            same = (before.kind, _shape(before.exact)) == (kind, _shape(exact)) and before.mechanism == mechanism
            if not same and kind != "keys":
                raise Differs(f"{before.mechanism} on {_shape(before.exact)}, then {mechanism} on {_shape(exact)}")
            given = copy.deepcopy(before.given)
            if kind == "keys" and not set(given) <= set(exact):
                self.void.add(len(self.actions) - 1)
                kept = [key for key in given if key in exact]
                given = {key: given[key] for key in kept} if isinstance(given, dict) else kept
        calls.append(Call(mechanism, kind, exact, given))
        return given

    def _void(self) -> bool:
        return len(self.actions) - 1 in self.void

    def end(self) -> None:
        """The action is over: as much was released as before."""
        if self.played is None or self._void():
            return
        before, now = len(self.played.actions[len(self.actions) - 1]), len(self.actions[-1])
        if before != now:
            raise Differs(f"{now} releases where there were {before}")


def _shape(exact: Any) -> Any:
    return exact.shape if isinstance(exact, np.ndarray) else None


@contextmanager
def recorded(tape: Tape) -> Iterator[Tape]:
    """Everything that draws noise writes on the tape."""
    noise, coins = TestBits(tape.seed), random.Random(tape.seed)
    additive, choosing = AdditiveNoise.release, Selection.release

    def release(self: Any, values: Any, *, bits: Any = None) -> Any:
        exact = np.array(np.asarray(values, dtype=object), dtype=object)
        return tape.note(self, "noise", exact, lambda: additive(self, values, bits=noise))

    def choose(self: Any, scores: Any, *, bits: Any = None) -> Any:
        exact = np.array(np.asarray(scores, dtype=object), dtype=object).reshape(-1)
        return tape.note(self, "choice", exact, lambda: choosing(self, scores, bits=noise))

    def runs_of(original: Any) -> Any:
        def choose_run(self: Any, scores: Any, lengths: Any, *, bits: Any = None) -> Any:
            exact = np.repeat(np.asarray(scores, dtype=np.float64), np.asarray(lengths))
            return _located(tape, self, exact, lengths, lambda: original(self, scores, lengths, bits=noise))

        return choose_run

    tuples = Exponential.release_tuple

    def choose_tuple(self: Any, lists: Any, excess: Any, *, bits: Any = None) -> Any:
        return _tupled(tape, self, lists, excess, lambda: tuples(self, lists, excess, bits=noise))

    def name(self: Any, counts: Mapping[Any, int], *, bits: Any = None) -> Any:
        found = {key: int(count) for key, count in counts.items() if count}

        def own() -> Any:
            kept = sorted((key for key in found if coins.random() < 0.5), key=repr)
            return kept if isinstance(self, TruncatedGeometric) else {key: found[key] for key in kept}

        return tape.note(self, "keys", found, own)

    with (
        mock.patch.object(AdditiveNoise, "release", release),
        mock.patch.object(Selection, "release", choose),
        mock.patch.object(Exponential, "release_run", runs_of(Exponential.release_run)),
        mock.patch.object(PermuteAndFlip, "release_run", runs_of(PermuteAndFlip.release_run)),
        mock.patch.object(Exponential, "release_tuple", choose_tuple),
        mock.patch.object(KeyThreshold, "release", name),
        mock.patch.object(TruncatedGeometric, "release", name),
    ):
        yield tape


def _located(tape: Tape, mechanism: Any, exact: Any, lengths: Any, own: Callable[[], Any]) -> Any:
    """A choice among runs is kept as the candidate's number, which is the same candidate in every table."""
    starts = np.concatenate(([0], np.cumsum(lengths)))

    def candidate() -> int:
        run, place = own()
        return int(starts[run]) + int(place)

    chosen = tape.note(mechanism, "choice", exact, candidate)
    run = int(np.searchsorted(starts, chosen, side="right")) - 1
    return run, chosen - int(starts[run])


def _tupled(tape: Tape, mechanism: Any, lists: Any, excess: Any, own: Callable[[], Any]) -> Any:
    every = [_places(lengths) for _, lengths, _ in lists]
    scores = [np.asarray(scores, dtype=object) for scores, _, _ in lists]
    listed = list(product(*every))
    exact = np.array(
        [
            float(sum(count * int(own_[run]) for (_, _, count), own_, (run, _) in zip(lists, scores, at, strict=True)))
            - float(excess(at))
            for at in listed
        ]
    )
    numbers = [{place: number for number, place in enumerate(places)} for places in every]

    def candidate() -> tuple[int, ...]:
        return tuple(numbers[axis][(int(run), int(place))] for axis, (run, place) in enumerate(own()))

    chosen = tape.note(mechanism, "choice", exact, candidate)
    return tuple(every[axis][number] for axis, number in enumerate(chosen))


def _places(lengths: Any) -> list[tuple[int, int]]:
    return [(run, place) for run, length in enumerate(np.asarray(lengths).tolist()) for place in range(length)]


def moved(first: list[Call], second: list[Call]) -> Moves:
    """How far apart two runs of one action are."""
    found = Moves()
    for one, other in zip(first, second, strict=False):
        if one.mechanism != other.mechanism:
            raise Differs(f"{one.mechanism}, then {other.mechanism}")
        match one.kind:
            case "noise":
                _noise(found, one, other)
            case "choice":
                _choice(found, one, other)
            case "keys":
                _keys(found, one, other)
                if set(one.given) != set(other.given):
                    break  # the rest is only there with the chance that was counted
    return found


def _noise(found: Moves, one: Call, other: Call) -> None:
    apart = [abs(int(gap)) for gap in (one.exact - other.exact).reshape(-1) if gap]
    if not apart:
        return
    match one.mechanism.kind:
        case "laplace":
            found.laplace += [gap / float(one.mechanism.scale) for gap in apart]
        case "gaussian":
            found.square += sum(gap**2 for gap in apart) / float(one.mechanism.sigma) ** 2
        case kind:
            raise AssertionError(kind)


def _choice(found: Moves, one: Call, other: Call) -> None:
    if np.array_equal(one.exact, other.exact):
        return
    law = losses.permute_and_flip_law if one.mechanism.kind == "permute_and_flip" else losses.exponential_law
    weight = one.mechanism.epsilon / (1 if one.mechanism.monotone else 2)
    old, new = (law(np.asarray(call.exact, dtype=np.float64), weight) for call in (one, other))
    found.choices.append((old, new))


def _keys(found: Moves, one: Call, other: Call) -> None:
    rule = one.mechanism
    for key in {**one.exact, **other.exact}:
        old, new = one.exact.get(key, 0), other.exact.get(key, 0)
        if old == new:
            continue
        both, gap = bool(old and new), abs(old - new)
        match rule.kind:
            case "truncated_geometric":
                share = 1 if rule.relation.value == "add/remove" else 2
                each = float(rule.epsilon) / (rule.keys * share), float(rule.delta) / (rule.keys * share)
                chances = [losses.truncated_geometric_chance(people, *each) for people in (old, new)]
                found.named.append(KeyMove(*chances, 0.0, 0.0))
            case "laplace_threshold":
                scale = float(rule.scale)
                chances = [_chance(people, rule.threshold, scale, losses.laplace_tail) for people in (old, new)]
                found.named.append(KeyMove(*chances, 0.0, gap / scale if both else 0.0))
            case "gaussian_threshold":
                sigma = float(rule.sigma)
                chances = [_chance(people, rule.threshold, sigma, losses.gaussian_tail) for people in (old, new)]
                found.named.append(KeyMove(*chances, gap**2 / sigma**2 if both else 0.0, 0.0))
            case kind:
                raise AssertionError(kind)


def _chance(people: int, threshold: int, spread: float, tail: Callable[[float, float], float]) -> float:
    """Rounded noise lifts a key above a whole threshold where the real noise is half a unit beyond."""
    return tail(threshold - people + 0.5, spread) if people else 0.0
