"""The loss of one report among shuffled ones: it hides among reports that others might have sent in its place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.effort import spend_composing
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, down, floats, up

Integers = NDArray[np.int64]

# With more people than this, so many are counted: fewer others hide less.
_PEOPLE = 10**9
# What lies beyond a window has at most the mass e^-75, on each side; it is put at the largest loss.
_EXPONENT = 75.0
_OUTSIDE = 3e-33
# Boxes of counts and values that are told apart: coarser ones are bounds.
_BOXES = 160
_CELLS = 1 << 18
_IDLE = 10
_ALL = 64
_MANY = 1e7
_VALUES = 2048
# Points of the table in which the law is kept: evenly spaced where nearly all of it lies, wider beyond.
_POINTS = 700
_WIDER = 1.04


@final
@dataclass(frozen=True, slots=True)
class Crowd:
    """Reports among which one is hidden (shuffled.proof.md).

    Each of the ``others`` sends, with probability ``coins``, a fair coin, and with probability ``idle`` a report that
    tells nothing; what else they send is known. The one whose report is at stake sends such a coin, with odds e^ε, with
    probability ``active``, and otherwise a report that tells nothing.
    """

    others: int
    coins: float
    idle: float
    active: float
    epsilon: float


def among_answers(epsilon: float, people: int, answers: int) -> Crowd:
    """k-ary randomised response: others send a uniform answer with probability k/(e^ε + k - 1) (theory C18)."""
    grown = up(math.exp(epsilon), FUNCTION)
    one = down(1 / (grown + (answers - 1)), FUNCTION)
    return Crowd(
        min(people, _PEOPLE) - 1,
        down(2 * one),
        down((answers - 2) * one) if answers > 2 else 0.0,
        min(1.0, up((grown + 1) / (grown + (answers - 1)), 2 * FUNCTION)),
        epsilon,
    )


def among_clones(epsilon: float, people: int) -> Crowd:
    """Any ε-private randomiser: others send a fair coin between the two reports with probability e^-ε (theory C18)."""
    return Crowd(min(people, _PEOPLE) - 1, down(math.exp(-epsilon), FUNCTION), 0.0, 1.0, epsilon)


@lru_cache(maxsize=64)
def shuffled_loss(crowd: Crowd) -> AtomicLoss:
    """An upper bound of the loss, the same in both directions, kept for a while as composition reads it several times.

    >>> round(shuffled_loss(among_answers(1.0, 1000, 2)).delta(0.1), 6)
    8.2e-05
    """
    table = _Table.around(crowd)
    gain = up(math.expm1(crowd.epsilon), FUNCTION)
    first, coins = _binomial(crowd.others, crowd.coins)
    # The coins of the others, when the one at stake is among the coins, and when not.
    with_it = np.concatenate([[0.0], coins]) * crowd.active
    without = np.concatenate([coins, [0.0]]) * min(1.0, up(1 - crowd.active)) if crowd.idle else 0 * with_it
    rate = min(1.0, down(crowd.idle / (1 - crowd.coins))) if crowd.idle else 0.0
    starts, ends = _boxes(first, len(with_it), crowd)
    inside, outside = (np.add.reduceat(part, starts) * (1 + 2 * UNIT * len(part)) for part in (with_it, without))
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        least, most = first + int(start), first + int(end)
        if least == 0:
            # No coin at all: nothing is told.
            table.add(np.zeros(1), floats([outside[place]]))
            continue
        if inside[place] + outside[place] == 0.0:
            continue
        # The more coins the others sent, the fewer of them are left to be idle.
        laws = (
            (inside[place], *_idlers(crowd.others + 1 - most, rate)),
            (outside[place], *_idlers(max(crowd.others - most, 0), rate)),
        )
        idle, masses = _idle(laws, most * (1 + gain / 2))
        table.put(gain, least, most, idle, masses)
    return table.law(8 * _OUTSIDE)


def _boxes(first: int, width: int, crowd: Crowd) -> tuple[Integers, Integers]:
    """Where boxes of the number of coins begin and end: narrow around its mean, wide far from it; zero is alone."""
    mean = crowd.others * crowd.coins
    values = min(_VALUES, 2 * math.ceil(math.sqrt(mean * _EXPONENT / 2)) + 4)
    count = min(width, max(24, min(_BOXES, _CELLS // (values * (_IDLE if crowd.idle else 1)))))
    if count < width:
        reach = 7 * math.sqrt(mean) + 2
        middle = np.linspace(max(0.0, mean - reach - first), min(float(width), mean + reach - first), count - 8)
        far = [np.linspace(0.0, middle[0], 5), np.linspace(middle[-1], float(width), 5)]
        edges = np.concatenate([far[0], middle, far[1]]).astype(np.int64)
    else:
        edges = np.arange(width)
    starts = np.unique(np.append(edges[edges < width], [0, 1] if first == 0 else [0]))
    return starts, np.append(starts[1:], width) - 1


def _idle(laws: tuple[tuple[float, int, Floats], ...], weight: float) -> tuple[Floats, Floats]:
    """Numbers of idle reports, and masses on them that are nowhere a smaller bound than the law of that number.

    The law is a mixture: of the others alone, and of the others and the one at stake. What the report at stake loses is
    convex in the chance w/(w + idle) that it is a coin, so a mass between two numbers may be divided among them with
    the same mean of that chance.
    """
    (inside, alone, among), (outside, start, rest) = laws
    if len(among) == 1 and outside == 0.0:
        return floats([alone]), floats([inside])
    first = min(alone, start + 1)
    law = np.zeros(max(alone + len(among), start + 1 + len(rest)) - first)
    law[alone - first : alone - first + len(among)] += inside * among
    law[start + 1 - first : start + 1 - first + len(rest)] += outside * rest
    law *= 1 + 8 * UNIT
    numbers = first + np.arange(len(law), dtype=np.float64)
    if len(law) <= _ALL:
        return numbers, law
    mean = float(np.dot(law, numbers) / law.sum()) - first
    reach = 5 * math.sqrt(mean + first) + 1
    middle = np.linspace(max(0.0, mean - reach), min(len(law) - 1.0, mean + reach), _IDLE - 1)
    edges = np.unique(np.concatenate([[0.0], middle, [len(law) - 1.0]]).astype(np.int64))
    spend_composing(len(law) // 4)
    chances = weight / (weight + numbers)
    at = chances[edges]
    place = np.clip(np.searchsorted(edges, np.arange(len(law)), side="right") - 1, 0, len(edges) - 2)
    share = np.clip((chances - at[place + 1]) / (at[place] - at[place + 1]), 0.0, 1.0)
    # The difference of two chances may be small beside them.
    slack = 16 * UNIT / (at[place] - at[place + 1]) * at[place]
    nearer = np.bincount(place, law * (share + slack), len(edges))
    further = np.bincount(place + 1, law * (1 - share + 4 * UNIT), len(edges))
    return numbers[edges], floats((nearer + further) * (1 + 2 * UNIT * len(law)))


def _idlers(trials: int, rate: float) -> tuple[int, Floats]:
    """How many are idle; of very many, the least there are but for e^-75: fewer hide less."""
    mean = trials * rate
    if mean > _MANY:
        return math.floor(mean - math.sqrt(2 * mean * _EXPONENT)) - 1, np.ones(1)
    return _binomial(trials, rate)


def _binomial(trials: int, chance: float) -> tuple[int, Floats]:
    """Where the window begins, and the probabilities in it, rounded up; Chernoff's bounds say how wide it is."""
    if trials == 0 or chance == 0.0:
        return 0, np.ones(1)
    mean = trials * chance
    below = math.sqrt(2 * mean * _EXPONENT)
    above = _EXPONENT / 3 + math.sqrt(_EXPONENT**2 / 9 + 2 * mean * _EXPONENT)
    first, last = max(0, math.floor(mean - below) - 1), min(trials, math.ceil(mean + above) + 1)
    middle = min(max(int((trials + 1) * chance), first), last)
    odds = chance / (1 - chance) if chance < 1 else math.inf
    if math.isinf(odds):
        return trials, np.ones(1)
    up_from = np.arange(middle, last, dtype=np.float64)
    down_from = np.arange(middle, first, -1, dtype=np.float64)
    rises = np.cumprod((trials - up_from) / (up_from + 1) * odds)
    falls = np.cumprod(down_from / (trials - down_from + 1) / odds)
    masses = np.concatenate([falls[::-1], [1.0], rises])
    # Six roundings a step, and the sum by which all are divided.
    return first, floats(masses / masses.sum() * (1 + 16 * UNIT * (len(masses) + 16)))


