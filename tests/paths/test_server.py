"""A server as a team uses it: questions over HTTP are charged, kept, repeated, refused and shown as in Python."""

from __future__ import annotations

import inspect
import io
import json
import re

import pyarrow as pa
import pytest

import partita as pt
from partita.curator.curator import Curator
from partita.server.bodies import Ask, AskMany, Quote
from tests.docs.pages import ROOT

GROUPED = "SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY sex"
ARROW = "application/vnd.apache.arrow.stream"


def test_every_keyword_of_a_question_is_a_field():
    for verb, body in ((Curator.ask, Ask), (Curator.quote, Quote), (Curator.ask_many, AskMany)):
        named = set(inspect.signature(verb).parameters) - {"self", "analyst"}
        assert named == set(body.model_fields) - {"bars", "explain"}


def test_an_answer_is_charged_kept_and_free_again(house):
    with house.as_("ada") as ada:
        before = ada.remaining()[0].rho
        answer = ada.ask(GROUPED, rho="0.01", bars=["0.95", "0.5"], explain=True)
        assert [line["sex"] for line in answer.rows()] == ["F", "M", "OTHER", None]
        assert not answer.free
        assert answer.cost.rho <= before - ada.remaining()[0].rho <= pt.ZCDP(rho="0.01").rho
        assert answer.error(0.5)["n"][0] < answer.error()["n"][0]
        low, high = answer.intervals()["n"][0]
        assert low < answer.rows()[0]["n"] < high
        answer.check()
        assert answer.receipt.asked == GROUPED
        assert "Charged" in answer.explain()
        again = ada.ask(GROUPED, rho="0.01")
        assert again.free
        assert again.rows() == answer.rows()
        assert ada.answer(answer.receipt.seq).rows() == answer.rows()
        assert ada.receipt(answer.receipt.seq) == answer.receipt
        assert "Charged: nothing, the answer was in the ledger." in again.explain()
        with pytest.raises(pt.InvalidInput, match=r"bars=\['0.9'\]"):
            answer.error(0.9)


def test_an_answer_prints_plots_and_converts_like_one_of_a_curator(house):
    with house.as_("ada") as ada:
        answer = ada.ask("SELECT day, COUNT(*) AS n FROM visits GROUP BY day", rho="0.02")
        assert answer.rows()[0]["day"].isoformat() == "2025-01-01"
        assert list(answer.to_pandas(error=True)) == ["day", "n", "n_error"]
        assert answer.to_arrow().num_rows == answer.to_polars().height == len(answer.rows())
        assert answer.plot().axes[0].get_ylabel() == "n"
        assert "± n" in str(answer)
        assert "Price: " in repr(answer)
        assert "<table>" in answer._repr_html_()


def test_quotes_spend_nothing_and_refusals_keep_their_class_and_code(house):
    with house.as_("ada") as ada:
        before = ada.spent()
        offer = ada.quote("SELECT COUNT(*) AS n FROM visits WHERE age > 31", within=20)
        assert offer.error()["n"] <= 20
        assert offer.fits
        assert not offer.free
        for kind, code, question, wants in (
            (pt.QueryRefused, "query.rows-themselves", "SELECT * FROM visits", {"rho": "0.1"}),
            (pt.BudgetExceeded, "ledger.over-budget", "SELECT COUNT(*) AS n FROM visits", {"rho": "0.9"}),
            (pt.InvalidInput, "number.not-positive", "SELECT COUNT(*) AS n FROM visits", {"rho": "-1"}),
        ):
            name = "limited" if kind is pt.BudgetExceeded else "ada"
            with house.as_(name) as asking, pytest.raises(kind) as refused:
                asking.ask(question, **wants)
            assert refused.value.code == code
        assert ada.spent() == before


def test_an_analyst_has_limits_for_every_promise_and_a_key_marks_one_attempt(house):
    question = "SELECT COUNT(*) AS n FROM visits WHERE age = {}"
    with house.as_("limited") as one:
        first = one.ask(question.format(1), rho="0.03", key="mine")
        assert one.ask(question.format(1), rho="0.03", key="mine").rows() == first.rows()
        with pytest.raises(pt.InvalidInput) as reused:
            one.ask(question.format(2), rho="0.01", key="mine")
        assert reused.value.code == "ledger.key-reused"
        with pytest.raises(pt.BudgetExceeded):
            one.ask(question.format(1), rho="0.04")
        with house.as_("bob") as other:
            assert not other.ask(question.format(3), rho="0.01", key="mine").free


