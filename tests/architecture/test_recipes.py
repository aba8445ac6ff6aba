"""The recipes of CONTRIBUTING.md were tried: a toy member in one new file is used from the question to the book."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
from sqlglot import exp

import partita as pt
import partita.engine
import partita.granularity
import partita.region.columns
import partita.theory.measures
from partita.engine import opening
from partita.granularity import documents as unit_documents
from partita.granularity import steps
from partita.ledger.opening import open_ledger
from partita.query.language.aggregates import Count, paired
from partita.query.sql import aggregate_calls
from partita.region import columns as columns_family
from partita.theory import documents as loss_documents

Drop = Callable[[ModuleType, str, str], ModuleType]


@pytest.fixture
def drop(tmp_path: Path) -> Iterator[Drop]:
    """Puts a file into the folder of a family, and takes it out again."""
    added: list[tuple[ModuleType, str, str]] = []

    def put(folder: ModuleType, name: str, source: str) -> ModuleType:
        place = tmp_path / folder.__name__
        place.mkdir()
        (place / f"{name}.py").write_text(source, encoding="utf-8")
        folder.__path__.append(str(place))
        added.append((folder, name, str(place)))
        _forget()
        return importlib.import_module(f"{folder.__name__}.{name}")

    yield put
    for folder, name, place in added:
        folder.__path__.remove(place)
        sys.modules.pop(f"{folder.__name__}.{name}")
        delattr(folder, name)
    _forget()


def _forget() -> None:
    importlib.invalidate_caches()
    columns_family._family.cache_clear()
    loss_documents._members.cache_clear()
    unit_documents._members.cache_clear()


MEASURE = '''
"""Pure ε counted in halves."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure


@final
@dataclass(frozen=True)
class Halves(Measure):
    """Twice the ε of pure differential privacy."""

    kind: ClassVar[str] = "halves"
    symbol: ClassVar[str] = "half-ε"
    count: Fraction

    @property
    def pure(self):
        return Pure(epsilon=self.count / 2)

    def vector(self):
        return (self.count,)

    def like(self, vector):
        return Halves(*vector)

    def describe(self):
        return {"kind": self.kind, "count": str(self.count)}

    @classmethod
    def restored(cls, parts, read):
        return cls(read(parts.get("count"), "count"))

    def gives(self, to):
        return self.pure if to is Pure else None

    @classmethod
    def given_by(cls, loss):
        return cls(2 * loss.epsilon) if isinstance(loss, Pure) else None

    def _delta_at(self, epsilon):
        return self.pure.delta_at(epsilon)

    def _epsilon_at(self, delta):
        return self.pure.epsilon_at(delta)

    def _false_negatives(self, fpr):
        return self.pure.false_negatives(fpr)

    def advantage(self):
        return self.pure.advantage()

    def group(self, k):
        return Halves(k * self.count)

    def __str__(self):
        return f"half-ε = {self.count}"
'''


def test_a_measure_is_one_file(drop, tmp_path):
    halves = drop(partita.theory.measures, "halves", MEASURE).Halves
    assert pt.convert(pt.Pure(epsilon=1), to=halves) == halves(Fraction(2))
    assert pt.convert(halves(Fraction(2)), to=pt.Pure) == pt.Pure(epsilon=1)
    with pytest.raises(pt.NotProven):
        pt.convert(halves(Fraction(2)), to=pt.GDP)
    # A filter, with a mechanism priced in the new measure.
    budget = pt.Filter(halves(Fraction(1)))
    budget.admit(pt.Laplace(epsilon="0.3"))
    assert budget.remaining() == halves(Fraction(2, 5))
    with pytest.raises(pt.BudgetExceeded):
        budget.admit(pt.Laplace(epsilon="0.3"))
    # A curator, its regions, its ledger on disk and what is left of it.
    book = tmp_path / "people.ledger"
    promise = pt.Promise(pt.rows(), halves(Fraction(2)))
    with pt.Curator(tables=[people()], promises=[promise], ledger=str(book)) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM people WHERE age >= 65", epsilon="0.25")
        assert curator.remaining("age >= 65")[0] == halves(Fraction(3, 2))
        assert curator.remaining("age < 65")[0] == halves(Fraction(2))
    with open_ledger(book) as ledger:
        assert ledger.terms.promises == (promise,)
        assert ledger.spent()[0] == halves(Fraction(1, 2))


def people(grades: object = None) -> pt.Table:
    rows = [{"who": at % 100, "age": 20 + at % 70, "grade": "abc"[at % 3]} for at in range(210)]
    columns = {"who": pt.identifier(), "age": pt.integers(0, 120), "grade": grades or pt.categories("a", "b", "c")}
    return pt.Table("people", source=rows, columns=columns, owner="who")


COLUMN = '''
"""Grades from a (the best) to d."""

