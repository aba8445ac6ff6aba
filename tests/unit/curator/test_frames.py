"""Answers in the hands of an analyst: frames with error bars, rows, streams, pictures and notebooks."""

from __future__ import annotations

import warnings

import pytest

import partita as pt
from partita.curator.declared import cautions
from partita.errors import Caution, InvalidInput
from partita.sampling.bits import TestBits

QUESTION = "SELECT sex, COUNT(*) AS n, AVG(age) AS m FROM visits GROUP BY sex"


def curator(**options: object) -> pt.Curator:
    columns = {"age": pt.integers(0, 120), "sex": pt.categories("F", "M")}
    table = pt.Table("visits", source=[{"age": 30, "sex": "F"}] * 50, columns=columns)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))
    return pt.Curator(tables=[table], promises=[promise], bits=TestBits(1), **options)  # type: ignore[arg-type]


@pytest.fixture
def answer() -> pt.Answer:
    return curator().ask(QUESTION, rho="0.1")


@pytest.mark.parametrize("library", ["to_pandas", "to_polars", "to_arrow"])
def test_a_frame_has_error_bars_beside_their_columns(answer, library):
    frame = getattr(answer, library)(error=True)
    names = frame.column_names if library == "to_arrow" else list(frame.columns)
    assert names == ["sex", "n", "n_error", "m", "m_error"]
    bars = frame["n_error"].to_pylist() if library == "to_arrow" else list(frame["n_error"])
    assert bars == answer.error()["n"]
    plain = getattr(answer, library)()
    assert len(plain.column_names if library == "to_arrow" else list(plain.columns)) == 3


def test_bars_have_the_confidence_that_is_asked_for(answer):
    assert list(answer.to_pandas(error=True, confidence=0.5)["n_error"]) == answer.error(0.5)["n"]


def test_a_column_that_has_the_name_of_a_bar_stays_as_it_is():
    found = curator().ask("SELECT COUNT(*) AS n, SUM(age) AS n_error FROM visits", rho="0.1").to_pandas(error=True)
    assert list(found.columns) == ["n", "n_error_", "n_error", "n_error_error"]


def test_an_answer_is_its_rows_and_an_arrow_stream(answer):
    import polars
    import pyarrow

    assert list(answer) == answer.rows()
    assert len(answer) == 4
    assert answer["n"] == [row["n"] for row in answer]
    assert pyarrow.table(answer).equals(answer.to_arrow())
    assert polars.from_arrow(pyarrow.table(answer)).equals(answer.to_polars())


def test_an_answer_is_drawn_with_its_bars(answer):
    axes = answer.plot().axes[0]
    assert axes.get_ylabel() == "n"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["F", "M", "OTHER", "NULL"]
    assert [bar.get_height() for bar in axes.patches] == [row["n"] for row in answer]
    assert answer.plot("m").axes[0].get_ylabel() == "m"
    assert curator().ask("SELECT COUNT(*) AS n FROM visits", rho="0.1").plot().axes[0].patches
    with pytest.raises(InvalidInput, match="Choose from: n, m"):
        answer.plot("sex")


def test_everything_shows_itself_in_a_notebook(answer):
    with curator() as made:
        quoted = made.quote("SELECT COUNT(*) AS n FROM visits WHERE age < 3", rho="0.01")
        shown = (made, quoted, answer, made.guarantee()[0], answer.receipt)
        pages = [
            one._repr_html_() for one in (*shown, pt.explain(pt.Pure(epsilon=1)), pt.compose([pt.Laplace(epsilon=1)]))
        ]
    for page in pages:
        assert page.startswith(("<pre", "<table"))
        assert page.count("<") == page.count(">")
    assert "age &lt; 3" in pages[1]
    assert "cost ρ = 0.1" in pages[4]


def test_lists_of_things_are_shown_in_words_too(answer):
    from IPython.lib.pretty import pretty

    asked = "select count(*) as n from visits where age > 3", "SELECT AVG(age) AS m FROM visits"
    with curator() as made:
        plan = made.plan([asked[0].replace("select", "SELECT"), asked[1]], rho="0.1")
        session = made.session(analyst="ada")
        assert pretty(made.remaining()) == f"({made.remaining()[0]},)"
        assert pretty(plan).startswith("A plan, charged ρ = 0.0999999:\n  0: SELECT COUNT(*) AS n FROM visits WHERE")
        assert plan.ask("SELECT  AVG(age) AS m\nFROM visits").rows()[0].keys() == {"m"}
        assert pretty(session).endswith(f"Asked by ada, for whom is left: {made.remaining()[0]}.")
        assert pretty(made.verify()).endswith("The book is sound.")
        page = pt.report(made.ledger)._repr_html_()
    assert page.startswith("<iframe ")
    assert page.count("<") == page.count(">") == 2
    assert pretty([pt.GaussianNoise(sigma="1e2"), pt.Laplace(epsilon="0.1")]) == (
        "[GaussianNoise(sigma=100), Laplace(scale=10)]"
    )
    assert "Table" not in pretty(made.tables[0])


def test_an_answer_says_what_its_bars_mean_and_when_noise_drowns_it():
    with curator() as made:
        clear = made.ask("SELECT MEDIAN(age) AS half, COUNT(*) AS n FROM visits", rho="0.1")
        drowned = made.ask("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", rho="1e-9")
    assert "Bars of 95%; half within " in repr(clear)
    assert "smaller than their bars" not in str(clear)
    assert "Most of these numbers are smaller than their bars." in str(drowned)


def test_what_was_asked_is_said_in_the_words_of_the_question():
    question = "select stddev(age) as s from visits"
    with curator() as made:
        assert made.quote(question, rho="0.1").explain().startswith(question)
        assert f"Asked: {question}" in made.ask(question, rho="0.1").explain()


def test_a_ledger_that_nobody_gave_is_said_to_forget_and_only_once(monkeypatch):
    monkeypatch.setattr(cautions, "_TOLD", [])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        curator(ledger=":memory:")
        assert not told
        curator()
        curator()
    assert [one.category for one in told] == [Caution]
    assert "forgotten when this program ends" in str(told[0].message)
    assert told[0].filename == __file__
