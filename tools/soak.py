"""Many hostile statements: none of them may fault, and both engines must agree on every number.

    python tools/soak.py [--statements 200000] [--questions 20000] [--seed 1]

Questions are written in SQL and go all the way from their words; one in ten is also proved total by the check of
widths, and run on a file through the projection. The other statements are put together from expressions and run many
at a time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from partita.errors import PartitaError  # noqa: E402
from partita.query.exact.program import Tally  # noqa: E402
from partita.query.tables.truncation import Truncation  # noqa: E402
from tests.laws.hostile import Laboratory, Statements  # noqa: E402
from tests.laws.hostile_trees import Trees  # noqa: E402

BATCH = 25


def asked(laboratory: Laboratory, count: int, seed: int, codes: Counter[str]) -> Iterator[str]:
    """Questions in SQL, one by one; tells of each fault."""
    supply = Statements(seed)
    for place in range(count):
        name, question = supply.one()
        try:
            found = laboratory.programs(name, question, Truncation("who", 2, "k") if place % 7 == 0 else None)
            if isinstance(found, PartitaError):
                codes[found.code] += 1
                continue
            laboratory.run(found, proved=place % 10 == 0, file=place % 10 == 0)
            codes["answered"] += 1
        except Exception as problem:  # noqa: BLE001 - whatever is raised here is what is looked for
            yield f"{type(problem).__name__}: {str(problem)[:300]} in {question}"
        if place % 1000 == 999:
            print(f"{place + 1} questions, {codes['answered']} answered", flush=True)


def built(laboratory: Laboratory, count: int, seed: int, codes: Counter[str]) -> Iterator[str]:
    """Aggregates of expressions, many in one statement; tells of each fault."""
    supply = Trees(seed, laboratory)
    waiting: list[tuple[Tally, ...]] = []
    for place in range(count):
        try:
            found = supply.tallies()
        except Exception as problem:  # noqa: BLE001
            yield f"{type(problem).__name__} when planned: {str(problem)[:300]}"
            continue
        if isinstance(found, PartitaError):
            codes[found.code] += 1
        else:
            codes["answered"] += 1
            waiting.append(found)
        if len(waiting) == BATCH or place == count - 1:
            yield from _together(laboratory, supply, waiting)
            waiting = []
        if place % 5000 == 4999:
            print(f"{place + 1} statements, {codes['answered']} answered", flush=True)
        if place % 20_000 == 19_999:
            supply = Trees(seed + place + 1, laboratory)


def _together(laboratory: Laboratory, supply: Trees, listed: list[tuple[Tally, ...]]) -> Iterator[str]:
    for name in ("all", supply.words.pick("none", "one")):
        table = laboratory.tables[name]
        tallies = tuple(dict.fromkeys(tally for one in listed for tally in one))
        try:
            laboratory.run(supply.program(tallies, table), proved=False, file=False)
        except Exception as problem:  # noqa: BLE001
            if len(listed) == 1:
                yield f"{type(problem).__name__}: {str(problem)[:300]} in {tallies}"
                return
            for one in listed:
                yield from _together(laboratory, supply, [one])
            return


def main() -> int:
    """Run the statements and tell what became of them; 1 if one faulted."""
    parser = argparse.ArgumentParser(description="Run many hostile statements.")
    parser.add_argument("--statements", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=20_000, help="how many of them are written in SQL")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    codes, faults, start = Counter[str](), 0, time.monotonic()
    questions = min(given.questions, given.statements)
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(Path(folder))
        for supply, count in ((built, given.statements - questions), (asked, questions)):
            for fault in supply(laboratory, count, given.seed, codes):
                faults += 1
                print(f"FAULT {fault}", flush=True)
        laboratory.close()
    taken = time.monotonic() - start
    print(f"{given.statements} statements in {taken:.0f} s, {codes['answered']} answered, {faults} faults")
    for code, count in codes.most_common():
        print(f"    {count:8} {code}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