from dataclasses import dataclass
from typing import ClassVar, final

from sqlglot import exp

from partita.errors import region as refuse
from partita.region.codes import difference, span
from partita.region.columns.base import Bounded, Operator

GRADES = "abcd"


@final
@dataclass(frozen=True, slots=True)
class Grades(Bounded):
    """A grade, or NULL for anything else."""

    kind: ClassVar[str] = "grades"
    missing: None = None
    constant: bool = False

    @property
    def size(self):
        return len(GRADES) + 1

    @property
    def ordered(self):
        return False

    def code(self, value):
        return GRADES.index(value) if self.within(value) else len(GRADES)

    def within(self, value):
        return isinstance(value, str) and len(value) == 1 and value in GRADES

    def value(self, code):
        return GRADES[code] if code < len(GRADES) else None

    def compare(self, operator, literal, name):
        if operator not in (Operator.EQUAL, Operator.DIFFERENT):
            raise refuse.no_order(name, operator.value)
        at = self.code(literal)
        same = span(at, at + 1) if self.within(literal) else ()
        return same if operator is Operator.EQUAL else difference(self.values, same)

    def literal(self, code):
        return exp.Literal.string(GRADES[code])

    def sanitise(self, stored, stored_type):
        text = exp.cast(stored, "VARCHAR")
        return exp.Case().when(exp.In(this=text, expressions=[*map(exp.Literal.string, GRADES)]), text.copy())

    def is_within(self, stored, stored_type):
        return exp.Not(this=exp.Is(this=exp.paren(self.sanitise(stored, stored_type)), expression=exp.null()))

    def describe(self):
        return {"kind": self.kind, "constant": self.constant}

    @classmethod
    def restored(cls, parts):
        return cls(constant=parts["constant"])
'''

QUESTIONS = [
    "SELECT grade, COUNT(*) AS n FROM people GROUP BY grade",
    "SELECT SUM(age) AS n FROM people WHERE grade <> 'b'",
    "SELECT g, COUNT(*) AS n FROM (SELECT who, grade AS g, COUNT(*) AS k FROM people GROUP BY who, grade) GROUP BY g",
]


def test_a_column_is_one_file(drop, tmp_path):
    grades = drop(partita.region.columns, "grades", COLUMN).Grades()
    book = tmp_path / "people.ledger"
    promises = [pt.Promise(pt.users("who", rows=3), pt.Pure(epsilon=10**9))]
    found = []
    for backend in ("duckdb", "reference"):
        place = str(book) if backend == "duckdb" else ":memory:"
        with pt.Curator(tables=[people(grades)], promises=promises, backend=backend, ledger=place) as curator:
            answers = [curator.ask(question, epsilon=10**6) for question in QUESTIONS]
        found.append([answer.rows() for answer in answers])
    assert found[0] == found[1]
    assert {row["grade"]: row["n"] for row in found[0][0]} == {"a": 70, "b": 70, "c": 70, "d": 0, None: 0}
    with open_ledger(book) as ledger:
        assert ledger.terms.tables["people"].columns["grade"] == grades


ENGINE = '''
"""The reference engine under another name."""

