"""How long a newcomer waits: `import partita`, the first noisy number, the first answer, against `import numpy`."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
SNIPPETS = {
    "import numpy": "import numpy",
    "import partita": "import partita",
    "import partita, first noisy number": "import partita as pt; pt.Laplace(scale=10).release([1234])",
    "import partita, first composition": (
        "import partita as pt; pt.compose([(pt.Laplace(epsilon='0.1'), 100)], delta=1e-6)"
    ),
    "import partita, first answer": (
        "import partita as pt\n"
        "rows = [{'age': i % 100, 'region': 'NSEW'[i % 4]} for i in range(1000)]\n"
        "columns = {'age': pt.integers(0, 120), 'region': pt.categories('N', 'S', 'E', 'W')}\n"
        "promise = pt.Promise(pt.rows(), pt.ZCDP(rho=1))\n"
        "curator = pt.Curator(tables=[pt.Table('t', source=rows, columns=columns)], promises=[promise])\n"
        "curator.ask('SELECT region, COUNT(*) AS n FROM t GROUP BY region', rho='0.1').rows()"
    ),
}
ANSWER = "import partita, first answer"


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def processor_seconds(code: str) -> float:
    """The processor time of a fresh interpreter, which a busy machine does not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    bare = statistics.median(seconds("pass") for _ in range(ROUNDS))
    times: dict[str, list[float]] = {name: [] for name in SNIPPETS}
    for _ in range(ROUNDS):
        for name, code in SNIPPETS.items():
            times[name].append(seconds(code) - bare)
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["import numpy"]
    spent = statistics.median(processor_seconds(SNIPPETS[ANSWER]) for _ in range(5))
    lines = [
        "# Start-up",
        "",
        f"Medians of {ROUNDS} interleaved rounds, Python's own start ({bare * 1000:.0f} ms) taken off.",
        "Goals: `import partita` at most 2.5 times `import numpy`; from a cold import to the first answer under 1.5 s.",
        f"Processor time from a cold interpreter to the first answer: {spent:.2f} s.",
        "",
        "| what | ms | times numpy |",
        "|---|---|---|",
        *(f"| {name} | {value * 1000:.0f} | {value / base:.2f} |" for name, value in medians.items()),
    ]
    text = "\n".join(lines) + "\n"
    (Path(__file__).parent / "RESULTS.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
