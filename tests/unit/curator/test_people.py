"""Quantiles, open keys, owners and caps from the question to the ledger."""

from __future__ import annotations

from datetime import date

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.sampling.bits import TestBits

ROWS = [
    {
        "who": f"p{i % 97}",
        "age": 37 * i % 90,
        "day": f"2025-{1 + i % 12:02d}-{1 + i % 28:02d}",
        "word": None if i % 50 == 0 else f"w{i % 5}",
        "sex": "FM"[i % 2],
    }
    for i in range(1200)
]
COLUMNS = {
    "who": pt.identifier(),
    "age": pt.integers(0, 120),
    "day": pt.dates("2025-01-01", "2025-12-31"),
    "word": pt.text_keys(),
    "sex": pt.categories("F", "M"),
}
OWNERS = pt.users("who", rows=6)


def curator(*promises, rows=ROWS, seed=1):
    table = pt.Table("visits", source=rows, columns=COLUMNS)
    return pt.Curator(tables=[table], promises=promises, bits=TestBits(seed))


def refused(call, *args, **options):
    with pytest.raises(PartitaError) as caught:
        call(*args, **options)
    return caught.value.code


PROMISES = [
    pt.Promise(pt.rows(), pt.Pure(epsilon=100)),
    pt.Promise(pt.rows(), pt.ZCDP(rho=100)),
    pt.Promise(pt.replace(), pt.ZCDP(rho=100)),
    pt.Promise(pt.rows(), pt.GDP(mu=100)),
    pt.Promise(pt.rows(), pt.Approximate(epsilon=100, delta="1e-6")),
    pt.Promise(OWNERS, pt.ZCDP(rho=100)),
    pt.Promise(OWNERS, pt.Pure(epsilon=100)),
    pt.Promise(pt.users("who", rows=2, per="day"), pt.ZCDP(rho=100)),
]


@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_the_same_quantiles_are_answered_under_every_promise(promise):
    ours = curator(promise)
    question = "SELECT MEDIAN(age) AS half, MAX(day) AS last, COUNT(DISTINCT who) AS people FROM visits"
    answer = ours.ask(question, epsilon=20)
    (row,) = answer.rows()
    assert abs(row["half"] - 44) <= 12
    assert isinstance(row["last"], date)
    assert abs(row["people"] - 97) <= 20
    assert set(answer.rank_error()) == {"half", "last"}
    assert set(answer.error()) == {"people"}
    assert "within" in answer.explain()
    assert [float(part) for part in ours.spent()[0].vector()] == pytest.approx(list(map(float, answer.cost.vector())))
    assert ours.ask(question, epsilon=20).free


@pytest.mark.parametrize(
    "spelled",
    [
        "QUANTILE(age, 0.9)",
        "QUANTILE_CONT(age, 0.9)",
        "QUANTILE_DISC(age, 0.9)",
        "APPROX_QUANTILE(age, 0.9)",
        "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)",
        "PERCENTILE_DISC(0.1) WITHIN GROUP (ORDER BY age DESC)",
    ],
)
def test_every_spelling_of_a_quantile_is_the_same_question(spelled):
    ours = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=10)))
    ours.ask("SELECT QUANTILE(age, 0.90) AS q FROM visits", epsilon=1)
    assert ours.ask(f"SELECT {spelled} AS other FROM visits", epsilon=1).free


def test_the_choice_follows_the_measure_and_the_number_of_quantiles():
    pure = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=9)))
    assert "with permute-and-flip" in pure.quote("SELECT MEDIAN(age) AS m FROM visits", epsilon=1).quote.explain()
    two = "SELECT MEDIAN(age) AS m, QUANTILE(age, 0.9) AS h FROM visits"
    said = pure.quote(two, epsilon=1).quote.explain()
    assert said.endswith("chosen among all possible values by rank, several at once, with the exponential mechanism.")
    both = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=9)), pt.Promise(pt.rows(), pt.ZCDP(rho=9)))
    for ours in (both, curator(pt.Promise(pt.rows(), pt.ZCDP(rho=9)))):
        assert "exponential" in ours.quote("SELECT MEDIAN(age) AS m FROM visits", epsilon="0.1").quote.explain()


def test_quantiles_of_one_column_come_back_in_order_and_can_be_computed_with():
    ours = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=100)))
    listed = ", ".join(f"QUANTILE(age, 0.{share}) AS q{share}" for share in range(1, 10))
    (row,) = ours.ask(f"SELECT {listed} FROM visits", epsilon="0.2").rows()
    assert list(row.values()) == sorted(row.values())
    spread = ours.ask("SELECT QUANTILE(age, 0.75) - QUANTILE(age, 0.25) AS width FROM visits", epsilon=20).rows()
    assert 30 <= spread[0]["width"] <= 60
    days = ours.ask("SELECT MAX(day) - MIN(day) AS days FROM visits", epsilon=20)
    assert 250 <= days.rows()[0]["days"] <= 364
    assert days.error()["days"][0] >= 0


