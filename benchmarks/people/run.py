"""Promises on people: rows kept once, joins of tables, the bill across tables, and nine questions of TPC-H.

    python benchmarks/people/run.py [--rows 10000000] [--rounds 2] [--people 100000] [--customers 15000] [--folder F]

Writes RESULTS.md beside this file. Plain DuckDB does the same work in the same run, in interleaved rounds. Times are
those of the processor, all threads together, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

import partita as pt
from partita.engine.duckdb import DuckDB

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import _tpch  # noqa: E402

REGIONS = [f"region_{place:02d}" for place in range(20)]
MOST = 10
ROWS = 10_000_000
FEWER = f" The goals are for {ROWS:,} rows; there are fewer here because the machine was busy."


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def beside(plain: Callable[[], object], ours: Callable[[int], object], rounds: int) -> tuple[float, float, float]:
    """Median seconds of both, and the median ratio, over interleaved rounds after one that warms up."""
    pairs = [(cpu(plain), cpu(lambda turn=turn: ours(turn))) for turn in range(rounds + 1)][1:]  # type: ignore[misc]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    return statistics.median(first), statistics.median(second), statistics.median(b / a for a, b in pairs)


def line(name: str, found: tuple[float, float, float], goal: str) -> str:
    text = f"| {name} | {found[0]:.3f} s | {found[1]:.3f} s | {found[2]:.3f} | {goal} |"
    print(text, flush=True)
    return text


# --- users of one table --------------------------------------------------------------------------------------------


def visits_of_users(folder: Path, rows: int) -> Path:
    """Ten rows an owner on average, some with many more, with a fixed seed."""
    path = folder / f"users_{rows}.parquet"
    if not path.exists():
        draws = np.random.default_rng(0)
        place = draws.integers(0, 20, rows).astype(np.int8)
        table = pa.table(
            {
                "user_id": (rows // 10 * draws.random(rows) ** 1.5).astype(np.int64),
                "age": np.clip(draws.normal(45, 20, rows), 0, 100).astype(np.int32),
                "region": pa.DictionaryArray.from_arrays(pa.array(place), pa.array(REGIONS)).cast(pa.string()),
                "income": np.clip(draws.lognormal(10.5, 0.8, rows), 0, 200_000).astype(np.int32),
                "day": draws.integers(0, 365, rows).astype(np.int32),
            }
        )
        parquet.write_table(table, path)
    return path


def users_table(path: Path) -> pt.Table:
    return pt.Table(
        "people",
        source=str(path),
        columns={
            "user_id": pt.identifier(),
            "age": pt.integers(0, 100, missing=0),
            "region": pt.categories(*REGIONS),
            "income": pt.integers(0, 200_000, missing=0),
            "day": pt.integers(0, 364, missing=0),
        },
    )


BOUNDED = f"""(SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY hash(age, region, income, day)) AS place FROM people
) WHERE place <= {MOST})"""
BY_REGION = "SELECT region, COUNT(*) AS n, SUM(income) AS total FROM {} GROUP BY region"
OLD = "SELECT COUNT(DISTINCT user_id) AS n FROM {} WHERE age > 65"
SPENDING = """SELECT COUNT(*) AS n FROM (
    SELECT user_id, {} AS total FROM {} WHERE day < 180 GROUP BY user_id) AS t WHERE total > 100000"""
FEW_ROWS = f"""(SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY place) AS again FROM {BOUNDED} WHERE day < 180
) WHERE again <= 2)"""
FEW_REGIONS = f"""(SELECT * FROM (
    SELECT *, DENSE_RANK() OVER (PARTITION BY user_id ORDER BY hash(user_id, region)) AS part FROM {BOUNDED}
) WHERE part <= 3)"""


def users(folder: Path, rows: int, rounds: int) -> list[str]:
    path = visits_of_users(folder, rows)
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{path}')")
    promise = pt.Promise(pt.users("user_id", rows=MOST), pt.ZCDP(rho=10**6))
    table = users_table(path)
    engine = DuckDB([table], threads=1, copied_below=0)
    with pt.Curator(tables=[users_table(visits_of_users(folder, 1_000))], promises=[promise]):
        pass  # what is loaded and compiled once is not timed
    sorted_copy = f"COPY (SELECT * FROM people ORDER BY user_id) TO '{folder}/sorted.parquet' (FORMAT parquet)"
    copied = cpu(lambda: connection.execute(sorted_copy))
    opened: list[pt.Curator] = []
    kept = cpu(lambda: opened.append(pt.Curator(tables=[table], promises=[promise], backend=engine)))
    (curator,) = opened
    (owners,) = connection.execute("SELECT COUNT(DISTINCT user_id) FROM people").fetchall()[0]
    lines = [
        f"## Users of one table: {rows:,} rows of {owners:,} owners in parquet, at most {MOST} rows each, one thread",
        "",
        "| question | plain DuckDB, bounding in its query | curator, on kept rows | ratio | goal |",
        "|---|---|---|---|---|",
    ]
    asked = {
        "COUNT and SUM by region": (BY_REGION.format(BOUNDED), BY_REGION.format("people"), {}),
        "owners over 65": (OLD.format(BOUNDED), OLD.format("people"), {}),
        "owners who spent more than 100,000": (
            SPENDING.format("SUM(income)", BOUNDED),
            SPENDING.format("SUM(income)", "people"),
            {},
        ),
        "COUNT in half a year, 2 rows an owner": (
            f"SELECT COUNT(*) AS n FROM {FEW_ROWS}",
            "SELECT COUNT(*) AS n FROM people WHERE day < 180",
            {"rows_per_user": 2},
        ),
        "COUNT and SUM by region, 3 regions an owner": (
            BY_REGION.format(FEW_REGIONS),
            BY_REGION.format("people"),
            {"groups_per_user": 3},
        ),
    }
    for name, (plain, question, caps) in asked.items():
        found = beside(
            lambda plain=plain: connection.execute(plain).fetchall(),  # type: ignore[misc]
            lambda turn, question=question, caps=caps: curator.ask(  # type: ignore[misc]
                question, rho=1 + turn, reuse=False, **caps
            ),
            rounds,
        )
        lines.append(line(name, found, "0.1"))
    lines += [
        "",
        "Opening it on a file that is not sealed, once; what sealing takes is in GROWTH.md.",
        "",
        "| once | plain DuckDB, its copy sorted by owner to parquet | curator, kept rows | ratio | |",
        "|---|---|---|---|---|",
        line("making the copy", (copied, kept, kept / copied), ""),
        "",
    ]
    curator.close()
    engine.close()
    return lines


# --- people across tables ------------------------------------------------------------------------------------------


def hospital(people: int) -> dict[str, pa.Table]:
    """Patients, up to 8 visits each, up to 3 prescriptions a visit; nobody has more rows than the promise keeps."""
    draws = np.random.default_rng(1)
    visiting = np.repeat(np.arange(people), draws.integers(0, 9, people))
    prescribing = np.repeat(np.arange(len(visiting)), draws.integers(0, 4, len(visiting)))
    place = pa.array(draws.integers(0, 20, people).astype(np.int8))
    return {
        "patients": pa.table(
            {
                "patient": np.arange(people),
                "region": pa.DictionaryArray.from_arrays(place, pa.array(REGIONS)).cast(pa.string()),
                "age": draws.integers(0, 101, people).astype(np.int32),
            }
        ),
        "visits": pa.table(
            {
                "visit": np.arange(len(visiting)),
                "patient": visiting,
                "day": draws.integers(0, 365, len(visiting)).astype(np.int32),
                "cost": draws.integers(0, 1_001, len(visiting)).astype(np.int32),
            }
        ),
        "prescriptions": pa.table(
            {
                "visit": prescribing,
                "packs": draws.integers(0, 11, len(prescribing)).astype(np.int32),
            }
        ),
    }


# Asked with another day each time, at one price: an equal question would be answered from the book.
JOIN = """
    SELECT p.region, COUNT(*) AS n, SUM(r.packs) AS packs, SUM(v.cost) AS cost
    FROM prescriptions r JOIN visits v ON r.visit = v.visit JOIN patients p ON p.patient = v.patient
    WHERE p.age > 50 AND v.day < {} GROUP BY p.region"""


@contextmanager
def clinic(sources: dict[str, pa.Table]) -> Iterator[pt.Curator]:
    tables = [
        pt.Table(
            "patients",
            source=sources["patients"],
            columns={
                "patient": pt.identifier(),
                "region": pt.categories(*REGIONS),
                "age": pt.integers(0, 100, missing=0),
            },
        ),
        pt.Table(
            "visits",
            source=sources["visits"],
            columns={
                "visit": pt.key(),
                "patient": pt.identifier(),
                "day": pt.integers(0, 364, missing=0),
                "cost": pt.integers(0, 1_000, missing=0),
            },
        ),
        pt.Table(
            "prescriptions",
            source=sources["prescriptions"],
            columns={"visit": pt.key(), "packs": pt.integers(0, 10, missing=0)},
        ),
    ]
    people = pt.persons(
        "patient",
        table="patients",
        rows={"visits": 8, "prescriptions": 24},
        through={"prescriptions": ("visit", "visits")},
    )
    with pt.Curator(tables=tables, promises=[pt.Promise(people, pt.ZCDP(rho=10**6))]) as curator:
        yield curator


def joins(people: int, rounds: int) -> list[str]:
    sources = hospital(people)
    connection = duckdb.connect()
    for name, source in sources.items():
        connection.register("source_", source)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM source_")
        connection.unregister("source_")
    sizes = ", ".join(f"{source.num_rows:,} {name}" for name, source in sources.items())
    with clinic(sources) as curator:
        found = beside(
            lambda: connection.execute(JOIN.format(200)).fetchall(),
            lambda turn: curator.ask(JOIN.format(200 + turn), rho=1, reuse=False),
            3 * rounds,
        )
        program = curator.quote(JOIN.format(200), rho=1).quote.program
        alone = beside(
            lambda: connection.execute(JOIN.format(200)).fetchall(),
            lambda _: curator._engine.run(program),  # the rest of a question does not grow with the rows
            3 * rounds,
        )
        lines = [
            f"## People across tables: {sizes}",
            "",
            "Nobody has more rows than are kept, so that plain DuckDB joins the same rows, from tables of its own.",
            "",
            "| question | plain DuckDB | curator | ratio | goal |",
            "|---|---|---|---|---|",
            line("three tables joined, COUNT and two SUMs by region", found, "1.5"),
            line("the same, the engine's part alone", alone, "1.5"),
            "",
        ]
    few = hospital(2_000)
    with clinic(few) as curator:
        for place, region in enumerate(REGIONS):
            source = (
                "patients p",
                "visits v JOIN patients p ON p.patient = v.patient",
                "prescriptions r JOIN visits v ON r.visit = v.visit JOIN patients p ON p.patient = v.patient",
            )[place % 3]
            curator.ask(f"SELECT COUNT(*) AS n FROM {source} WHERE p.region = '{region}'", rho="0.5")
        bill = curator.spent()[0]
    text = f"20 questions at ρ = 0.5, each about patients of another region, in three tables: the ledger holds {bill}."
    print(text, flush=True)
    return [*lines, "## The bill", "", f"{text} Summed they would cost ρ = 10.", ""]


# --- TPC-H ---------------------------------------------------------------------------------------------------------


def answered(curator: pt.Curator, question: str) -> tuple[str, str]:
    """What came of it as cells of a table, and the refusal if there is one."""
    start = time.process_time()
    try:
        answer = curator.ask(question, rho=1)
    except pt.PartitaError as refusal:
        return "refused | | | |", f"`{refusal.code}`: {str(refusal).splitlines()[0]}"
    spent = time.process_time() - start
    rows = answer.rows()
    shares = []
    for name, halves in answer.error().items():
        least = min(half / abs(row[name]) for half, row in zip(halves, rows, strict=True) if row[name])
        shares.append(f"{name} {100 * least:.3g} %")
    groups = f"{len(rows)} {'group' if len(rows) == 1 else 'groups'}"
    return f"answered, {groups} | {answer.cost} | {', '.join(shares)} | {spent:.2f} s |", ""


def tpch(folder: Path, customers: int) -> list[str]:
    files = _tpch.made(folder, customers)
    opened: list[pt.Curator] = []
    seconds = cpu(lambda: opened.append(_tpch.curator(files)))
    sizes = ", ".join(f"{parquet.read_metadata(path).num_rows:,} rows of {name}" for name, path in files.items())
    lines = [
        f"## Questions of TPC-H about customers: {sizes}",
        "",
        (
            f"A small database of our own making in the manner of TPC-H; at most {_tpch.CAPS['orders']} orders and "
            f"{_tpch.CAPS['lineitem']} lines of a customer are kept. Opening took {seconds:.1f} s. Each question costs "
            f"ρ = 1. The error is the half-width of the 95 % error bar as a share of the value, of the group where it "
            f"is least."
        ),
        "",
        "| question | as it is written | cost | error | time |",
        "|---|---|---|---|---|",
    ]
    refusals = []
    with opened[0] as curator:
        for name, question in _tpch.WRITTEN.items():
            found, refusal = answered(curator, question)
            lines.append(f"| {name} | {found}")
            print(lines[-1], refusal, flush=True)
            if refusal:
                refusals.append(f"- **{name}** {refusal}")
        lines += ["", "What is refused as it is written, and why:", "", *refusals, ""]
        lines += ["What can be asked in place of it, about groups of customers (`INSTEAD` in `_tpch.py`):", ""]
        lines += ["| question | asked instead | cost | error | time |", "|---|---|---|---|---|"]
        for name, question in _tpch.INSTEAD.items():
            found, refusal = answered(curator, question)
            lines.append(f"| {name} | {found} {refusal}".rstrip())
            print(lines[-1], flush=True)
    return [*lines, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--customers", type=int, default=15_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = given.folder or Path(made)
        parts = [
            *users(folder, given.rows, given.rounds),
            *joins(given.people, given.rounds),
            *tpch(folder, given.customers),
        ]
    top = [
        "# Promises on people",
        "",
        (
            f"Written by `python benchmarks/people/run.py` on {datetime.now(UTC):%Y-%m-%d}: {platform.machine()}, "
            f"Python {platform.python_version()}, DuckDB {duckdb.__version__}. Times are processor time of all "
            f"threads, since the machine is shared; medians over interleaved rounds: "
            f"{given.rounds}, of joins {3 * given.rounds}."
            f"{FEWER if given.rows < ROWS else ''}"
        ),
        "",
    ]
    (HERE / "RESULTS.md").write_text("\n".join([*top, *parts]).rstrip() + "\n")


if __name__ == "__main__":
    main()
