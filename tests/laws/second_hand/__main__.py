"""The soak: python -m tests.laws.second_hand [neighbours] [first scenario] [ways of being protected]."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from tests.laws.second_hand.judge import judged
from tests.laws.second_hand.scenarios import UNITS, scenario

TOLD_EVERY = 20


def soak(goal: int, first: int = 0, names: tuple[str, ...] = tuple(UNITS)) -> bool:
    """Scenarios one after the other until so many neighbours were compared; whether nothing was wrong."""
    warnings.simplefilter("ignore")
    counted, refused = Counter[str](), Counter[str]()
    answered, wrong, start, number = 0, 0, time.monotonic(), first
    while counted.total() < goal:
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                verdict = judged(scenario(name, number), Path(folder))
            counted[name] += verdict.neighbours
            answered += verdict.answered
            refused += verdict.refused
            wrong += len(verdict.wrong)
            say(*verdict.wrong[:1])
        number += 1
        if number % TOLD_EVERY == 0:
            say(f"{counted.total():8,} neighbours to scenario {number}, {answered} answers; {wrong} violations")
    taken, total = time.monotonic() - start, counted.total()
    say(*(f"{counted[name]:8,} {name}" for name in names))
    say(f"{total:8,} neighbours in {taken:.0f} s, {3600 * total / taken:,.0f} an hour; {wrong} violations")
    say(f"{answered} answers; refused: {dict(refused.most_common())}")
    return not wrong


def say(*lines: str) -> None:
    """Write lines as they come."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    chosen = tuple(text for text in sys.argv[1:] if not text.isdigit())
    goal, first = [*numbers, *(2000, 0)[len(numbers) :]]
    raise SystemExit(not soak(goal, first, chosen or tuple(UNITS)))
