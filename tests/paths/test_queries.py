"""Questions that people ask: most simply work, the others are refused beside a question that works."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.sampling.bits import TestBits

SIXTY, MORE = (Path(__file__).parent / name for name in ("queries60.txt", "queries_more.txt"))


@dataclass(frozen=True)
class Question:
    name: str
    text: str
    code: str | None = None
    nearest: str | None = None


def questions(listed: Path) -> list[Question]:
    found = []
    for part in listed.read_text(encoding="utf-8").strip().split("\n;\n"):
        name, _, body = part.removeprefix("-- ").partition("\n")
        text, _, refused = body.partition("\n=> ")
        code, _, nearest = refused.partition("\n")
        found.append(Question(name, text, code or None, nearest or None))
    return found


ASKED = questions(SIXTY) + questions(MORE)
ANSWERED = [question for question in ASKED if question.code is None]
REFUSED = [question for question in ASKED if question.code is not None]


# --- four tables that do not exist ---------------------------------------------------------------------------------


@cache
def rows() -> dict[str, list[dict[str, Any]]]:
    draws = random.Random(60)

    def day() -> dt.date:
        return dt.date(2025, 1, 1) + dt.timedelta(days=draws.randrange(365))

    count = 1500
    return {
        "visits": [
            {
                "patient": draws.randrange(400),
                "age": draws.randrange(121),
                "sex": draws.choice("FM"),
                "region": draws.choice(["north", "south", "east", "west"]),
                "clinic": draws.choice(["a", "b", "c"]),
                "diagnosis": draws.choice(["flu", "flu", "flu", "asthma", "asthma", "fracture"]),
                "cost": draws.randrange(500_000) / 100,
                "smoker": draws.random() < 0.3,
                "day": day(),
            }
            for _ in range(count)
        ],
        "people": [
            {
                "person": place,
                "age": draws.randrange(100),
                "sex": draws.choice("FM"),
                "province": draws.choice(["coast", "hills", "plain"]),
                "education": draws.choice(["school", "college", "none"]),
                "household": draws.randrange(1, 9),
                "income": None if draws.random() < 0.1 else draws.randrange(100_000),
                "employed": draws.random() < 0.8,
            }
            for place in range(count)
        ],
        "orders": [
            {
                "customer": draws.randrange(300),
                "category": draws.choice(["books", "books", "toys", "food"]),
                "channel": draws.choice(["online", "shop", "phone"]),
                "price": draws.randrange(100, 20_000) / 100,
                "quantity": draws.randrange(1, 6),
                "returned": draws.random() < 0.1,
                "day": day(),
            }
            for _ in range(count)
        ],
        "trips": [
            {
                "rider": draws.randrange(250),
                "zone": draws.choice(["a", "a", "b", "c"]),
                "goal": draws.choice(["a", "b", "b", "c"]),
                "hour": draws.randrange(24),
                "minutes": draws.randrange(1, 120),
                "distance": draws.randrange(0, 400) / 10,
                "day": day(),
            }
            for _ in range(count)
        ],
    }


FACTS = {
    "clinics": [
        {"clinic": "a", "state": "TX", "beds": 80},
        {"clinic": "b", "state": "NM", "beds": 120},
        {"clinic": "c", "state": "TX", "beds": 300},
    ],
    "provinces": [
        {"name": "coast", "part": "west", "coastal": True},
        {"name": "hills", "part": "east", "coastal": False},
        {"name": "plain", "part": "east", "coastal": True},
    ],
}


@cache
def tables(most: int | None = None) -> tuple[pt.Table, ...]:
    days = pt.dates("2025-01-01", "2025-12-31")
    declared = {
        "visits": {
            "patient": pt.identifier(),
            "age": pt.integers(0, 120),
            "sex": pt.categories("F", "M"),
            "region": pt.categories("north", "south", "east", "west"),
            "clinic": pt.categories("a", "b", "c"),
            "diagnosis": pt.categories("flu", "asthma", "fracture"),
            "cost": pt.decimals(0, 5_000, step="0.01"),
            "smoker": pt.booleans(missing=False),
            "day": days,
        },
        "people": {
            "person": pt.identifier(),
            "age": pt.integers(0, 110, missing=0),
            "sex": pt.categories("F", "M"),
            "province": pt.categories("coast", "hills", "plain"),
            "education": pt.categories("school", "college", "none"),
            "household": pt.integers(1, 12, missing=1),
            "income": pt.integers(0, 120_000),
            "employed": pt.booleans(),
        },
        "orders": {
            "customer": pt.identifier(),
            "category": pt.categories("books", "toys", "food"),
            "channel": pt.categories("online", "shop", "phone"),
            "price": pt.decimals(0, 250, step="0.01"),
            "quantity": pt.integers(0, 10),
            "returned": pt.booleans(),
            "day": days,
        },
        "trips": {
            "rider": pt.identifier(),
            "zone": pt.categories("a", "b", "c"),
            "goal": pt.categories("a", "b", "c"),
            "hour": pt.integers(0, 23),
            "minutes": pt.integers(0, 180),
            "distance": pt.decimals(0, 60, step="0.1"),
            "day": days,
        },
    }
    listed = {name: pa.Table.from_pylist(rows()[name][:most]) for name in declared}
    return tuple(pt.Table(name, listed[name], columns) for name, columns in declared.items())


def opened(most: int | None = None) -> pt.Curator:
    public = [
        pt.PublicTable("clinics", FACTS["clinics"], key="clinic"),
        pt.PublicTable("provinces", FACTS["provinces"], key="name"),
    ]
    kept = [pt.Promise(pt.rows(), pt.ZCDP(rho=10**20))]
    return pt.Curator(tables=tables(most), public=public, promises=kept, bits=TestBits(60))


@pytest.fixture(scope="module")
def curator() -> Any:
    with opened() as made:
        yield made


@pytest.fixture(scope="module")
def small() -> Any:
    """A few rows of each table: the reference engine takes its time."""
    with opened(150) as made:
        yield made


@pytest.fixture(scope="module")
def plain() -> Any:
    """The same rows in a database that keeps no promise at all."""
    connection = duckdb.connect(":memory:")
    for name, listed in {**rows(), **FACTS}.items():
        connection.register(f"{name}_", pa.Table.from_pylist(listed))
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_")
    connection.execute("CREATE MACRO bucket(x, w) AS CAST(floor(x / w) * w AS BIGINT)")
    connection.execute("CREATE MACRO clamp(x, l, h) AS greatest(l, least(x, h))")
    return connection


def exact(plain: Any, text: str) -> list[dict[str, Any]]:
    found = plain.execute(text)
    names = [column[0] for column in found.description]
    return [dict(zip(names, line, strict=True)) for line in found.fetchall()]


def same(value: Any) -> Any:
    """A key as both databases write it."""
    if isinstance(value, dt.datetime):
        return value.date()
    return float(value) if not isinstance(value, str | bool | dt.date | None) else value


def compare(answer: Any, expected: list[dict[str, Any]], confidence: float | None, name: str) -> None:
    bars = answer.intervals(0.999999 if confidence is None else confidence)
    noisy = set(bars)
    listed = {
        tuple(same(value) for column, value in line.items() if column not in noisy): place
        for place, line in enumerate(answer.rows())
    }
    assert len(expected) > 0
    for line in expected:
        key = tuple(same(value) for column, value in line.items() if column not in noisy)
        assert key in listed, (name, key, list(listed)[:5])
        for column in noisy:
            if line[column] is None:
                continue
            truth, place = float(line[column]), listed[key]
            if confidence is None:
                assert answer.rows()[place][column] == pytest.approx(truth, rel=0.02, abs=0.5), (name, column)
            else:
                low, high = bars[column][place]
                assert low - 1e-6 <= truth <= high + 1e-6, (name, column, truth, low, high)


def chosen(question: Question) -> bool:
    """Whether which lines come back depends on the noise."""
    return any(word in question.text for word in ("HAVING", "LIMIT", "MEDIAN", "ROUND"))


def test_there_are_sixty_and_most_of_them_work():
    sixty = questions(SIXTY)
    assert len(sixty) == 60
    assert sum(question.code is None for question in sixty) >= 50
    assert len({question.name for question in ASKED}) == len(ASKED)


@pytest.mark.parametrize("question", ANSWERED, ids=lambda question: question.name)
def test_a_question_that_people_ask_is_answered(question, curator, plain):
    expected = exact(plain, question.text)
    compare(curator.ask(question.text, rho=10**12), expected, None, question.name)
    if not chosen(question):
        # With real noise, every exact value is within its bar but for one in a thousand million.
        compare(curator.ask(question.text, rho="0.5"), expected, 1 - 1e-9, question.name)


@pytest.mark.parametrize("question", ANSWERED, ids=lambda question: question.name)
def test_the_engines_agree_on_every_question(question, small):
    program = small.quote(question.text, rho=1).quote.program
    assert small._engine.run(program).tolist() == Reference(tables(150)).run(program).tolist()


@pytest.mark.parametrize("question", REFUSED, ids=lambda question: question.name)
def test_what_is_refused_is_underlined_beside_a_question_that_works(question, curator, plain):
    with pytest.raises(pt.PartitaError) as caught:
        curator.ask(question.text, rho=1)
    assert caught.value.code == question.code
    assert "^" in caught.value.message
    assert "Nothing was read and nothing was charged." in caught.value.message
    assert question.nearest is not None
    compare(curator.ask(question.nearest, rho=10**12), exact(plain, question.nearest), None, question.name)


def test_the_database_behind_the_curator_is_the_real_one(curator):
    assert isinstance(curator._engine, DuckDB)
