"""What a custodian or an analyst may hand over by mistake, and what the curator says."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import partita as pt
from partita.cli.screen import busy
from tests.unit.curator.hospital import hospital

COLUMNS = {"a": pt.integers(0, 10), "who": pt.identifier(), "c": pt.decimals(0, 10, step="0.1")}
ROWS = [{"a": 3, "who": "x", "c": "1.5"}] * 40


def curator(source: Any = ROWS, unit: Any = None, **options: Any) -> pt.Curator:
    table = pt.Table("t", source=source, columns=COLUMNS)
    return pt.Curator(tables=[table], promises=[pt.Promise(unit or pt.rows(), pt.Pure(epsilon=1000))], **options)


@pytest.mark.parametrize("source", [[1, 2], [{"a": 1}, "x"]], ids=repr)
def test_a_list_of_something_else_than_rows_is_refused(source: Any) -> None:
    with pytest.raises(pt.InvalidInput, match=r"rows cannot be read from 'list of (int|str)'"):
        curator(source)


@pytest.mark.parametrize("ledger", ["\0", "a\0b", "", 7, None], ids=repr)
def test_a_ledger_that_no_file_can_be_is_refused(ledger: Any) -> None:
    with pytest.raises(pt.InvalidInput, match="is not the path of a file"):
        curator(ledger=ledger)


def test_a_ledger_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pt.LedgerFault, match="there is no folder"):
        curator(ledger=tmp_path / "nowhere" / "t.ledger")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("kind", [pa.decimal256(40, 2), pa.float16(), pa.decimal128(12, 1)], ids=str)
def test_numbers_of_types_that_the_engine_does_not_know_are_read_all_the_same(kind: Any) -> None:
    import decimal

    import numpy as np

    values = [np.float16(3)] * 40 if kind == pa.float16() else [decimal.Decimal(3)] * 40
    table = pa.table({"a": pa.array(values, kind), "who": ["x"] * 40, "c": pa.array(values, kind)})
    (row,) = curator(table).ask("SELECT COUNT(*) AS n, SUM(c) AS s FROM t WHERE a = 3", epsilon=500).rows()
    assert abs(row["n"] - 40) <= 1
    assert abs(row["s"] - 120) <= 1


def test_what_knows_protected_tables_is_not_pickled() -> None:
    kept = hospital()
    answer = kept.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01")
    things = [answer, answer.quote.plan, kept, kept.session(analyst="ada"), kept.quote(answer.quote.plan, rho="0.01")]
    for thing in things:
        with pytest.raises(pt.InvalidInput, match="cannot be pickled or copied"):
            pickle.dumps(thing)
        with pytest.raises(pt.InvalidInput, match="cannot be pickled or copied"):
            copy.deepcopy(thing)
    assert pickle.loads(pickle.dumps(answer.receipt)) == answer.receipt


@pytest.mark.parametrize("unit", [pt.edges(), pt.nodes(), pt.groups(2, pt.edges())], ids=str)
def test_a_promise_that_no_question_can_keep_is_refused_at_once(unit: Any) -> None:
    with pytest.raises(pt.InvalidInput, match="every question would be refused"):
        curator(unit=unit)


@pytest.mark.parametrize(
    "unit", [pt.metric("nope", unit=1), pt.windows("nope", width=2), pt.users("who", rows=2, per="nope")], ids=str
)
def test_a_promise_on_a_column_that_is_not_declared_is_refused_at_once(unit: Any) -> None:
    with pytest.raises(pt.InvalidInput, match="There is no column 'nope'"):
        curator(unit=unit)


def test_a_window_too_wide_to_add_up_is_refused_at_once() -> None:
    with pytest.raises(pt.InvalidInput, match="Count in longer steps"):
        curator(unit=pt.windows("a", width=10**9))


def test_a_budget_of_a_session_is_a_loss() -> None:
    with pytest.raises(pt.InvalidInput, match="budget"):
        hospital().session(analyst="ada", budget=3)


def test_no_bar_is_drawn_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with busy("Asking"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("budget", [pt.Pure(epsilon=10), pt.ZCDP(rho=10), pt.GDP(mu=3)], ids=lambda one: one.kind)
@pytest.mark.parametrize(
    ("asked", "known"), [("SUM(0)", 0), ("VAR_POP(3)", 0.0), ("AVG(2)", 2.0), ("CORR(1, c)", 0.0), ("SUM(a - a)", None)]
)
def test_what_is_known_beforehand_is_answered_all_the_same(budget: Any, asked: str, known: Any) -> None:
    table = pt.Table("t", source=ROWS, columns=COLUMNS)
    kept = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), budget)])
    offer = kept.quote(f"SELECT {asked} AS v FROM t", epsilon="0.5")
    assert offer.explain()
    (row,) = kept.ask(f"SELECT {asked} AS v FROM t", epsilon="0.5").rows()
    assert row["v"] == (0 if known is None else known)


def test_open_keys_of_nobody_are_an_empty_answer() -> None:
    columns = {"word": pt.text_keys(), "a": pt.integers(0, 10)}
    table = pt.Table("t", source=[{"word": "x", "a": 3}], columns=columns)
    kept = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Approximate(epsilon=9, delta="1e-3"))])
    question = "SELECT word, a, COUNT(*) AS n FROM t WHERE a > 5 AND a < 3 GROUP BY word, a"
    assert kept.ask(question, epsilon=1, delta="1e-6").rows() == []


def test_a_quotation_of_another_curator_is_not_taken() -> None:
    """Its noise and its cost are for other promises, and it would read more rows of an owner than are kept here."""
    table = pt.Table("t", source=ROWS, columns=COLUMNS)
    owners = pt.Promise(pt.users("who", rows=2), pt.Pure(epsilon=10))
    here = pt.Curator(tables=[table], promises=[owners])
    question = "SELECT SUM(a) AS s FROM t"
    others = [
        pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=10))]),
        pt.Curator(tables=[pt.Table("t", source=ROWS, columns=COLUMNS)], promises=[owners]),
        pt.Curator(tables=[table], promises=[owners]),
    ]
    for other in others:
        with pytest.raises(pt.InvalidInput, match="another curator"):
            here.batch([other.quote(question, epsilon="0.1")])
    assert len(here.batch([here.quote(question, epsilon="0.1")]).ask()) == 1
    assert here.batch([here.quote(question, epsilon="0.2", rows_per_user=1)]).fits


def test_a_quantile_of_too_many_values_is_refused_before_anything_is_charged() -> None:
    columns = {"a": pt.integers(-(2**50), 2**50)}
    table = pt.Table("t", source=[{"a": 3}], columns=columns)
    kept = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=9))])
    with pytest.raises(pt.QueryRefused, match="chosen among all possible values"):
        kept.ask("SELECT MEDIAN(2 * a) AS m FROM t", epsilon=1)
    assert kept.spent() == (pt.Pure(epsilon=0),)


@pytest.mark.parametrize("way", ["ask", "plan"])
def test_noise_that_can_never_be_added_is_the_constant_error(
    way: str, monkeypatch: pytest.MonkeyPatch, heard: list[Any]
) -> None:
    """What the noise is added to is exact: no error about it may leave."""
    kept = curator()

    def release(*_: Any, **__: Any) -> None:
        raise ValueError("40 rows of x")

    monkeypatch.setattr(pt.Laplace, "release", release)
    question = "SELECT COUNT(*) AS n FROM t"
    with pytest.raises(pt.EngineFault) as fault:
        kept.ask(question, epsilon=1) if way == "ask" else kept.plan([question], epsilon=1).answers()
    assert fault.value.__context__ is None
    assert "40" not in str(fault.value)
    assert kept.spent()[0] == pt.Pure(epsilon=1)


@pytest.mark.parametrize("other", ["t", "T"])
def test_two_tables_have_names_that_sql_tells_apart(other: str) -> None:
    tables = [
        pt.Table(name, source=[{"a": at}], columns={"a": pt.integers(0, 9)}) for at, name in enumerate(("t", other))
    ]
    with pytest.raises(pt.InvalidInput) as refusal:
        pt.Curator(tables=tables, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    assert refusal.value.code == "curator.same-name"
    assert ("SQL takes for one name" in str(refusal.value)) is (other == "T")
