"""A fault after reading is never seen: the answer is noise on no rows, the operator hears of it, the charge stands."""

from __future__ import annotations

import json
import logging
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import partita as pt
from partita.algorithms import OnlineMultiplicativeWeights
from partita.cli import main
from partita.curator.path.pace import Pace
from partita.engine.base import Engine
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.engine.statements.statement import statement
from partita.limits import Limits, using
from partita.sampling.bits import TestBits
from tests.unit.curator.hospital import hospital
from tests.unit.curator.test_computation import HowMany, Opened

SURE = 1 - 1e-9
SECRET = "987654"
ROWS = [{"who": f"p{at}", "x": at % 10, "word": f"w{at % 3}"} for at in range(1000)]
COLUMNS = {"who": pt.identifier(), "x": pt.integers(0, 9), "word": pt.text_keys()}
BUDGET = pt.Approximate(epsilon=9, delta="1e-6")
PRICE = {"epsilon": 1, "delta": "1e-8"}


class Failing(Engine):
    """Reads its rows and fails on them: the presence of a row could decide that."""

    kind = "failing"

    def attach(self, table: Any) -> None: ...

    def compute(self, program: Any) -> Any:
        raise OverflowError(f"{SECRET} * 3 does not fit")

    def extract(self, extract: Any) -> Any:
        raise OverflowError(f"{SECRET} * 3 does not fit")

    def close(self) -> None: ...


def table(source: Any = ROWS) -> pt.Table:
    return pt.Table("t", source=source, columns=COLUMNS)


def curator(backend: Any = None, rows: Any = ROWS, budget: Any = BUDGET, **options: Any) -> pt.Curator:
    kept = table(rows)
    return pt.Curator(
        tables=[kept],
        promises=[pt.Promise(pt.rows(), budget)],
        backend=Failing([kept]) if backend is None else backend,
        bits=TestBits(3),
        **options,
    )


def alarmed(heard: list[logging.LogRecord]) -> bool:
    return any(record.levelno == logging.CRITICAL and "noise on no rows" in record.getMessage() for record in heard)


QUESTIONS = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT x, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY x",
    "SELECT AVG(x) AS m FROM t WHERE x > 2",
    "SELECT MEDIAN(x) AS m FROM t",
    "SELECT word, COUNT(*) AS n FROM t GROUP BY word",
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("way", ["ask", "plan"])
def test_a_failing_engine_is_answered_with_noise_on_no_rows(question, way, heard):
    """What is seen is what the same question shows on a table without rows: columns, lines, cost, and what is left."""
    seen = []
    for kept in (curator(), curator("reference", rows=[])):
        answer = kept.ask(question, **PRICE) if way == "ask" else kept.plan([kept.quote(question, **PRICE)]).ask(0)
        assert answer.rows() == (kept.ask(question, **PRICE) if way == "ask" else answer).rows()
        seen.append((answer.rows(), answer.error(), kept.spent(), kept.remaining(), kept.verify().sound))
    assert seen[0] == seen[1]
    assert alarmed(heard)


@pytest.mark.parametrize("question", QUESTIONS[:4])
def test_noise_that_cannot_be_added_to_these_rows_is_answered_in_the_same_way(question, heard, monkeypatch):
    from partita.query.noise.quote import Quote

    release = Quote.release

    def fussy(self: Quote, tallies: Any, **options: Any) -> Any:
        if (
            any(not isinstance(one, int) or one for one in tallies.ravel())
            and not (tallies == self.program.empty()).all()
        ):
            raise ValueError(f"no noise for {SECRET}")
        return release(self, tallies, **options)

    monkeypatch.setattr(Quote, "release", fussy)
    kept = curator("reference")
    kept.ask(question, **PRICE)
    assert alarmed(heard)
    assert not kept.spent()[0].is_zero()


def test_a_computation_that_fails_on_its_rows_is_run_on_none(heard):
    class Fussy(HowMany):
        def compute(self, sample: Any, *, bits: Any) -> Any:
            if len(sample.codes):
                raise ValueError(SECRET)
            return super().compute(sample, bits=bits)

    noise = pt.Laplace(epsilon="0.5")
    kept = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    outcome = kept.run(Fussy(noise))
    assert abs(outcome.document["count"]) <= noise.error(confidence=SURE)
    assert outcome.cost == pt.Pure(epsilon="0.5")
    assert kept.run(Fussy(noise)).free
    assert alarmed(heard)


