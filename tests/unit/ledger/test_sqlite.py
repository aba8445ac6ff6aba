"""The file of a book is let go of with the book."""

from __future__ import annotations

import gc
import sqlite3

import pytest

import partita as pt


def test_a_curator_that_nobody_closed_closes_its_book(tmp_path):
    table = pt.Table("t", [{"a": 1}], {"a": pt.integers(0, 3)})
    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
    for path in (":memory:", str(tmp_path / "t.ledger")):
        curator = pt.Curator(tables=[table], promises=promises, ledger=path)
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")
        open_ones = [one for one in gc.get_objects() if isinstance(one, sqlite3.Connection)]
        del curator
        gc.collect()
        closed = []
        for one in open_ones:
            try:
                one.execute("SELECT 1")
            except sqlite3.ProgrammingError:
                closed.append(one)
        assert closed, path
        if path != ":memory:":
            with pt.Curator(tables=[table], promises=promises, ledger=path) as again:
                assert str(again.spent()[0]) == "ε = 0.1"


def test_a_book_that_was_closed_stays_closed(tmp_path):
    table = pt.Table("t", [{"a": 1}], {"a": pt.integers(0, 3)})
    curator = pt.Curator(
        tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=str(tmp_path / "t.ledger")
    )
    curator.close()
    with pytest.raises(pt.PartitaError):
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")
