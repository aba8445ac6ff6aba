"""Small drawings for pages: no styles of their own, so that a strict policy and both themes can have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import Any, Final

from partita.ledger.reports.history import Moment

MOST_BARS: Final = 40
MOST_CELLS: Final = 60
_LAYOUTS: Final = {"wide": 640, "narrow": 320}
"""Everything is drawn for a desk and for a phone, so that its words have their size on both; one of them is shown."""
_SIDES: Final = {640: (150, 140, 20), 320: (76, 96, 10)}
"""Of bars: the room for names and for what is told, and letters of a name."""
_STEPS: Final = 5


def burn_down(moments: Sequence[Moment], place: int, budget: Any, title: str) -> str:
    """What was left of a budget after each charge, as steps; the last step is now."""
    whole = budget.vector()[0]
    points = [
        (moment.charges, float(1 - moment.spent[place].vector()[0] / whole) if whole else 0.0) for moment in moments
    ]
    last = points[-1][0] or 1

    def drawn(width: int) -> tuple[str, int]:
        height, left, top, right = 170, 60, 14, 12
        wide, tall = width - left - right, height - top - 26

        def spot(charges: float, share: float) -> tuple[float, float]:
            return left + wide * charges / last, top + tall * (1 - max(0.0, share))

        path, before = [], points[0]
        for charges, share in points:
            path += [spot(charges, before[1]), spot(charges, share)]
            before = (charges, share)
        if points[-1][0] == 0:
            path.append(spot(1, points[0][1]))
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in path)
        area = f"{line} {path[-1][0]:.1f},{top + tall} {left},{top + tall}"
        grid = "".join(
            f'<line class="rule" x1="{left}" x2="{left + wide}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share}%</text>'
            for share, y in ((part, top + tall * (1 - part / 100)) for part in (0, 50, 100))
        )
        foot = (
            f'<text class="tick" x="{left}" y="{height - 6}">first charge</text>'
            f'<text class="tick" x="{left + wide}" y="{height - 6}" text-anchor="end">'
            f"now, after {points[-1][0]:,}</text>"
        )
        return f'{grid}<polygon class="area" points="{area}"/><polyline class="line" points="{line}"/>{foot}', height

    return _drawing(drawn, f"{title}: {points[-1][1]:.0%} is left after {points[-1][0]:,} charges.")


def bars(
    labels: Sequence[str], values: Sequence[float], halves: Sequence[float], told: Sequence[str], name: str
) -> str:
    """A bar for every group with its error bar, and what is told of it; lying, so that names have room."""
    shown = list(zip(labels, values, halves, told, strict=True))[:MOST_BARS]
    ends = [(value - _finite(half), value + _finite(half)) for _, value, half, _ in shown]
    low = min([0.0, *(a for a, _ in ends)])
    high = max([0.0, *(b for _, b in ends)]) or 1.0
    row = 26

    def drawn(width: int) -> tuple[str, int]:
        left, right, letters = _SIDES[width]
        wide = width - left - right - 8
        height = row * len(shown) + 12

        def at(value: float) -> float:
            return left + 8 + wide * (value - low) / ((high - low) or 1.0)

        body = [f'<line class="rule" x1="{at(0):.1f}" x2="{at(0):.1f}" y1="4" y2="{height - 6}"/>']
        for place, ((label, value, half, words), (a, b)) in enumerate(zip(shown, ends, strict=True)):
            middle = 6 + row * place + row / 2
            start, length = min(at(0), at(value)), abs(at(value) - at(0))
            body.append(
                f'<text class="label" x="{left - 4}" y="{middle + 4:.1f}" text-anchor="end">'
                f"{escape(label[:letters])}</text>"
                f'<rect class="bar" x="{start:.1f}" y="{middle - 8:.1f}" width="{length:.1f}" height="16"/>'
            )
            if math.isfinite(half):
                body.append(
                    f'<path class="whisker" d="M{at(a):.1f} {middle:.1f}H{at(b):.1f}'
                    f'M{at(a):.1f} {middle - 5:.1f}v10M{at(b):.1f} {middle - 5:.1f}v10"/>'
                )
            body.append(f'<text class="tick" x="{width - right + 8}" y="{middle + 4:.1f}">{escape(words)}</text>')
        return "".join(body), height

    more = f" Only the first {MOST_BARS} of {len(labels)} are drawn." if len(labels) > MOST_BARS else ""
    return _drawing(drawn, f"{name} with error bars for {len(labels)} groups.{more}")


def heat(x: Sequence[str], y: Sequence[str], spent: Sequence[Sequence[float]], names: tuple[str, str]) -> str:
    """How much of a promise is spent on each combination; the darker, the more. Many values are drawn together."""
    across, along = _binned(len(x)), _binned(len(y))
    names_at = [escape(name) for name in names]
    steps = [[_step(spent, a, b) for a in across] for b in along]

    def drawn(width: int) -> tuple[str, int]:
        left, bottom, tall = 90, 46, max(60, min(300, 22 * len(along)))
        top = 20
        wide, height = width - left - 12, top + tall + bottom
        w, h, middle = wide / len(across), tall / len(along), left + wide / 2
        cells = [
            f'<rect class="heat{step}" x="{left + i * w:.1f}" y="{top + tall - (j + 1) * h:.1f}" '
            f'width="{count * w:.1f}" height="{h:.1f}"/>'
            for j, line in enumerate(steps)
            for i, count, step in _runs(line)
        ]
        cells += [
            f'<text class="tick" x="{left - 6}" y="{top + tall - (j + 0.5) * h + 4:.1f}" text-anchor="end">'
            f"{escape(y[along[j][0]][:12])}</text>"
            for j in _few(len(along), 10)
        ]
        cells += [
            f'<text class="tick" x="{left + (i + 0.5) * w:.1f}" y="{top + tall + 16}" text-anchor="middle">'
            f"{escape(x[across[i][0]][:10])}</text>"
            for i in _few(len(across), max(2, wide // 70))
        ]
        cells += [
            f'<text class="label" x="{middle:.1f}" y="{top + tall + 38}" text-anchor="middle">{names_at[0]}</text>',
            f'<text class="label" x="4" y="12">{names_at[1]}</text>',
        ]
        return "".join(cells), height

    most = max((max(line, default=0.0) for line in spent), default=0.0)
    return _drawing(drawn, f"Share of the promise spent by {names[0]} and {names[1]}; at most {most:.0%}.")


def _step(spent: Sequence[Sequence[float]], across: tuple[int, int], along: tuple[int, int]) -> int:
    """How dark a cell is: by the most that is spent in it."""
    share = max(spent[p][q] for p in range(*across) for q in range(*along))
    return 0 if share <= 0 else min(_STEPS, 1 + int(share * _STEPS))


def _runs(line: Sequence[int]) -> list[tuple[int, int, int]]:
    """Where equal neighbours begin, how many they are, and what they are.

    >>> _runs([0, 0, 3])
    [(0, 2, 0), (2, 1, 3)]
    """
    found: list[tuple[int, int, int]] = []
    for step, part in groupby(line):
        found.append((sum(count for _, count, _ in found), len(list(part)), step))
    return found


def _drawing(drawn: Callable[[int], tuple[str, int]], told: str) -> str:
    said, found = escape(told), []
    for layout, width in _LAYOUTS.items():
        body, height = drawn(width)
        found.append(
            f'<svg class="drawing {layout}" viewBox="0 0 {width} {height}" role="img" aria-label="{said}">'
            f"<title>{said}</title>{body}</svg>"
        )
    return "".join(found)


def _finite(half: float) -> float:
    return half if math.isfinite(half) else 0.0


def _binned(count: int) -> list[tuple[int, int]]:
    parts = min(count, MOST_CELLS)
    return [(count * at // parts, count * (at + 1) // parts) for at in range(parts)]


def _few(count: int, most: int) -> list[int]:
    step = max(1, -(-count // most))
    return list(range(0, count, step))