def test_a_conversation_about_rows_that_cannot_be_read_is_about_none(heard):
    kept = curator(budget=pt.Pure(epsilon=1))
    weights = OnlineMultiplicativeWeights(10, rows=1000, queries=20, epsilon=1, columns=["x"])
    talk, _ = weights.open_from(kept, "t")
    assert abs(talk.range(0, 9).value) <= weights.bound()
    assert kept.spent() == (pt.Pure(epsilon=1),)
    assert alarmed(heard)


def test_what_is_not_for_analysts_is_nowhere_but_in_the_log(heard, capfd, tmp_path):
    kept = curator(ledger=tmp_path / "t.ledger")
    answer = kept.ask(QUESTIONS[0], **PRICE)
    kept.close()
    shown = "".join([str(answer), answer.explain(), json.dumps(answer.receipt.document()), *capfd.readouterr()])
    assert SECRET not in shown
    assert "no rows" not in shown
    assert any(SECRET in str(record.exc_info) for record in heard)


def test_a_handler_of_the_operators_that_cannot_write_does_not_print_what_it_was_told(heard, capfd):
    """Python prints why it could not, with whatever was being handled at the time."""

    class Broken:
        def write(self, text: str) -> None:
            raise OSError("no space")

    broken = logging.StreamHandler(Broken())
    logging.getLogger("partita.operator").addHandler(broken)
    try:
        curator().ask(QUESTIONS[0], **PRICE)
    finally:
        logging.getLogger("partita.operator").removeHandler(broken)
    printed = capfd.readouterr().err
    assert "no space" in printed
    assert SECRET not in printed


def test_the_custodian_finds_the_answer_in_the_book_and_an_export_does_not_tell(heard, capsys, tmp_path):
    path = str(tmp_path / "t.ledger")
    for backend in ("reference", None):
        with curator(backend, ledger=path) as kept:
            kept.ask(QUESTIONS[0 if backend else 1], **PRICE)
    (line,) = (tmp_path / "t.ledger.alarms").read_text().split()
    assert (tmp_path / "t.ledger.alarms").stat().st_mode & 0o077 == 0
    main(["ledger", "show", path])
    assert f"the answers to {line} are noise on no rows" in " ".join(capsys.readouterr().out.split())
    main(["ledger", "show", path, "--json"])
    assert json.loads(capsys.readouterr().out)["alarms"] == [int(line)]
    main(["ledger", "export", path])
    assert "alarm" not in capsys.readouterr().out
    main(["ledger", "verify", path])


def test_an_alarm_that_cannot_be_written_is_no_part_of_the_answer(heard, tmp_path):
    (tmp_path / "t.ledger.alarms").mkdir()
    with curator(ledger=tmp_path / "t.ledger") as kept:
        kept.ask(QUESTIONS[0], **PRICE)
    assert any("cannot be written" in record.getMessage() for record in heard)


# --- what fails whatever the rows are --------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"x": np.arange(20_000) % 10}), path, compression="snappy")
    return path


def in_place(path: Any) -> pt.Curator:
    kept = pt.Table("t", path, {"x": pt.integers(0, 9)})
    engine = DuckDB([kept], copied_below=0)
    return pt.Curator(tables=[kept], promises=[pt.Promise(pt.rows(), BUDGET)], backend=engine)


def test_a_source_that_is_gone_is_found_before_the_charge(stored, heard):
    """Found without a row, so it may be told; nobody pays for it, and what is in the book is given all the same."""
    kept = in_place(stored)
    known = kept.ask(QUESTIONS[0], **PRICE).rows()
    charged, lines = kept.spent(), kept.ledger.mark()
    content = stored.read_bytes()
    stored.unlink()
    for refused in (lambda: kept.ask(QUESTIONS[2], **PRICE), lambda: kept.plan([kept.quote(QUESTIONS[2], **PRICE)])):
        with pytest.raises(pt.EngineFault) as fault:
            refused()
        assert fault.value.code == "engine.never-computed"
        assert fault.value.__context__ is None
        assert fault.value.__cause__ is None
    assert (kept.spent(), kept.ledger.mark()) == (charged, lines)
    kept._path._rehearsal._passed.clear()
    assert kept.ask(QUESTIONS[0], **PRICE).rows() == known
    stored.write_bytes(content)
    kept.ask(QUESTIONS[2], **PRICE)
    assert kept.spent() != charged
    assert heard
    assert not alarmed(heard)


