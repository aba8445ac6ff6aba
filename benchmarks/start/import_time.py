"""How long a newcomer waits: `import partita` and the first noisy number, against `import numpy` in the same run."""

from __future__ import annotations

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
}


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    bare = statistics.median(seconds("pass") for _ in range(ROUNDS))
    times: dict[str, list[float]] = {name: [] for name in SNIPPETS}
    for _ in range(ROUNDS):
        for name, code in SNIPPETS.items():
            times[name].append(seconds(code) - bare)
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["import numpy"]
    lines = [
        "# Start-up",
        "",
        f"Medians of {ROUNDS} interleaved rounds, Python's own start ({bare * 1000:.0f} ms) taken off.",
        "Goal: `import partita` at most 2.5 times `import numpy`.",
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
