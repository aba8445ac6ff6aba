"""A custodian is warned of what can be seen in public; what depends on rows stands in the operator's log alone."""

from __future__ import annotations

import json
import warnings
from datetime import datetime

import pandas as pd
import polars as pl
import pytest

import partita as pt
from partita.cli import main
from partita.errors import InvalidInput

ROWS = [{"age": 30 + at} for at in range(5)]
OTHERS = [{"age": 31 + at} for at in range(5)]


def table(name: str = "visits", source: object = ROWS, people: int | None = None) -> pt.Table:
    return pt.Table(name, source=source, columns={"age": pt.integers(0, 120)}, people=people)


def opened(*tables: pt.Table, budget: object = None) -> pt.Curator:
    promise = pt.Promise(pt.rows(), budget or pt.ZCDP(rho=1, delta="1e-3"))
    return pt.Curator(tables=tables, promises=[promise], backend="reference")


@pytest.mark.parametrize("budget", [pt.ZCDP(rho=1, delta="1e-3"), pt.Approximate(epsilon=1, delta="1e-3")])
def test_a_delta_of_more_than_one_in_the_declared_people_is_warned_of(budget):
    with pytest.warns(pt.Caution, match="1/1001, and table visits") as told:
        opened(table(people=1001), budget=budget)
    assert told[0].filename == __file__


@pytest.mark.parametrize("people", [None, 1, 1000])
def test_nothing_is_said_without_a_public_number_or_up_to_one_in_so_many(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(table(people=people))
        opened(table(people=10**9), budget=pt.Pure(epsilon=1))


def test_the_rows_are_not_counted_for_it():
    many = [{"age": 30}] * 2000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(table(source=many))
        opened(table(source=many, people=10))


@pytest.mark.parametrize("people", [0, -3, "many"])
def test_a_number_of_people_is_a_whole_number(people):
    with pytest.raises(InvalidInput):
        table(people=people)


def sources(folder, kind: str, first: list, second: list) -> tuple[object, object]:
    match kind:
        case "file":
            paths = folder / "first.csv", folder / "second.csv"
            for path, rows in zip(paths, (first, second), strict=True):
                pd.DataFrame(rows).to_csv(path, index=False)
            return tuple(map(str, paths))
        case "pandas":
            return pd.DataFrame(first), pd.DataFrame(second)
        case "polars":
            return pl.DataFrame(first), pl.DataFrame(second)
        case _:
            return list(first), list(second)


@pytest.mark.parametrize("kind", ["file", "pandas", "polars", "list"])
def test_the_same_rows_in_two_places_stand_in_the_operators_log_and_nowhere_else(kind, tmp_path, heard, capfd):
    first, second = sources(tmp_path, kind, ROWS, ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(table(source=first), table("stays", second))
    assert [record for record in heard if "same rows in two places" in record.getMessage()]
    assert "two places" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("kind", ["file", "pandas", "polars", "list"])
def test_different_rows_are_not_taken_for_copies(kind, tmp_path, heard):
    first, second = sources(tmp_path, kind, ROWS, OTHERS)
    opened(table(source=first), table("stays", second))
    assert not heard


def test_an_analyst_meets_the_same_words_whether_or_not_a_table_is_a_copy(tmp_path):
    seen = []
    for others in (ROWS, OTHERS):
        curator = opened(table(), table("stays", list(others)))
        with pytest.raises(pt.PartitaError) as refusal:
            curator.ask("SELECT COUNT(*) AS n FROM nowhere", rho="0.1")
        seen.append(
            (
                refusal.value.message,
                curator.remaining(),
                [str(one.cost) for one in [curator.quote("SELECT COUNT(*) AS n FROM stays", rho="0.1")]],
            )
        )
    assert seen[0] == seen[1]


def test_the_command_line_tells_cautions_in_their_own_words(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(ROWS).to_csv("visits.csv", index=False)
    (tmp_path / "partita.toml").write_text(
        '[[promises]]\nprotect = "rows"\nrho = "1"\ndelta = "1e-3"\n'
        '[tables.visits]\nsource = "visits.csv"\npeople = 5000\n'
        "[tables.visits.columns]\nage = { integers = [0, 120] }\n"
    )
    assert main(["quote", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("Caution: δ = 0.001 of the promise for [one row, added or removed] is more than 1/5000")
    assert json.loads(out)["fits"] is True


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()])
def test_times_of_a_frame_that_are_declared_as_days_are_told(frame):
    times = frame({"seen": [datetime(2025, 3, 4, 10), datetime(2025, 3, 5)]})  # noqa: DTZ001
    declared = pt.Table("visits", times, {"seen": pt.dates("2025-01-01", "2025-12-31")})
    with pytest.warns(pt.Caution, match="declared as dates"):
        pt.Curator(tables=[declared], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))], ledger=":memory:")


def test_rows_of_an_owner_that_are_left_out_are_told_beside_the_numbers():
    rows = [{"person": at // 3, "age": at} for at in range(9)]
    declared = pt.Table("visits", rows, {"person": pt.identifier(), "age": pt.integers(0, 9)})
    promise = pt.Promise(pt.users("person", rows=2), pt.ZCDP(rho=1))
    answer = pt.Curator(tables=[declared], promises=[promise], backend="reference").ask(
        "SELECT COUNT(*) AS n FROM visits", rho="0.1"
    )
    told = "Of one owner at most 2 rows are in these numbers."
    assert told in str(answer)
    assert told in repr(answer)
    assert told in answer._repr_html_()