from typing import ClassVar, final

from partita.engine.base import Engine
from partita.engine.reference import Reference


@final
class Toy(Engine):
    """Hands everything on, and counts how often it was asked."""

    kind: ClassVar[str] = "toy"
    asked = 0

    def attach(self, table):
        self.inner = Reference([*getattr(self, "inner", Reference([])).tables.values(), table])

    def compute(self, program):
        Toy.asked += 1
        return self.inner.compute(program)

    def extract(self, extract):
        return self.inner.extract(extract)

    def close(self):
        self.inner.close()
'''


def test_an_engine_is_one_file(drop):
    toy = drop(partita.engine, "toy", ENGINE).Toy
    assert "toy" in opening.BACKENDS
    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=1000))]
    with pt.Curator(tables=[people()], promises=promises, backend="toy") as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM people", epsilon=100).rows()[0]["n"] == 210
    assert toy.asked == 1


GRANULARITY = '''
"""A household: at most so many rows together, added or removed."""

from dataclasses import dataclass
from typing import ClassVar, final

from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Households(Granularity):
    """Neighbours differ by the rows of one household."""

    kind: ClassVar[str] = "households"
    most: int

    @property
    def relation(self):
        return Relation.ADD_REMOVE

    def made_of(self, source):
        return 1 if source == self else self.most if isinstance(source, Rows) else None

    def makes(self, target):
        return 1 if isinstance(target, Rows) else None

    def __str__(self):
        return f"one household of up to {self.most} rows, added or removed"
'''


def test_a_granularity_is_one_file_for_everything_that_counts_steps(drop):
    household = drop(partita.granularity, "households", GRANULARITY).Households(3)
    assert (steps(pt.rows(), household), steps(household, pt.rows())) == (3, 1)
    assert steps(household, pt.replace()) == 2
    plan = [(pt.Laplace(epsilon="0.1"), 100)]
    as_groups = pt.compose(plan, delta="1e-6", relation=pt.groups(3))
    assert pt.compose(plan, delta="1e-6", relation=household).epsilon == as_groups.epsilon
    budget = pt.Filter(pt.Pure(epsilon=1), relation=household)
    budget.admit(pt.Laplace(epsilon="0.1"))
    assert budget.remaining() == pt.Pure(epsilon="0.7")
    assert unit_documents.unit_from(unit_documents.unit_document(household)) == household
    assert "household of up to 3 rows" in str(pt.explain(pt.Pure(epsilon=1), unit=household))


def test_a_granularity_without_a_rule_of_booking_is_refused_before_anything_is_read(drop):
    """Loads on record values are proven granularity by granularity (booking.proof.md): a second file."""
    household = drop(partita.granularity, "households", GRANULARITY).Households(3)
    curator = pt.Curator(tables=[people()], promises=[pt.Promise(household, pt.Pure(epsilon=1))])
    with pytest.raises(pt.NotProven, match="household"):
        curator.ask("SELECT COUNT(*) AS n FROM people", epsilon="0.1")


def test_an_aggregate_is_one_line_and_what_it_is_made_of(monkeypatch):
    def regression_count(reader, node):
        both, _ = paired(reader.expression(node.this), reader.expression(node.expression), reader.table.domain)
        return Count(both)

    asked = "SELECT grade, REGR_COUNT(age, age) AS n FROM people GROUP BY grade"
    curator = pt.Curator(tables=[people()], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1000))])
    with pytest.raises(pt.QueryRefused):
        curator.ask(asked, epsilon=100)
    monkeypatch.setitem(aggregate_calls.READERS, exp.RegrCount, regression_count)
    answer = curator.ask(asked, epsilon=100)
    assert {row["grade"]: row["n"] for row in answer.rows()} == {"a": 70, "b": 70, "c": 70, "OTHER": 0, None: 0}
