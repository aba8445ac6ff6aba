"""The same questions by every library that installs, in one run: how long, how exact, and what is booked.

    python benchmarks/libraries/side_by_side.py [--rows 100000] [--rounds 3] [--only opendp,diffprivlib]

Each library runs in an environment of its own, made when first needed. Writes RESULTS.md and speed.svg here.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

import partita as pt

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / "others"))
sys.path.insert(0, str(HERE.parent / "queries"))

from _environments import WANTED, ask  # noqa: E402
from run import REGIONS, made  # noqa: E402
from timing import timed  # noqa: E402

Q2 = "SELECT region, COUNT(*) AS n, SUM(income) AS total, AVG(income) AS mean FROM people GROUP BY region"
Q3 = "SELECT age, region, COUNT(*) AS n FROM people GROUP BY age, region"


HEAD = """\
Written by `benchmarks/libraries/side_by_side.py` on {date}: {machine}, {rows} rows of parquet.
Milliseconds a question, medians of warm runs (in brackets: times plain DuckDB on one thread). Q1 COUNT(*); Q2 COUNT,
SUM, AVG of 20 groups at ε = 1 in total; Q3 2,020 cells at ε = 1; Q6 different filtered counts at ε = 0.01, answers a
second. Errors: root mean square over the 20 groups of Q2. Booked: what 1,000 of Q6's counts cost one person in that
library's own accounting (– where it does not say). Partita charges each answer durably.
"""


def filtered(place: int) -> str:
    """One of a thousand different conditions."""
    low = place % 40
    return f"age BETWEEN {low} AND {60 + (place // 40) % 40} AND region = '{REGIONS[place % 20]}'"


def by_duckdb(path: Path, rounds: int) -> dict[str, Any]:
    """The exact answers, and the time they take with no privacy at all."""
    base = duckdb.connect(config={"threads": 1})
    base.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{path}')")

    def run(sql: str) -> list[tuple[Any, ...]]:
        return base.execute(sql).fetchall()

    def many() -> None:
        for place in range(200):
            run(f"SELECT COUNT(*) FROM people WHERE {filtered(place)}")

    answer = {row[0]: row for row in run(Q2)}
    return {
        "version": duckdb.__version__,
        "Q1": timed(lambda: run("SELECT COUNT(*) FROM people"), rounds),
        "Q2": timed(lambda: run(Q2), rounds),
        "Q3": timed(lambda: run(Q3), rounds),
        "Q6": 200 / timed(many, 1),
        "counts": [answer[name][1] for name in REGIONS],
        "sums": [answer[name][2] for name in REGIONS],
        "booked": None,
    }


def by_partita(path: Path, rounds: int) -> dict[str, Any]:
    """Durable charges on disk, the region account on, an answer with error bars for each question."""
    columns = {
        "age": pt.integers(0, 100, missing=0),
        "region": pt.categories(*REGIONS, other=REGIONS[0], missing=REGIONS[0]),
        "income": pt.integers(0, 200_000, missing=0),
    }
    with tempfile.TemporaryDirectory() as folder:

        def curator(name: str) -> pt.Curator:
            table = pt.Table("people", source=str(path), columns=columns)
            promise = pt.Promise(pt.rows(), pt.Pure(epsilon=10**6))
            return pt.Curator(tables=[table], promises=[promise], ledger=str(Path(folder) / name))

        held, price = curator("all.ledger"), iter(range(10**6))

        def asked(sql: str) -> Any:
            # A price of its own each time, and no reuse: what was answered before would be free.
            return held.ask(sql, epsilon=f"1.{next(price):06d}", reuse=False)

        answer = {row["region"]: row for row in held.ask(Q2, epsilon=1).rows()}
        found = {
            "version": pt.__version__,
            "Q1": timed(lambda: asked("SELECT COUNT(*) AS n FROM people"), rounds),
            "Q2": timed(lambda: asked(Q2), rounds),
            "Q3": timed(lambda: asked(Q3), rounds),
        }
        bill = curator("bill.ledger")

        def many() -> None:
            for place in range(500):
                bill.ask(f"SELECT COUNT(*) AS n FROM people WHERE {filtered(place + done[0])}", epsilon="0.01")
            done[0] += 500

        done = [0]
        rate = 500 / timed(many, 1)
        loss = bill.spent()[0]
        assert isinstance(loss, pt.Pure)
        return {
            **found,
            "Q6": rate,
            "counts": [answer[name]["n"] for name in REGIONS],
            "sums": [answer[name]["total"] for name in REGIONS],
            "booked": float(loss.epsilon),
        }


def rms(found: list[float], exact: list[float]) -> float:
    """The root mean square of what is off."""
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, exact, strict=True)) / len(exact))


def line(name: str, found: dict[str, Any] | str, plain: dict[str, Any]) -> str:
    """One line of the table."""
    if isinstance(found, str):
        return f"| {name} | {found} | | | | | | | |"
    cells = [f"{1000 * found[q]:,.3g} ms ({found[q] / plain[q]:,.1f})" for q in ("Q1", "Q2", "Q3")]
    whole = len(found["counts"]) == len(plain["counts"])
    errors = [f"{rms(found[what], plain[what]):,.3g}" if whole else "groups missing" for what in ("counts", "sums")]
    booked = "–" if found["booked"] is None else f"ε = {found['booked']:g}"
    return (
        f"| {name} | {found['version']} | {' | '.join(cells)} | {found['Q6']:,.3g} | {' | '.join(errors)} | {booked} |"
    )


def picture(found: dict[str, dict[str, Any] | str], plain: dict[str, Any]) -> None:
    """Times plain DuckDB, library by library."""
    from matplotlib.figure import Figure

    shown = {name: part for name, part in found.items() if not isinstance(part, str)}
    figure = Figure(figsize=(7.2, 3.8), layout="constrained")
    axes = figure.subplots()
    for place, (question, hatch, colour) in enumerate((("Q2", "", "#0072B2"), ("Q3", "//", "#D55E00"))):
        ratios = [part[question] / plain[question] for part in shown.values()]
        axes.barh(
            [at + 0.4 * place for at in range(len(shown))], ratios, 0.38, hatch=hatch, color=colour, label=question
        )
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks([at + 0.2 for at in range(len(shown))], list(shown))
    axes.set(xscale="log", xlabel="times plain DuckDB (shorter is better)")
    axes.legend()
    figure.savefig(HERE / "speed.svg")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=420)
    parser.add_argument("--only", default=",".join(WANTED))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder), chosen.rows)
        plain = by_duckdb(path, chosen.rounds)
        found: dict[str, dict[str, Any] | str] = {"Partita": by_partita(path, chosen.rounds)}
        for name in filter(None, chosen.only.split(",")):
            found[name] = ask(name, str(path), str(chosen.rounds), timeout=chosen.timeout)
    lines = [
        "# Libraries side by side",
        "",
        HEAD.format(
            date=f"{datetime.now(UTC):%Y-%m-%d}",
            machine=f"{platform.machine()}, Python {platform.python_version()}",
            rows=f"{chosen.rows:,}",
        ),
        "| library | version | Q1 | Q2 | Q3 | Q6 a second | error of counts | error of sums | 1,000 counts booked as |",
        "|---|---|---|---|---|---|---|---|---|",
        line("DuckDB, no privacy", plain, plain),
        *(line(name, part, plain) for name, part in found.items()),
    ]
    print("\n".join(lines))
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    picture(found, plain)


if __name__ == "__main__":
    main()