def test_many_plans_and_what_follows_from_earlier_answers(house):
    questions = [
        "SELECT COUNT(*) AS n FROM visits WHERE age < 20",
        "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex",
    ]
    with house.as_("ada") as ada:
        assert [len(one.rows()) for one in ada.ask_many(questions, rho="0.02")] == [1, 4]
        assert ada.batch(questions, rho="0.03")["fits"]
        plan = ada.plan(questions, rho="0.03")
        assert plan.ask(1).rows() == plan.answers()[1].rows()
        assert ada.plan(questions, rho="0.03").free
        assert ada.reused("SELECT COUNT(*) AS n FROM visits").free
        with house.as_("bob") as bob, pytest.raises(pt.InvalidInput) as unknown:
            bob._planned(plan.number, None)
        assert unknown.value.code == "server.unknown-plan"


def test_csv_and_arrow_carry_error_bars_costs_and_receipts(house):
    body = {"question": GROUPED, "rho": "0.01"}
    house.send("ada", "POST", "/v1/ask", body)  # charged here, if no other test asked it
    found = house.send("ada", "POST", "/v1/ask", body, headers={"Accept": "text/csv"})
    assert found.text.splitlines()[0] == "sex,n,n_error,a,a_error"
    beside = json.loads(found.headers["partita-answer"])
    assert house.send("ada", "GET", f"/v1/receipts/{beside['receipts'][0]}").json()["asked"] == GROUPED
    arrow = house.send("ada", "POST", "/v1/ask", body, headers={"Accept": ARROW})
    table = pa.ipc.open_stream(io.BytesIO(arrow.content)).read_all()
    assert table.column_names == ["sex", "n", "n_error", "a", "a_error"]
    assert json.loads(table.schema.metadata[b"partita"])["costs"] == beside["costs"]


def test_practice_is_marked_free_and_apart(house):
    with house.as_("ada") as ada:
        before = ada.spent()
        twin = ada.practice()
        answer = twin.ask(GROUPED, rho="0.5")
        assert answer.practice
        assert "made-up" in repr(answer)
        assert twin.spent() != before == ada.spent()
        with pytest.raises(pt.BudgetExceeded):
            twin.ask("SELECT COUNT(*) AS n FROM visits", rho="11")
        house.send("ada", "POST", "/v1/practice/reset", {})
        assert twin.spent()[0].rho == 0


def test_standing_and_calculators(house):
    with house.as_("ada") as ada:
        assert [one["column"] for one in ada.tables[0]["columns"]] == ["age", "sex", "day"]
        assert [str(budget) for _, budget in ada.promises] == ["ρ = 10", "(ε = 1000, δ = 1e-06)"]
        assert len(ada.guarantee()) == 2
        assert len(ada.load_map("sex", "day")["spent"]) == 4
    plan = {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 100}]}
    assert round(house.send("ada", "POST", "/v1/compose", plan).json()["epsilon"], 3) == 4.693
    wanted = {"version": 1, "mechanism": "gaussian", "count": 100, "epsilon": 1, "delta": "1e-6"}
    assert house.send("ada", "POST", "/v1/calibrate", wanted).json()["mechanism"] == "gaussian"
    assert house.send("ada", "POST", "/v1/explain", {"rho": "0.5"}).json()["sections"]


def test_every_route_is_described_and_documented(house):
    found = house.send("ada", "GET", "/v1/openapi.json").json()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in found.items() for method in methods}
    page = (ROOT / "docs" / "guides" / "server.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([A-Z]+ /[^`]*)`", page, re.MULTILINE))
    twins = {route for route in routes if " /v1/practice/" in route and not route.endswith("/reset")}
    assert documented == routes - twins
    assert {route.replace("/practice/", "/") for route in twins} <= documented
    assert "POST /v1/practice/ask" in twins
