"""How long a newcomer waits: `import partita`, the first noisy number, the first answer, against `import numpy`."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
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


def run(code: str, compiled: str) -> None:
    """A fresh interpreter that finds modules compiled, as they are once a package is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**kept, "PYTHONPYCACHEPREFIX": compiled})


def seconds(code: str, compiled: str) -> float:
    start = time.perf_counter()
    run(code, compiled)
    return time.perf_counter() - start


def processor_seconds(code: str, compiled: str) -> float:
    """The processor time of a fresh interpreter, which a busy machine does not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(code, compiled)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(compiled: str) -> tuple[float, dict[str, float], dict[str, float]]:
    """Python's own start, and for each snippet the wall time beyond it and the processor time of the whole."""
    for code in SNIPPETS.values():
        run(code, compiled)
    bare = statistics.median(seconds("pass", compiled) for _ in range(ROUNDS))
    times: dict[str, list[float]] = {name: [] for name in SNIPPETS}
    spent: dict[str, list[float]] = {name: [] for name in SNIPPETS}
    for _ in range(ROUNDS):
        for name, code in SNIPPETS.items():
            times[name].append(seconds(code, compiled) - bare)
            spent[name].append(processor_seconds(code, compiled))
    return bare, *({name: statistics.median(values) for name, values in kind.items()} for kind in (times, spent))


def main() -> None:
    with tempfile.TemporaryDirectory() as compiled:
        bare, medians, spent = measure(compiled)
    base = medians["import numpy"]
    lines = [
        "# Start-up",
        "",
        f"Medians of {ROUNDS} interleaved rounds, Python's own start ({bare * 1000:.0f} ms) taken off.",
        "Goals: `import partita` at most 2.5 times `import numpy`; from a cold import to the first answer under 1.5 s.",
        "Modules are compiled, as an installer leaves them; processor times are those of the whole interpreter.",
        "",
        "| what | ms | times numpy | processor ms |",
        "|---|---|---|---|",
        *(
            f"| {name} | {value * 1000:.0f} | {value / base:.2f} | {spent[name] * 1000:.0f} |"
            for name, value in medians.items()
        ),
    ]
    text = "\n".join(lines) + "\n"
    (Path(__file__).parent / "RESULTS.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