SPREAD = ", ".join(f"QUANTILE(age, 0.{share}) AS q{share}" for share in (35, 50, 65))


@pytest.mark.slow
def test_a_quantile_lies_between_its_neighbours_as_often_as_is_said():
    ours, missed = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=10_000))), 0
    ages = sorted(row["age"] for row in ROWS)
    for turn in range(150):
        answer = ours.ask(f"SELECT {SPREAD}, MAX(day) AS last FROM visits", epsilon=f"2.{turn:04d}")
        found = answer.value_intervals(rows=1_200, confidence=0.9)
        assert set(found) == {"q35", "q50", "q65", "last"}
        ((low, high),) = found["q50"]
        assert (low, high) == (answer.rows()[0]["q35"], answer.rows()[0]["q65"])
        missed += not low <= ages[599] <= high
        assert found["q35"][0][0] == 0
        assert found["q65"][0][1] == 120
        assert found["last"][0] == (date(2025, 1, 1), date(2025, 12, 31))
    assert missed <= 15 + 5 * (0.09 * 150) ** 0.5


def test_neighbours_too_near_for_a_small_group_say_nothing():
    ours = curator(pt.Promise(pt.rows(), pt.Pure(epsilon=100)))
    answer = ours.ask(f"SELECT sex, {SPREAD} FROM visits GROUP BY sex", epsilon=2)
    assert answer.value_intervals(rows=20)["q50"] == [(0, 120)] * 4
    wide = answer.value_intervals(rows=600)["q50"][:2]
    both = answer.value_intervals(rows=600, simultaneous=True)["q50"][:2]
    for (low, high), (lower, higher) in zip(wide, both, strict=True):
        assert 0 <= lower <= low < high <= higher <= 120
    assert refused(answer.value_intervals, rows=0) == "number.too-small"
    assert ours.ask("SELECT COUNT(*) AS n FROM visits", epsilon=1).value_intervals(rows=9) == {}


@pytest.mark.parametrize(
    "promise",
    [
        pt.Promise(pt.rows(), pt.Approximate(epsilon=100, delta="1e-3")),
        pt.Promise(pt.rows(), pt.ZCDP(rho=100, delta="1e-3")),
        pt.Promise(pt.replace(), pt.ZCDP(rho=100, delta="1e-3")),
        pt.Promise(pt.groups(2), pt.Approximate(epsilon=100, delta="1e-3")),
        pt.Promise(OWNERS, pt.ZCDP(rho=100, delta="1e-3")),
        pt.Promise(OWNERS, pt.Approximate(epsilon=300, delta="1e-3")),
    ],
    ids=str,
)
def test_open_keys_are_named_when_enough_have_them_and_never_when_one_has(promise):
    rows = [*ROWS, {"who": "p1", "age": 3, "day": "2025-02-02", "word": "rare", "sex": "F"}]
    ours = curator(promise, rows=rows)
    answer = ours.ask("SELECT word, COUNT(*) AS n FROM visits GROUP BY word", epsilon=20, delta="1e-6")
    named = {row["word"]: row["n"] for row in answer.rows()}
    assert {"w1", "w2", "w3", "w4"} <= set(named)
    assert "rare" not in named
    assert None in named
    assert answer.cost.vector()[1] > 0
    again = ours.ask("SELECT word, COUNT(*) AS n FROM visits GROUP BY word LIMIT 2", epsilon=20, delta="1e-6")
    assert again.free
    assert len(again.rows()) == 2
    assert not ours.verify().problems


def test_open_keys_stand_beside_declared_ones():
    ours = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=100, delta="1e-3")))
    answer = ours.ask(
        "SELECT word, sex, COUNT(*) AS n, MEDIAN(age) AS half FROM visits GROUP BY word, sex", rho=20, delta="1e-6"
    )
    counts = {(row["word"], row["sex"]): row["n"] for row in answer.rows()}
    for word in ("w1", "w2"):
        exact = sum(row["word"] == word and row["sex"] == "F" for row in ROWS)
        assert abs(counts[word, "F"] - exact) <= 10
    assert sum(counts.values()) == pytest.approx(len(ROWS), abs=40)
    people = ours.ask("SELECT word, COUNT(DISTINCT who) AS people FROM visits GROUP BY word", rho=20, delta="1e-6")
    assert None not in people.result.columns["word"]