def _fair(tosses: int) -> tuple[int, Floats]:
    """The window of so many fair coins (Hoeffding), and its probabilities, rounded up."""
    reach = math.ceil(math.sqrt(tosses * _EXPONENT / 2)) + 1
    first, last = max(0, tosses // 2 - reach), min(tosses, tosses // 2 + 1 + reach)
    middle = tosses // 2
    rises = np.cumprod((tosses - np.arange(middle, last)) / (np.arange(middle, last) + 1.0))
    falls = np.cumprod(np.arange(middle, first, -1.0) / (tosses - np.arange(middle, first, -1) + 1.0))
    masses = np.concatenate([falls[::-1], [1.0], rises])
    return first, floats(masses / masses.sum() * (1 + 16 * UNIT * (len(masses) + 16)))


@final
class _Table:
    """Masses at the points of a table; what lies between two points is divided so that nothing becomes less."""

    def __init__(self, points: Floats) -> None:
        self.points = points
        self.masses = np.zeros(len(points))
        self.added = 0

    @classmethod
    def around(cls, crowd: Crowd) -> _Table:
        """Points that are dense within about twelve deviations of the loss, up to the largest loss there is."""
        grown = math.exp(crowd.epsilon)
        coins = max(1.0, crowd.others * crowd.coins)
        share = coins * (grown + 1) / 2
        share /= share + crowd.others * crowd.idle
        deviation = share * 2 * math.expm1(crowd.epsilon) / (grown + 1) / math.sqrt(coins)
        top = up(crowd.epsilon, 4 * FUNCTION)
        reach = min(top, 12 * deviation)
        inner = np.linspace(0.0, reach, _POINTS + 1)
        step, outer = reach / _POINTS, []
        while reach < top:
            step *= _WIDER
            reach = min(top, reach + step)
            outer.append(reach)
        positive = np.concatenate([inner[1:], outer])
        return cls(np.concatenate([-positive[::-1], [0.0], positive]))

    def put(self, gain: float, least: int, most: int, idle: Floats, masses: Floats) -> None:
        """A box: from ``least`` to ``most`` coins, and so much mass for each number of idle reports."""
        first, tosses = _fair(least)
        heads = np.arange(first, first + len(tosses), dtype=np.float64)
        stride = -(-len(heads) // _VALUES)
        if stride > 1:
            # Several values as the largest of them: the loss grows with the number of heads.
            starts = np.arange(0, len(heads), stride)
            tosses = np.add.reduceat(tosses, starts) * (1 + 2 * UNIT * stride)
            heads = heads[np.append(starts[1:], len(heads)) - 1]
        tails = least - heads
        wider = most / least
        whole = idle[:, None] + most * (1 + gain / 2)
        mine = idle[:, None] + wider * (least + gain * heads)
        other = idle[:, None] + wider * (least + gain * tails)
        apart = heads - tails
        losses = np.sign(apart) * np.log1p(wider * gain * np.abs(apart) / np.minimum(mine, other))
        losses += 64 * UNIT * np.abs(losses)
        shares = masses[:, None] * tosses * (mine / whole) * (1 + 32 * UNIT)
        self.add(losses.ravel(), shares.ravel())

    def add(self, losses: Floats, masses: Floats) -> None:
        """Each mass between the two points around its loss, with the same total under both laws (theory D14)."""
        spend_composing(len(losses) // 16)
        points = self.points
        losses = np.clip(losses, points[0], points[-1])
        place = np.clip(np.searchsorted(points, losses, side="right") - 1, 0, len(points) - 2)
        left, right = points[place], points[place + 1]
        share = np.clip(np.expm1(left - losses) / np.expm1(left - right), 0.0, 1.0) * (1 + 4 * FUNCTION)
        rest = np.maximum(1 - share, 0.0) + 4 * FUNCTION
        count = len(points)
        self.masses += np.bincount(place + 1, masses * share, count) + np.bincount(place, masses * rest, count)
        self.added += len(losses)

    def law(self, outside: float) -> AtomicLoss:
        """The law in the table, rounded up, with this much more at the largest loss."""
        masses = self.masses * (1 + 4 * UNIT * (self.added + 64))
        masses[-1] += outside
        keep = masses > 0
        return AtomicLoss(tuple(self.points[keep].tolist()), tuple(masses[keep].tolist()))
