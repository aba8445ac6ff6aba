"""What the truncation of an owner's rows must not break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.query.noise.quote import quote
from partita.query.sql.parse import read
from partita.query.tables.truncation import Caps, truncation


def curator(rows: list[dict[str, Any]], promises: list[pt.Promise], backend: str = "duckdb", **home: Any) -> pt.Curator:
    columns = {"p": pt.identifier(), "home": pt.categories("r0", "r1", "r2", **home), "x": pt.integers(0, 9)}
    source: Any = pandas.DataFrame(rows) if backend == "duckdb" else rows
    return pt.Curator(tables=[pt.Table("t", source=source, columns=columns)], promises=promises, backend=backend)


OWNERS = pt.users("p", rows=5, in_region=1)


@pytest.mark.parametrize("backend", ["duckdb", "reference"])
def test_a_column_declared_constant_is_made_constant(backend: str) -> None:
    """An owner with rows in three homes is counted in one of them only, whatever is asked."""
    rows = [{"p": f"owner{i}", "home": f"r{j}", "x": j} for i in range(40) for j in range(3)]
    promises = [pt.Promise(pt.users("p", rows=5), pt.Pure(epsilon=10**6))]
    asked = curator(rows, promises, backend, constant=True).ask(
        "SELECT home, COUNT(*) AS n FROM t GROUP BY home", epsilon=10**5
    )
    assert sum(row["n"] for row in asked.rows()) == 40
    loose = curator(rows, promises, backend).ask("SELECT home, COUNT(*) AS n FROM t GROUP BY home", epsilon=10**5)
    assert sum(row["n"] for row in loose.rows()) == 120


def test_an_owner_in_every_group_pays_for_one_group_only_if_she_is_counted_once() -> None:
    rows = [{"p": "alice", "home": f"r{j}", "x": j} for j in range(3)]
    kept = curator(rows, [pt.Promise(OWNERS, pt.Pure(epsilon=1))], constant=True)
    counted = 0
    for j in range(3):
        answer = kept.ask(f"SELECT COUNT(*) AS n FROM t WHERE home = 'r{j}'", epsilon=1)
        counted += int(kept._engine.run(answer.quote.program)[0, 0])
    assert counted == 1
    assert kept.spent() == (pt.Pure(epsilon=1),)


@pytest.mark.parametrize(
    ("owners", "other", "constant"),
    [
        (OWNERS, pt.rows(), False),
        (OWNERS, pt.replace(), False),
        (pt.users("p", rows=2), pt.windows("x", width=3), False),
        (pt.users("p", rows=2), pt.rows(), True),
        (pt.users("p", rows=2), pt.groups(2), True),
    ],
)
def test_promises_that_the_truncation_would_break_are_refused(owners: Any, other: Any, constant: bool) -> None:
    promises = [pt.Promise(owners, pt.Pure(epsilon=1)), pt.Promise(other, pt.Pure(epsilon=1))]
    with pytest.raises(pt.InvalidInput, match="beside this promise on users"):
        curator([{"p": "a", "home": "r0", "x": 1}], promises, constant=constant)


def test_a_limit_that_could_not_be_read_again_is_refused_before_it_is_written(tmp_path: Path) -> None:
    frame = pandas.DataFrame([{"p": "a", "x": 1}])
    table = pt.Table("t", source=frame, columns={"p": pt.identifier(), "x": pt.integers(0, 9)})
    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
    with pt.Curator(tables=[table], promises=promises, ledger=tmp_path / "book") as kept:
        for analyst, budget in [
            ("zoe", pt.Pure(epsilon=0)),
            (5, pt.Pure(epsilon=1)),
            ("", pt.Pure(epsilon=1)),
            ("a", 5),
            ("a", [5]),
        ]:
            with pytest.raises(PartitaError):
                kept.session(analyst=analyst, budget=budget)  # type: ignore[arg-type]
    with pt.Curator(tables=[table], promises=promises, ledger=tmp_path / "book") as again:
        assert again.ask("SELECT COUNT(*) AS n FROM t", epsilon=1).cost == pt.Pure(epsilon=1)
        assert again.verify().sound


def test_a_ledger_of_other_promises_is_not_driven_by_this_curator() -> None:
    strict = curator([{"p": "a", "home": "r0", "x": 1}], [pt.Promise(pt.users("p", rows=5), pt.Pure(epsilon=1))])
    with pytest.raises(pt.InvalidInput, match="other promises"):
        pt.Curator(tables=strict.tables, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=100))], ledger=strict.ledger)


def test_one_open_quotation_mark_does_not_swallow_the_rows_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i % 9},b\n" for i in range(50)) + '1,"a\n' + "2,b\n" * 20)
    table = pt.Table("t", source=str(path), columns={"x": pt.integers(0, 9)})
    with pytest.raises(pt.InvalidInput, match="not well-formed"):
        pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])


def test_two_links_to_one_file_are_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n2\n")
    (tmp_path / "u.csv").hardlink_to(path)
    tables = [pt.Table(name, source=str(tmp_path / f"{name}.csv"), columns={"x": pt.integers(0, 9)}) for name in "tu"]
    with pytest.raises(pt.InvalidInput, match="same rows"):
        pt.Curator(tables=tables, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])


def test_a_question_about_nobody_has_an_empty_answer() -> None:
    kept = curator([{"p": "a", "home": "r0", "x": 1}], [pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    answer = kept.ask("SELECT home, COUNT(*) AS n FROM t WHERE x > 9 AND x < 0 GROUP BY home", epsilon=1)
    assert answer.rows() == []
    assert "home" in str(answer)
    assert kept.spent() == (pt.Pure(epsilon=0),)


def test_an_engine_fault_carries_no_context(heard: list[object]) -> None:
    kept = curator([{"p": "a", "home": "r0", "x": 1}], [pt.Promise(pt.rows(), pt.Pure(epsilon=1))])

    def compute(program: object) -> None:
        raise ValueError("row value SECRET-OWNER-77")

    kept._engine.compute = kept._engine.without_rows = compute  # type: ignore[method-assign,assignment]
    with pytest.raises(pt.EngineFault) as fault:
        kept.ask("SELECT COUNT(*) FROM t", epsilon=1)
    assert fault.value.__context__ is None
    assert fault.value.__cause__ is None


ODD = (
    "place_",
    "PLACE_",
    "inside_",
    "group_",
    "first_0_",
    "rows_",
    "owned",
    "k0",
    "t0",
    "raw place",
    "raw:place",
    "raw",
)


@pytest.mark.parametrize("in_place", [True, False], ids=["read in place", "copied"])
@pytest.mark.parametrize("odd", ODD)
def test_no_name_of_a_column_undoes_the_truncation(odd: str, in_place: bool, tmp_path: Path) -> None:
    """The statement computes columns of its own; a declared one of the same name would be looked at in their stead."""
    rows = [{"p": i // 20, odd: j % 2, "home": f"r{j % 3}"} for i, j in enumerate(range(120))]
    pandas.DataFrame(rows).to_parquet(tmp_path / "rows.parquet")
    columns = {"p": pt.identifier(), odd: pt.integers(0, 1), "home": pt.categories("r0", "r1", "r2", constant=True)}
    table = pt.Table("t", source=tmp_path / "rows.parquet", columns=columns)
    name, reference = f'"{odd}"', Reference([table])
    engine = DuckDB([table], threads=1, copied_below=0 if in_place else 2**30)
    for owners, caps in [
        (pt.users("p", rows=3), Caps()),
        (pt.users("p", rows=5, in_region=1), Caps()),
        (pt.users("p", rows=5), Caps(rows=2)),
        (pt.users("p", rows=5), Caps(groups=1)),
        (pt.users("p", rows=2, per=odd), Caps()),
    ]:
        promise = pt.Promise(owners, pt.Pure(epsilon=10))
        cut = truncation(table, [owners], "key")
        for question in (
            f"SELECT {name}, SUM({name}) AS s, COUNT(*) AS n FROM t GROUP BY {name}",
            "SELECT COUNT(*) FROM t",
        ):
            program = quote(
                read(question, [table]).capped(caps), [promise], Price.of(epsilon=1), truncation=cut
            ).program
            assert engine.run(program).tolist() == reference.run(program).tolist()
    engine.close()
