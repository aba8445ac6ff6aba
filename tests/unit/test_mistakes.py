"""Mistakes of every day: each is told in our own words, with a code and what to do, and never as a bare traceback."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import partita as pt
from partita.errors import BadCall, PartitaError

# What is typed, and the code of what is said.
MISTAKES = [
    ("pt.Pure(1)", "call.by-name"),
    ("pt.Pure(eps=1)", "call.unknown-argument"),
    ("pt.Pure()", "call.missing"),
    ("pt.ZCDP(0.5)", "call.by-name"),
    ("pt.ZCDP(epsilon=1)", "call.unknown-argument"),
    ("pt.GDP(1)", "call.by-name"),
    ("pt.Approximate(1, 1e-6)", "call.by-name"),
    ("pt.Approximate(epsilon=1)", "call.missing"),
    ("pt.Pure(epsilon=None)", "number.not-a-number"),
    ('pt.Pure(epsilon="one")', "number.not-a-number"),
    ("pt.Pure(epsilon=-1)", "number.negative"),
    ("pt.Pure(epsilon=[1])", "number.not-a-number"),
    ("pt.Promise(pt.rows)", "call.missing"),
    ("pt.Promise(pt.rows, pt.Pure(epsilon=1))", "granularity.not-a-granularity"),
    ("pt.Promise(pt.rows(), 1)", "theory.not-a-loss"),
    ("pt.Promise(pt.Pure(epsilon=1), pt.rows())", "granularity.not-a-granularity"),
    ("pt.Promise()", "call.missing"),
    ('pt.Promise("rows", pt.Pure(epsilon=1))', "granularity.not-a-granularity"),
    ("pt.users()", "call.missing"),
    ('pt.users("patient")', "call.missing"),
    ('pt.users("patient", 3)', "call.by-name"),
    ('pt.Table("visits")', "call.missing"),
    ('pt.Table("visits", rows)', "call.missing"),
    ('pt.Table("visits", source=rows, columns=["age"])', "region.no-columns"),
    ('pt.Table("visits", source=rows, columns={"age": int})', "region.not-a-column"),
    ('pt.Table("visits", source=rows, columns={"age": (0, 120)})', "region.not-a-column"),
    ('pt.Table("visits", source=rows, columns={})', "region.no-columns"),
    ('pt.Table("my visits", source=rows, columns=cols)', "query.bad-table-name"),
    ("pt.Table(rows, cols)", "call.missing"),
    ("pt.integers()", "call.missing"),
    ("pt.integers(0)", "call.missing"),
    ("pt.integers(low=0, high=120, step=1)", "call.unknown-argument"),
    ("pt.integers(120, 0)", "region.empty-column"),
    ("pt.integers(0, 99.5)", "region.bad-bound"),
    ("pt.decimals(0, 500)", "call.missing"),
    ("pt.categories()", "region.no-categories"),
    ('pt.categories(["F", "M"])', "region.bad-category"),
    ("pt.dates(2024, 2025)", "region.bad-bound"),
    ('pt.dates("01.02.2024", "2024-12-31")', "region.bad-bound"),
    ("C(promises=P)", "call.not-a-list"),
    ("C(promises=pt.Pure(epsilon=1))", "call.not-a-list"),
    ("C(promises=[pt.Pure(epsilon=1)])", "curator.not-a-promise"),
    ("C(promises=[])", "curator.no-promises"),
    ("C(tables=T)", "call.not-a-list"),
    ("C(tables=rows)", "curator.not-a-table"),
    ("C(tables=[])", "curator.no-tables"),
    ('C(tables={"visits": T})', "curator.not-a-table"),
    ("C(table=T)", "call.unknown-argument"),
    ("pt.Curator([T], [P])", "call.by-name"),
    ("pt.Curator()", "call.missing"),
    ("C(ledger=5)", "ledger.bad-path"),
    ("C(ledger=None)", "ledger.bad-path"),
    ('C(ledger="nowhere/x.ledger")', "ledger.no-folder"),
    ('C(backend="mysql")', "curator.unknown-backend"),
    ("C(backend=None)", "curator.unknown-backend"),
    ("c.ask(q)", "query.no-price"),
    ("c.ask(q, 0.1)", "call.by-name"),
    ("c.ask(q, eps=0.1)", "call.unknown-argument"),
    ("c.ask(q, epsilon=0)", "number.not-positive"),
    ('c.ask(q, epsilon="a lot")', "number.not-a-number"),
    ("c.ask(q, epsilon=0.1, rho=0.1)", "query.several-prices"),
    ("c.ask()", "call.missing"),
    ("c.ask(epsilon=0.1)", "call.missing"),
    ("c.ask(None, epsilon=0.1)", "curator.not-a-question"),
    ('c.ask(["SELECT 1"], epsilon=0.1)', "curator.not-a-question"),
    ('c.ask("", epsilon=0.1)', "query.unreadable"),
    ('c.ask("how many?", epsilon=0.1)', "query.unreadable"),
    ('c.ask("SELECT COUNT(*) FROM visit", epsilon=0.1)', "query.unknown-table"),
    ('c.ask("SELECT COUNT(*) FROM visits WHERE aeg > 3", epsilon=0.1)', "query.unknown-column"),
    ('c.ask("SELECT * FROM visits", epsilon=0.1)', "query.rows-themselves"),
    ('c.ask("SELECT age FROM visits", epsilon=0.1)', "query.rows-themselves"),
    ("c.ask(\"SELECT COUNT(*) AS n FROM visits WHERE sex = 'female'\", epsilon=0.1)", "region.unknown-category"),
    ("c.ask(q, epsilon=5)", "ledger.over-budget"),
    ('c.ask(q, within="5 percent")', "number.not-a-number"),
    ("c.ask(q, epsilon=0.1, confidence=95)", "accuracy.wish-without-accuracy"),
    ("c.ask(q, within=50, confidence=95)", "number.outside-unit-interval"),
    ("c.ask(q, epsilon=0.1, analyst=5)", "ledger.bad-name"),
    ("c.quote(q, 0.1)", "call.by-name"),
    ("c.quote(q, eps=0.1)", "call.unknown-argument"),
    ("c.quote()", "call.missing"),
    ("c.batch(q, epsilon=1)", "call.not-a-list"),
    ("c.batch([q], eps=1)", "call.unknown-argument"),
    ("c.batch()", "call.missing"),
    ("c.plan(q)", "call.not-a-list"),
    ('c.table("visit")', "query.unknown-table"),
    ("c.table()", "call.missing"),
    ('c.session("ana")', "call.by-name"),
    ("c.session()", "call.missing"),
    ('c.session(analyst="ana", budget=1)', "theory.not-a-loss"),
    ('c.remaining("age >> 3")', "query.not-a-condition"),
    ('c.run("kmeans")', "curator.not-a-computation"),
    ('c.load_map("age", "height")', "region.unknown-column"),
    ('pt.open("nowhere.toml")', "curator.settings-missing"),
    ("pt.open(5)", "curator.settings-unreadable"),
    ("pt.open()", "curator.settings-missing"),
    ('C(tables=[pt.Table("visits", source="nowhere.csv", columns=cols)])', "query.absent-source"),
    ('C(tables=[pt.Table("visits", source=Path("nowhere.parquet"), columns=cols)])', "query.absent-source"),
    ('C(tables=[pt.Table("visits", source=5, columns=cols)])', "query.unknown-source"),
    ('C(tables=[pt.Table("visits", source=None, columns=cols)])', "query.unknown-source"),
    ("pt.Laplace(1)", "call.by-name"),
    ("pt.Laplace(eps=1)", "call.unknown-argument"),
    ("pt.GaussianNoise(2)", "call.by-name"),
    ("pt.GaussianNoise(epsilon=1)", "call.unknown-argument"),
    ("pt.compose([0.1, 0.2])", "composition.not-an-event"),
    ("pt.compose([pt.Pure(epsilon=1)], delta=2)", "composition.delta-out-of-range"),
    ("pt.compose()", "call.missing"),
    ('pt.compose([(10, pt.Pure(epsilon="0.1"))])', "composition.not-an-event"),
    ('pt.calibrate("laplace", count=1, epsilon=1)', "composition.not-calibratable"),
    ("pt.calibrate(pt.Laplace, 10, 1)", "call.by-name"),
    ("pt.calibrate(pt.GaussianNoise, count=1, epsilon=1)", "composition.needs-delta"),
    ("pt.explain(1)", "explain.not-a-guarantee"),
    ("pt.explain()", "call.missing"),
    ('pt.explain("epsilon 1")', "explain.not-a-guarantee"),
    ("pt.convert(pt.Pure(epsilon=1))", "call.missing"),
    ("pt.convert(1, to=pt.ZCDP)", "theory.not-a-loss"),
    ("pt.posterior(0.5)", "call.missing"),
    ("pt.posterior(50, epsilon=1)", "number.too-large"),
    ("pt.Filter(1)", "theory.not-a-loss"),
    ('pt.booleans("yes")', "call.by-name"),
    ("pt.report(5)", "explain.not-a-ledger"),
    ('pt.report("nowhere.ledger")', "ledger.missing"),
    ('pt.Region.where("age > 3", [])', "region.no-columns"),
    ("pt.RegionAccount([], P)", "region.no-columns"),
    ('c.ask(q, epsilon="0.01")["m"]', "curator.no-such-column"),
    ('c.ask(q, epsilon="0.01").to_pandas(errors=True)', "call.unknown-argument"),
    ('C(tables=[pt.Table("visits", source="https://example.org/v.csv", columns=cols)])', "query.absent-source"),
    ('c.ask(q, epsilon="0.01").error(95)', "number.outside-unit-interval"),
]
# Every text tells what to write, give, choose, change, make or look at.
ADVICE = re.compile(
    r"\b(Write|Give|Use|Say|Please|Choose|Check|Make|Ask|List|Compare|There is|It declares|Declared are"
    r"|It was declared with|is SQL text|must be|Add|not a path|begins with SELECT|it is empty)\b"
)


@pytest.fixture(scope="module")
def notebook():
    """What a notebook has defined by then; no mistake changes any of it, nor is more charged than one question."""
    rows = [{"age": 30, "sex": "F", "fee": 1.5}]
    cols = {"age": pt.integers(0, 120), "sex": pt.categories("F", "M"), "fee": pt.decimals(0, 500, step="0.01")}
    table = pt.Table("visits", source=rows, columns=cols)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))

    def curator(**changed):
        return pt.Curator(**{"tables": [table], "promises": [promise], **changed})

    with curator() as made:
        question = "SELECT COUNT(*) AS n FROM visits"
        yield {
            "pt": pt,
            "Path": Path,
            "C": curator,
            "c": made,
            "q": question,
            "rows": rows,
            "cols": cols,
            "T": table,
            "P": promise,
        }
        assert made.spent()[0].rho < Fraction("0.001")


@pytest.fixture
def names(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return {**notebook}


@pytest.mark.parametrize(("typed", "code"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_a_common_mistake_is_told_with_its_code_and_what_to_do(typed, code, names):
    with pytest.raises(PartitaError) as caught:
        eval(typed, names)
    assert caught.value.code == code
    assert ADVICE.search(caught.value.message), caught.value.message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_wrong_call_is_a_type_error_as_well():
    with pytest.raises(TypeError) as caught:
        pt.Pure(1)  # type: ignore[misc]
    assert isinstance(caught.value, BadCall)
    assert "for example epsilon=1" in caught.value.message


def test_a_type_error_from_inside_a_call_is_left_as_it_is():
    from partita.calls import called

    @called
    def broken(value):
        return value + "text"

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        broken(1)
    assert not isinstance(caught.value, PartitaError)