def test_naming_keys_needs_a_delta():
    question = "SELECT word, COUNT(*) AS n FROM visits GROUP BY word"
    assert refused(curator(pt.Promise(pt.rows(), pt.Pure(epsilon=9))).ask, question, epsilon=1) == "selection.no-delta"
    given = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=9, delta="1e-6")))
    assert refused(given.ask, question, rho=1) == "selection.no-delta"
    assert given.spent()[0].vector() == (0, 0)


def test_caps_make_a_question_cheaper_and_are_part_of_it():
    ours = curator(pt.Promise(OWNERS, pt.ZCDP(rho=100)))
    question = "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex"
    wide = ours.quote(question, rho="0.1").error()["n"]
    narrow = ours.quote(question, rho="0.1", rows_per_user=2, groups_per_user=1).error()["n"]
    assert 2.7 < wide / narrow < 3.1
    one = ours.ask(question, rho=50, rows_per_user=1)
    assert not ours.ask(question, rho=50, rows_per_user=2).free
    assert ours.ask(question, rho=50, rows_per_user=1).free
    assert abs(sum(row["n"] for row in one.rows()) - 97) <= 10


def test_caps_need_promises_on_users_alone():
    both = curator(pt.Promise(OWNERS, pt.ZCDP(rho=9)), pt.Promise(pt.rows(), pt.ZCDP(rho=9)))
    rows_only = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=9)))
    for ours in (both, rows_only):
        code = refused(ours.ask, "SELECT COUNT(*) AS n FROM visits", rho=1, rows_per_user=1)
        assert code == "selection.caps-need-owners"
    for cap in (0, -1, True, 1.5, "2"):
        assert (
            refused(rows_only.ask, "SELECT COUNT(*) AS n FROM visits", rho=1, groups_per_user=cap)
            == "selection.bad-cap"
        )


def test_counting_owners_is_charged_once_for_each_owner():
    ours = curator(pt.Promise(OWNERS, pt.ZCDP(rho=100)))
    answer = ours.ask("SELECT COUNT(DISTINCT who) AS people FROM visits", rho=1)
    assert answer.cost.vector()[0] <= 1
    assert answer.error()["people"][0] < 3
    counted = ours.quote("SELECT COUNT(*) AS n FROM visits", rho=1).error()["n"]
    assert counted > 3 * answer.error()["people"][0]


def test_a_count_of_owners_in_a_small_region_is_booked_where_the_owners_are():
    ours = curator(pt.Promise(OWNERS, pt.ZCDP(rho=100)))
    answer = ours.ask("SELECT COUNT(DISTINCT who) AS people FROM visits WHERE age = 3", rho=1)
    assert answer.cost.vector()[0] <= 6
    assert ours.remaining("age = 4")[0].vector()[0] == 100


def test_a_name_of_a_key_is_not_an_order_of_rows():
    shuffled = list(reversed(ROWS))
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=100, delta="1e-3"))
    question = "SELECT word, COUNT(*) AS n FROM visits GROUP BY word"
    first = curator(promise).ask(question, rho=20, delta="1e-6").rows()
    second = curator(promise, rows=shuffled).ask(question, rho=20, delta="1e-6").rows()
    assert first == second


def test_a_total_does_not_stand_for_open_keys_that_nobody_named():
    ours = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=100, delta="1e-3")))
    ours.ask("SELECT COUNT(*) AS n FROM visits", rho=20)
    answer = ours.ask("SELECT word, COUNT(*) AS n FROM visits GROUP BY word", rho=1, delta="1e-6")
    assert not answer.free
    assert len(answer.rows()) > 3


def test_caps_are_suggested_at_a_price():
    ours = curator(pt.Promise(pt.users("who", rows=20), pt.ZCDP(rho=100)))
    found = ours.suggest_caps("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", rho=90, keep="0.6")
    assert found.rows == 8
    assert found.groups in {1, 2}
    assert list(found.kept) == [1, 2, 4, 8, 16, 20]
    assert found.kept[1] < found.kept[4] < found.kept[16]
    assert float(found.cost[0].vector()[0]) == pytest.approx(90)
    assert float(ours.spent()[0].vector()[0]) == pytest.approx(90)
    assert refused(ours.suggest_caps, "SELECT COUNT(*) AS n FROM visits") == "selection.price-of-caps"
    alone = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=100)))
    assert refused(alone.suggest_caps, "SELECT COUNT(*) AS n FROM visits", rho=1) == "selection.caps-need-owners"
