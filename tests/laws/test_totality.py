"""No row decides whether a question is answered: hostile statements run on any rows, and are proved to beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pyarrow as pa
import pytest

from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.query.exact.program import Cells, Program, Total, Values, cells
from partita.query.language.conditions import Condition, everywhere
from partita.query.language.expressions import Case, Number, Plus, Times, Value
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.columns import integers, text_keys
from partita.region.region import Region
from tests.laws.hostile import Laboratory, Statements, statements
from tests.paths.test_queries import ANSWERED, opened
from tests.sizes import tried

SEEDS = range(tried(8, soaking=50))
EACH = 40


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    made = Laboratory(tmp_path_factory.mktemp("hostile"))
    yield made
    made.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_accepted_never_faults_and_agrees_with_the_reference(seed: int, laboratory: Laboratory) -> None:
    """`make soak` runs 200,000 of them."""
    supply, outcomes = Statements(seed), Counter[str]()
    for place in range(EACH):
        name, question = supply.one()
        found = laboratory.programs(name, question, Truncation("who", 2, "k") if place % 5 == 0 else None)
        if isinstance(found, PartitaError):
            outcomes[found.code] += 1
        else:
            outcomes["answered"] += 1
            laboratory.run(found, proved=True, file=place % 4 == 0)
    # A law about statements that are all refused would say nothing, nor would one without refusals.
    assert outcomes["answered"] > EACH // 5
    assert outcomes["query.too-wide"] > 0


@pytest.mark.slow
def test_the_statements_of_questions_that_people_ask_are_proved() -> None:
    with opened(20) as curator, statements(proved=True):
        for question in ANSWERED:
            curator.ask(question.text, rho=1)


def test_a_value_that_is_the_same_for_all_rows_is_not_counted_where_there_are_none(laboratory: Laboratory) -> None:
    """A constant is no key to the engine, which then gave one group of no rows."""
    for name in ("none", "one"):
        found = laboratory.programs(name, f"SELECT MEDIAN(42) AS m FROM {name}")
        assert isinstance(found, Program)
        laboratory.run(found, proved=True, file=True)


def test_the_engine_keeps_to_the_brackets(laboratory: Laboratory) -> None:
    """Left to itself it drops + 0, and then multiplies the two constants, which no type was chosen for."""
    table = laboratory.tables["all"]
    nothing = Case(((Condition(Region.where("b = 42", table.domain)), Number(Fraction(0))),), Number(None))
    large = Plus((Times((Number(Fraction(39081012814)), nothing)), Number(Fraction(0))))
    program = Program(table, everywhere(table.domain), Cells((), ()), (Total(Times((large, large))),))
    laboratory.run(program, proved=True, file=True)


def test_an_open_column_may_have_any_name() -> None:
    """It is not mistaken for the value that is counted, whose NULLs would then come back."""
    rows = pa.table({"k0": ["x", None, "x"], "t": [1, 2, None]})
    table = Table("odd", rows, {"k0": text_keys(), "t": integers(0, 9)})
    plan = read("SELECT k0, COUNT(*) AS n FROM odd GROUP BY k0", [table])
    program = Program(table, plan.where, cells(plan.keys, plan.met), (Values(Value("t")),), opened=plan.opened)
    engine = DuckDB([table], threads=1)
    assert engine.compute(program).tolist() == Reference([table]).compute(program).tolist()
    engine.close()