def test_a_source_that_goes_after_the_charge_is_the_constant_error(stored, heard):
    """The charge stands, and the question can be finished later."""
    kept = in_place(stored)
    content = stored.read_bytes()
    plan = kept.plan([kept.quote(QUESTIONS[0], **PRICE)])
    charged = kept.spent()
    stored.unlink()
    with pytest.raises(pt.EngineFault) as fault:
        plan.ask(0)
    assert fault.value.code == "engine.fault"
    assert fault.value.__context__ is None
    assert fault.value.__cause__ is None
    assert not charged[0].is_zero()
    stored.write_bytes(content)
    assert plan.ask(0).rows()[0]["n"] > 19_000
    assert kept.spent() == charged
    assert not alarmed(heard)


def test_a_page_that_cannot_be_read_is_not_seen(stored, heard):
    """Its footer can be read and its rows cannot: as if one of them had made the engine fail."""
    kept = in_place(stored)
    content = bytearray(stored.read_bytes())
    content[8 : len(content) // 2] = os.urandom(len(content) // 2 - 8)
    stored.write_bytes(content)
    answer = kept.ask("SELECT SUM(x) AS n FROM t", **PRICE)
    assert abs(answer.rows()[0]["n"]) <= answer.error(confidence=SURE)["n"][0]
    assert alarmed(heard)


@pytest.mark.parametrize("question", QUESTIONS)
def test_without_rows_the_very_statements_are_run(question):
    kept = curator("duckdb")
    program = kept.quote(question, **PRICE).quote.program
    found = kept._engine.blank(program)
    assert found.shape == program.empty().shape
    assert (found == program.empty()).all()


def broken(make: Any) -> Any:
    """Statements that DuckDB cannot bind, as a mistake in lowering would make them."""

    def made(*given: Any, **options: Any) -> Any:
        found = make(*given, **options)
        if isinstance(found, str):
            return found.replace("SELECT", "SELECT CASE END,", 1)
        return replace(found, sql=found.sql.replace("SELECT", "SELECT CASE END,", 1))

    return made


WAYS = {
    "ask": lambda kept, question: kept.ask(question, **PRICE),
    "plan": lambda kept, question: kept.plan([kept.quote(question, **PRICE)]),
    "batch": lambda kept, question: kept.batch([question], **PRICE).ask(),
    "session": lambda kept, question: kept.session(analyst="ada").ask(question, **PRICE),
    "run": lambda kept, _: kept.run(HowMany(pt.Laplace(epsilon="0.5"))),
    "open": lambda kept, _: kept.open(Opened(pt.Laplace(epsilon="0.5"))),
}


@pytest.mark.parametrize(
    ("way", "question"),
    [
        *(("ask", question) for question in QUESTIONS),
        ("plan", QUESTIONS[1]),
        ("batch", QUESTIONS[2]),
        ("session", QUESTIONS[3]),
        ("run", ""),
        ("open", ""),
    ],
)
def test_a_statement_that_no_table_could_answer_is_refused_before_the_charge(way, question, heard, monkeypatch):
    from partita.engine import duckdb, tallying

    kept = hospital() if way in ("run", "open") else curator("duckdb")
    before = kept.spent(), kept.ledger.mark()
    with monkeypatch.context() as patched:
        for place, name in ((tallying, "statement"), (tallying, "values_statement"), (duckdb, "rows_statement")):
            patched.setattr(place, name, broken(getattr(place, name)))
        patched.setattr(DuckDB, "run", lambda *_: pytest.fail("rows were read"))
        with pytest.raises(pt.EngineFault) as fault:
            WAYS[way](kept, question)
    assert fault.value.code == "engine.never-computed"
    assert fault.value.__context__ is None
    assert (kept.spent(), kept.ledger.mark()) == before
    assert any(record.levelno == logging.CRITICAL for record in heard)
    assert not alarmed(heard)  # there is no answer
    if way != "open":
        WAYS[way](kept, question)  # and once it is mended it is answered
        assert kept.spent() != before[0]


def test_whether_it_is_refused_does_not_depend_on_rows(heard, monkeypatch):
    """A count of few rows is made in memory, of many by a statement: how many there are must not decide."""
    from partita.engine import tallying

    monkeypatch.setattr(tallying, "statement", broken(tallying.statement))
    for most in (0, len(ROWS)):
        with using(Limits(held_rows=most)), pytest.raises(pt.EngineFault) as fault:
            curator("duckdb").ask(QUESTIONS[0], **PRICE)
        assert fault.value.code == "engine.never-computed"


def test_statements_that_differ_in_constants_alone_are_rehearsed_once(heard, monkeypatch):
    kept, blank = hospital(), Engine.blank
    rehearsed: list[Any] = []
    monkeypatch.setattr(Engine, "blank", lambda self, program: rehearsed.append(program) or blank(self, program))
    for age, region in ((4, "north"), (10, "west"), (99, "east")):
        kept.ask(f"SELECT COUNT(*) AS n FROM visits WHERE age > {age} AND region = '{region}'", rho="0.001")
    assert len(rehearsed) == 1
    for where in (
        "age > 4 OR sex = 'F'",
        "age > 4 AND cost > 50",
        "cost > 50 AND cost * 2 > age",
        "age > 3 AND cost * 3 > age",
    ):
        kept.ask(f"SELECT COUNT(*) AS n FROM visits WHERE {where}", rho="0.001")
    kept.ask("SELECT SUM(age) AS n FROM visits WHERE age > 4 AND region = 'north'", rho="0.001")
    assert len(rehearsed) == 6
    assert not heard


def test_statements_that_are_alike_differ_only_in_what_stored_columns_are_compared_with():
    """So all of them bind if one does."""
    kept = hospital()
    engine: Any = kept._engine
    compared = re.compile(r"""(?: |[()]|AND|OR|IS NOT NULL|IN|NOT IN|<=|>=|=|,|"\w+"|-?\d+|'\w+'|TRUE|FALSE)*""")
    rest: dict[Any, set[str]] = {}
    for where in product(
        ("age = 3", "age < 4", "age > 110 OR age < 7", "age <> 4"), ("sex = 'F'", "region <> 'north'", "cost >= 3")
    ):
        for what in ("COUNT(*)", "SUM(age)"):
            quote = kept.quote(f"SELECT {what} AS n FROM visits WHERE ({where[0]}) AND {where[1]}", rho="0.001").quote
            stored, region = engine._stored["visits"], quote.program.where.region
            sql = statement(quote.program, stored).sql
            (condition,) = {text for bare in (True, False) if (text := stored.condition(region, bare=bare)[0]) in sql}
            assert compared.fullmatch(condition.replace('"raw ', '"')), condition
            rest.setdefault(engine.likeness(quote.program), set()).add(sql.replace(condition, "?"))
    assert None not in rest
    assert 6 < len(rest) < 24
    assert all(len(found) == 1 for found in rest.values())


def test_the_same_question_is_rehearsed_once_and_many_threads_may(heard, monkeypatch):
    """The empty table is there before the first question: two threads that make it would fail one of them."""
    kept, blank = curator("duckdb"), Engine.blank
    rehearsed: list[Any] = []
    monkeypatch.setattr(Engine, "blank", lambda self, program: rehearsed.append(program) or blank(self, program))
    for _ in range(2):
        kept.ask(QUESTIONS[1], **PRICE)
    assert len(rehearsed) == 1
    with ThreadPoolExecutor(8) as pool:
        asked = [f"SELECT SUM(x) AS n FROM t WHERE x > {at % 8}" for at in range(32)]
        assert len(list(pool.map(lambda one: kept.ask(one, epsilon="0.01", delta="1e-9"), asked))) == 32
    assert not heard


def test_an_interruption_goes_through_and_the_question_can_be_finished(monkeypatch):
    kept = curator("reference")
    compute = Reference.compute

    def interrupted(self: Any, program: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Reference, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.ask(QUESTIONS[0], **PRICE)
    charged = kept.spent()
    assert not charged[0].is_zero()
    monkeypatch.setattr(Reference, "compute", compute)
    assert kept.ask(QUESTIONS[0], **PRICE).rows()[0]["n"] > 900
    assert kept.spent() == charged


def test_an_alarm_is_raised_before_the_beat_and_not_on_the_clock_of_whoever_asks(heard):
    order: list[str] = []

    class Slow(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            order.append("alarm")

    slow, kept = Slow(), curator()
    kept._path._pace = Pace("0.5", clock=iter(range(100)).__next__, wait=lambda rest: order.append("beat"))
    logging.getLogger("partita.operator").addHandler(slow)
    try:
        kept.ask(QUESTIONS[0], **PRICE)
        kept.plan([QUESTIONS[1]], **PRICE).answers()
        OnlineMultiplicativeWeights(10, rows=1000, queries=20, epsilon="0.1", columns=["x"]).open_from(kept, "t")
    finally:
        logging.getLogger("partita.operator").removeHandler(slow)
    assert order.count("beat") == 3
    assert order[-1] == "beat"
    assert all("alarm" in part for part in ",".join(order).split("beat")[:3])
