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
