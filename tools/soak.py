"""Many hostile statements: none of them may fault, and both engines must agree on every number.

    python tools/soak.py [--statements 200000] [--seed 1]

One statement in ten is also proved total by the check of widths, and run on a file through the projection.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Run the statements and tell what became of them; 1 if one faulted."""
    from partita.errors import PartitaError
    from partita.query.truncation import Truncation
    from tests.laws.hostile import Laboratory, Statements

    parser = argparse.ArgumentParser(description="Run many hostile statements.")
    parser.add_argument("--statements", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    supply, codes, faults = Statements(given.seed), Counter[str](), 0
    slowest, start = (0.0, ""), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(Path(folder))
        for place in range(given.statements):
            name, question = supply.one()
            cap = Truncation("who", 2, "k") if place % 7 == 0 else None
            began = time.process_time()
            try:
                found = laboratory.programs(name, question, cap)
                slowest = max(slowest, (time.process_time() - began, question))
                if isinstance(found, PartitaError):
                    codes[found.code] += 1
                    continue
                laboratory.run(found, proved=place % 10 == 0, file=place % 10 == 0)
                codes["answered"] += 1
            except Exception as problem:  # noqa: BLE001 - whatever is raised here is what is looked for
                faults += 1
                print(f"FAULT {type(problem).__name__}: {str(problem)[:300]}\n    {question}", flush=True)
            if place % 5000 == 4999:
                print(f"{place + 1} statements, {codes['answered']} answered, {faults} faults", flush=True)
        laboratory.close()
    taken = time.monotonic() - start
    print(f"{given.statements} statements in {taken:.0f} s, {codes['answered']} answered, {faults} faults")
    print(f"slowest to plan or refuse: {slowest[0]:.2f} s: {slowest[1][:200]}")
    for code, count in codes.most_common():
        print(f"    {count:8} {code}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
