"""partita compose answers for a plan, in tables, in JSON and in pictures."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.cli import main
from partita.composition.guarantees.compose import compose
from partita.explain.totals import spread
from partita.mechanisms.laplace import Laplace
from tests.sizes import tried

PLAN = {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 100}]}
MIXED = {
    "version": 1,
    "delta": "1e-6",
    "events": [
        {"mechanism": "laplace", "epsilon": "0.1", "count": 10},
        {"mechanism": "gaussian", "sigma": 10, "distance": 2},
        {"mechanism": "gaussian", "sigma": 1, "rate": "0.01", "count": 5},
        {"loss": {"kind": "pure", "epsilon": "0.2"}, "count": 3},
    ],
}
THEIRS = {
    "version": 1,
    "vocabulary": "dp_accounting",
    "delta": 1e-6,
    "event": {
        "type": "SelfComposedDpEvent",
        "count": 100,
        "event": {"type": "LaplaceDpEvent", "noise_multiplier": 10},
    },
}


@pytest.fixture
def plan(tmp_path):
    def written(document: object) -> str:
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    return written


def answer(capsys, *arguments: str) -> dict:
    assert main(["compose", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_total_is_that_of_the_library(plan, capsys):
    found = answer(capsys, plan(PLAN))
    expected = compose([(Laplace(epsilon="0.1"), 100)], delta="1e-6")
    assert found["epsilon"] == expected.epsilon
    assert found["lower"] <= found["epsilon"] == found["upper"]
    assert found["methods"]["basic"]["epsilon"] == 10
    assert min(method["epsilon"] for method in found["methods"].values()) == found["epsilon"]


def test_the_vocabulary_of_dp_accounting_gives_the_same_total(plan, capsys):
    first = answer(capsys, plan(PLAN))
    second = answer(capsys, plan(THEIRS))
    assert first["epsilon"] == second["epsilon"]


def test_a_mixed_plan_is_shown_part_by_part(plan, capsys):
    assert main(["compose", plan(MIXED)]) == 0
    said = capsys.readouterr().out
    assert "Laplace(scale=10)" in said
    assert "19 releases together are" in said.replace("\n", " ")


def test_people_with_several_rows_and_groups_of_rows_lose_more(plan, capsys):
    alone = answer(capsys, plan(PLAN))
    grouped = answer(capsys, plan(PLAN), "--groups", "3")
    owned = answer(capsys, plan(PLAN), "--users", "3", "--owner", "patient")
    assert alone["epsilon"] < grouped["epsilon"] == owned["epsilon"]
    assert owned["methods"]["basic"]["epsilon"] == 30
    assert owned["unit"] == "one patient with at most 3 rows, added or removed"
    assert main(["compose", plan(PLAN), "--users", "3", "--explain"]) == 0
    assert "one owner with at most 3 rows" in " ".join(capsys.readouterr().out.split())


def test_options_override_the_plan(plan, capsys):
    basic = answer(capsys, plan(PLAN), "--method", "basic")
    assert (basic["epsilon"], basic["method"]) == (10, "basic")
    assert answer(capsys, plan(PLAN), "--delta", "1e-9")["delta"] == pytest.approx(1e-9)
    assert answer(capsys, plan(PLAN), "--relation", "change-one")["relation"] == "change-one"


def test_a_plan_may_come_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(PLAN)))
    assert answer(capsys, "-")["releases"] == 100


def test_an_empty_plan_gives_nothing_away(plan, capsys):
    assert answer(capsys, plan({"version": 1, "events": []}))["epsilon"] == 0


def test_the_words_come_on_demand(plan, capsys):
    assert "explanation" in answer(capsys, plan({**PLAN, "method": "basic"}), "--explain")
    assert main(["compose", "--explain", plan({**PLAN, "method": "zcdp"})]) == 0
    assert "What is not promised" in capsys.readouterr().out


@pytest.mark.parametrize("picture", ["composition", "tradeoff", "profile"])
@pytest.mark.parametrize("document", [{**PLAN, "method": "zcdp"}, MIXED], ids=["one kind", "mixed"])
def test_each_picture_is_drawn(picture, document, plan, tmp_path, capsys):
    target = tmp_path / "picture.svg"
    assert main(["compose", plan(document), "--plot", str(target), "--picture", picture]) == 0
    assert "<svg" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([], "composition.bad-document"),
        ({}, "composition.bad-document"),
        ({**PLAN, "version": 2}, "composition.bad-document"),
        ({**PLAN, "sugar": 1}, "composition.bad-document"),
        ({**PLAN, "events": [{"mechanism": "sugar"}]}, "composition.bad-document"),
        ({**PLAN, "events": [{"mechanism": "laplace"}]}, "mechanisms.scale-or-epsilon"),
        ({**PLAN, "events": [{"mechanism": "laplace", "epsilon": -1}]}, "number.not-positive"),
        ({**PLAN, "events": [{"mechanism": "laplace", "epsilon": float("nan")}]}, "number.not-finite"),
        ({**PLAN, "method": "magic"}, "composition.unknown-method"),
        ({**PLAN, "relation": "cousins"}, "composition.unknown-relation"),
        ({**PLAN, "delta": 2}, "composition.delta-out-of-range"),
        ({**PLAN, "delta": 0, "method": "zcdp"}, "composition.needs-delta"),
        (
            {**PLAN, "relation": "add/remove", "events": [{"mechanism": "randomized_response", "epsilon": 1}]},
            "composition.not-under-relation",
        ),
    ],
)
def test_a_plan_that_cannot_be_composed_is_refused_in_words(document, code, plan, capsys):
    assert main(["compose", plan(document)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(code)


def test_a_file_that_cannot_be_read_is_named(tmp_path, capsys):
    broken = tmp_path / "broken.json"
    for content, code in [
        (b'{"version": 1,\n oops}', "cli.not-json"),
        (b"\xff\xfe\x00", "cli.cannot-read"),
        (b"", "cli.not-json"),
        (b"[" * 100_000, "cli.not-json"),
        (b"1" * 10_000, "cli.not-json"),
    ]:
        broken.write_bytes(content)
        assert main(["compose", str(broken)]) == 2
        assert capsys.readouterr().err.startswith(code)
    assert main(["compose", str(tmp_path / "missing.json")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["compose", str(tmp_path)]) == 2
    assert main(["compose", "nul\0byte"]) == 2


def test_wrong_options_are_refused_before_anything_is_computed(plan, tmp_path, capsys):
    assert main(["compose", plan(PLAN), "--picture", "still-life"]) == 2
    assert capsys.readouterr().err.startswith("cli.unknown-choice")
    assert main(["compose", plan(PLAN), plan(PLAN)]) == 2
    assert capsys.readouterr().err.startswith("cli.one-plan")
    assert main(["compose", plan(PLAN), "--plot", str(tmp_path / "x.gif")]) == 2
    assert capsys.readouterr().err.startswith("explain.not-a-picture-file")


LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 10**6) | st.floats(-2, 2) | st.sampled_from(["", "x", "1/2", "nan"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
)
EVENTS = st.dictionaries(
    st.sampled_from(["mechanism", "epsilon", "sigma", "scale", "count", "distance", "loss", "rate", "values"]),
    VALUES | st.sampled_from(["laplace", "gaussian", "randomized_response", "exponential", "sparse_vector"]),
    max_size=4,
)
DOCUMENTS = st.fixed_dictionaries(
    {"version": st.just(1), "events": st.lists(EVENTS, max_size=2) | VALUES},
    optional={"delta": VALUES, "method": VALUES | st.just("basic"), "relation": VALUES, "vocabulary": VALUES},
)


# What a plan may say is tried by tests/laws/test_odd_documents.py; here, that the command reads it and ends in words.
@pytest.mark.soak
@given(document=DOCUMENTS | VALUES)
@settings(max_examples=tried(40, soaking=2000))
def test_no_plan_whatever_it_says_ends_in_a_traceback(document):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(json.dumps(document)))
        assert main(["compose", "--json", "-"]) in (0, 2)


@given(most=st.integers(1, 10**6))
def test_counts_for_a_picture_rise_from_one_to_the_most(most):
    found = spread(most)
    assert found[0] == 1
    assert found[-1] == most
    assert found == sorted(set(found))
