"""Times hostile questions and documents, each in a process of its own, and prints the slowest.

    python benchmarks/effort/run.py [part of a name ...]

Every case is stopped after some seconds and has a limit on memory, so that a system without bounds can be measured too.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

from hostile import MOST_CHARACTERS, questions, tables

import partita as pt
from partita.errors import PartitaError

LONGEST = float(os.environ.get("LONGEST", "15"))
MEMORY = 3 * 2**30
PROMISES = {
    "rows": lambda: [pt.Promise(pt.rows(), pt.ZCDP(rho="1", delta="1e-6"))],
    "replace": lambda: [pt.Promise(pt.replace(), pt.ZCDP(rho="1", delta="1e-6"))],
    "pure": lambda: [pt.Promise(pt.rows(), pt.Pure(epsilon="1"))],
}


def priced(kind: str, text: str, pipe: Any) -> None:
    """Price one question, and say what came of it and how long it took."""
    curator = pt.Curator(tables=tables(), promises=PROMISES[kind]())
    curator.quote("SELECT region, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY region", epsilon="0.01")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.process_time()
    try:
        offer = curator.quote(text, epsilon="0.01")
        found = f"priced, {len(offer.quote.region.boxes)} boxes"
    except PartitaError as problem:
        found = problem.code if "too-much" not in problem.code else f"{problem.code}: {problem.message[55:100]}"
    except MemoryError:
        found = "MEMORY"
    except Exception as problem:  # noqa: BLE001
        found = f"RAISED {type(problem).__name__}: {str(problem)[:80]}"
    pipe.send((found, time.process_time() - start))


def timed(kind: str, text: str) -> tuple[str, float]:
    """What comes of a question, and after how many seconds."""
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=priced, args=(kind, text, there))
    child.start()
    there.close()
    try:
        found: tuple[str, float] = here.recv() if here.poll(LONGEST) else ("STOPPED", LONGEST)
    except EOFError:
        found = ("DIED", 0.0)
    child.kill()
    child.join()
    return found


def main() -> None:
    """Price every question under every kind of promise."""
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:]
    kinds = os.environ.get("PROMISES", "rows").split(",")
    slowest = []
    for kind in kinds:
        for name, text in questions().items():
            if wanted and not any(part in name for part in wanted):
                continue
            found, seconds = timed(kind, text)
            mark = "" if len(text) <= MOST_CHARACTERS else f"  ({len(text)} characters)"
            print(f"{kind:8} {name:28} {seconds:8.3f} s  {found}{mark}", flush=True)
            slowest.append((seconds, kind, name, found))
    print("\nslowest:")
    for seconds, kind, name, found in sorted(slowest, reverse=True)[:12]:
        print(f"{kind:8} {name:28} {seconds:8.3f} s  {found}")


if __name__ == "__main__":
    main()
