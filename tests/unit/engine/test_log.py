"""The operator's log: heard by the operator, and by nobody else, however logging is set up around it."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from partita.engine.log import log, write_to

# The message of the engine shows operands of a row: only an operator may read 987654.
ASKED = """
import logging, logging.config, os, sys, traceback
import partita as pt
from partita.engine.base import Engine

class Failing(Engine):
    kind = "failing"
    def attach(self, table): ...
    def compute(self, program): raise OverflowError("987654 * 3 does not fit")
    def extract(self, extract): raise OverflowError("987654 * 3 does not fit")
    def close(self): ...

table = pt.Table("t", source=[{"x": 1}], columns={"x": pt.integers(0, 9)})

def asked(setup, later):
    exec(setup)
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=2))
    curator = pt.Curator(tables=[table], promises=[promise], backend=Failing([table]))
    exec(later)
    try:
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=1)
    except pt.PartitaError as problem:
        traceback.print_exception(problem)
    print(curator.spent()[0], flush=True)

# Each in a process of its own, and all of them after one start.
pt.Curator, pt.Promise, pt.Pure, pt.rows
for setup, later in eval(sys.argv[1]):
    if not os.fork():
        asked(setup, later)
        sys.stderr.flush()
        os._exit(0)
    assert os.wait()[1] == 0
"""
BASIC = "logging.basicConfig(level=logging.DEBUG)"
PARENT = """logging.config.dictConfig({"version": 1, "disable_existing_loggers": %s,
    "handlers": {"screen": {"class": "logging.StreamHandler"}},
    "loggers": {"partita": {"handlers": ["screen"], "level": "DEBUG"}},
    "root": {"handlers": ["screen"], "level": "DEBUG"}})"""
ITSELF = """logging.basicConfig(level=logging.DEBUG)
named = logging.getLogger("partita.operator")
named.propagate, named.handlers = True, []"""


SETTINGS = {
    "before": (BASIC, ""),
    "after": ("", BASIC),
    "parent": ("", PARENT % True),
    "itself": (PARENT % False, ITSELF),
    "warnings": ("logging.captureWarnings(True)", BASIC),
}


def test_no_setting_of_logging_prints_it_on_the_screen_of_whoever_asked():
    settings = repr(list(SETTINGS.values()))
    found = subprocess.run([sys.executable, "-c", ASKED, settings], capture_output=True, text=True, check=True)
    assert "987654" not in found.stdout + found.stderr
    assert "OverflowError" not in found.stdout + found.stderr
    assert found.stdout == "ε = 1\n" * len(SETTINGS)


def test_it_is_heard_by_the_handlers_on_its_name_even_where_others_switched_that_logger_off(heard, monkeypatch):
    monkeypatch.setattr(logging.getLogger("partita.operator"), "disabled", True)
    log.critical("Something is wrong with %s.", "t")
    assert [record.getMessage() for record in heard] == ["Something is wrong with t."]


def test_a_handler_hears_nothing_below_its_level(heard):
    logging.getLogger("partita.operator").handlers[-1].setLevel(logging.ERROR)
    log.warning("not this")
    log.error("but this")
    assert [record.getMessage() for record in heard] == ["but this"]


def test_the_operator_may_keep_a_file(tmp_path):
    write_to(tmp_path / "operator.log")
    write_to(tmp_path / "operator.log")
    (kept,) = log.handlers
    try:
        log.error("The rows of %s cannot be read.", "t")
        assert (tmp_path / "operator.log").read_text().count("ERROR The rows of t cannot be read.") == 1
    finally:
        log.removeHandler(kept)
        kept.close()


@pytest.mark.parametrize("failing", ["file", "handler"])
def test_a_log_that_cannot_be_written_is_no_part_of_any_answer(failing, tmp_path, capfd, monkeypatch):
    def broken(*_: object) -> None:
        raise OSError("no space for 987654")

    if failing == "file":
        write_to(tmp_path / "operator.log")
        (kept,) = log.handlers
        monkeypatch.setattr(kept, "format", broken)
    else:
        kept = logging.Handler()
        monkeypatch.setattr(kept, "emit", broken)
        log.addHandler(kept)
    try:
        log.error("987654 was read")
    finally:
        log.removeHandler(kept)
        kept.close()
    assert capfd.readouterr() == ("", "")
