"""Answers about people, and about what each of them comes to, say what every answer says."""

from __future__ import annotations

import pytest

import partita as pt

FOLK = [{"person": f"p{number}", "kind": "a" if number % 2 else "b"} for number in range(6)]
BUYS = [{"person": f"p{number % 6}", "price": number % 4} for number in range(20)]


def people():
    folk = {"person": pt.identifier(), "kind": pt.categories("a", "b")}
    buys = {"person": pt.identifier(), "price": pt.integers(0, 3)}
    tables = [pt.Table("folk", source=FOLK, columns=folk), pt.Table("buys", source=BUYS, columns=buys)]
    persons = pt.persons("person", table="folk", rows={"buys": 3})
    return pt.Curator(tables=tables, promises=[pt.Promise(persons, pt.ZCDP(rho=1))])


def owners():
    table = pt.Table("buys", source=BUYS, columns={"person": pt.identifier(), "price": pt.integers(0, 3)})
    return pt.Curator(tables=[table], promises=[pt.Promise(pt.users("person", rows=3), pt.ZCDP(rho=1))])


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COUNT(*) AS n FROM buys WHERE price > 1",
        "SELECT SUM(b.price) AS n FROM buys b JOIN folk f ON f.person = b.person WHERE f.kind = 'a'",
        "SELECT AVG(c) AS n FROM (SELECT person, COUNT(*) AS c FROM buys GROUP BY person) AS t",
    ],
)
def test_an_answer_about_people_says_what_is_left_for_them(question):
    with people() as curator:
        answer = curator.ask(question, rho="0.25")
        assert answer.remaining[0].rho + answer.cost.rho == pytest.approx(1)
        assert f"Left: {answer.remaining[0]}" in answer.explain()
        assert "n" in repr(answer)
        assert answer._repr_html_()


def test_many_questions_about_people_are_asked_together():
    questions = [
        "SELECT COUNT(*) AS n FROM buys WHERE price > 1",
        "SELECT f.kind, COUNT(*) AS n FROM folk f JOIN buys b ON b.person = f.person GROUP BY f.kind",
        "SELECT COUNT(*) n FROM (SELECT RANK() OVER (PARTITION BY person ORDER BY price) AS r FROM buys) t WHERE r = 1",
    ]
    with people() as together, people() as alone:
        answers = together.ask_many(questions, rho="0.125")
        for question in questions:
            alone.ask(question, rho="0.125")
        assert [len(answer.rows()) for answer in answers] == [1, 4, 1]
        assert together.spent() == alone.spent()
        assert all(answer.free for answer in together.ask_many(questions, rho="0.125"))
        assert together.verify().problems == ()


def test_an_answer_names_the_bounds_of_what_was_gathered():
    with owners() as curator:
        asked = "SELECT AVG(c) AS n FROM (SELECT person, {0} AS c FROM buys GROUP BY person) AS t"
        assert "Bounds" not in curator.ask(asked.format("COUNT(*)"), rho="0.1").explain()
        assert "(price between 0 and 3)" in curator.ask(asked.format("MAX(price)"), rho="0.1").explain()
        clamped = curator.ask(asked.format("CLAMP(SUM(price), 0, 2)"), rho="0.1").explain()
        assert "(price between 0 and 3; SUM(price) from 0 to 2 between 0 and 2)" in clamped


TOGETHER = [
    "SELECT COUNT(*) AS n FROM buys WHERE price > 1",
    "SELECT kind, COUNT(*) AS n FROM folk GROUP BY kind",
    "SELECT f.kind, SUM(b.price) AS s FROM folk f JOIN buys b ON b.person = f.person GROUP BY f.kind",
    "SELECT f.kind, COUNT(*) AS s FROM folk f LEFT JOIN buys b ON b.person = f.person GROUP BY f.kind",
    "SELECT COUNT(DISTINCT person) AS n FROM buys",
]


def test_questions_about_several_tables_share_one_price_and_are_one_plan():
    with people() as curator:
        batch = curator.batch(TOGETHER, rho="0.5")
        assert 0.499 < batch.cost.rho <= 0.5
        assert curator.spent()[0].is_zero()
        plan = batch.reserve()
        assert abs(curator.spent()[0].rho - plan.cost.rho) < 1e-9
        answers = plan.answers()
        assert [len(answer.rows()) for answer in answers] == [1, 4, 4, 4, 1]
        assert answers[2].remaining[0].rho + plan.cost.rho == pytest.approx(1)
        assert curator.plan(TOGETHER, rho="0.5").free
        assert curator.verify().problems == ()


def test_questions_about_different_kinds_of_people_have_the_whole_price_each():
    texts = [
        f"SELECT COUNT(*) AS n FROM {table} JOIN folk f USING (person) WHERE f.kind = '{kind}'"
        for kind in "ab"
        for table in ("buys",)
    ]
    with people() as curator:
        batch = curator.batch(texts, rho="0.25")
        assert [one.price.rho for one in batch.quotes] == pytest.approx([0.25, 0.25])
        answers = batch.ask()
        assert len(answers) == 2
        assert curator.spent()[0].rho == pytest.approx(0.25)


def test_what_follows_from_answers_about_people_is_free():
    with people() as curator:
        curator.ask("SELECT f.kind, COUNT(*) AS n FROM folk f JOIN buys b USING (person) GROUP BY f.kind", rho="0.5")
        whole = "SELECT COUNT(*) AS n FROM folk f {0} JOIN buys b ON b.person = f.person"
        assert curator.ask(whole.format(""), rho="0.01").free
        assert curator.reused(whole.format("LEFT")) is None
        assert not curator.ask(whole.format("LEFT"), rho="0.01").free
        assert not curator.ask(whole.format(""), rho="0.01", reuse=False).free


def test_margins_and_several_questions_of_one_statement_are_priced_together():
    with people() as curator:
        rolled = curator.ask(
            "SELECT f.kind, COUNT(*) AS n FROM folk f JOIN buys b USING (person) GROUP BY ROLLUP (f.kind)", rho="0.1"
        )
        assert len(rolled.rows()) == 5
        beside = "SELECT a.n - b.n AS d FROM (SELECT COUNT(*) n FROM buys) a, (SELECT COUNT(*) n FROM folk) b"
        assert len(curator.ask(beside, rho="0.1").rows()) == 1
        assert curator.spent()[0].rho <= 0.2
