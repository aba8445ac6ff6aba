from __future__ import annotations

import pytest

from partita.composition.adaptive.filters import Concentrated, Filter
from partita.composition.adaptive.interactive import Concurrent
from partita.errors import BudgetExceeded
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.sparse_vector import SparseVector
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


@pytest.mark.parametrize(
    ("budget", "cost"),
    [
        (Pure(epsilon=1), Pure(epsilon="0.1")),
        (Approximate(epsilon=1, delta="1e-6"), Approximate(epsilon="0.1", delta="1e-8")),
        (ZCDP(rho=1), ZCDP(rho="0.1")),
        (GDP(mu=1), GDP(mu="0.1")),
    ],
    ids=str,
)
def test_children_may_be_interleaved_where_that_is_proven(budget, cost):
    sessions = Concurrent(Filter(budget))
    first, second = sessions.open("first", cost), sessions.open("second", cost)
    for child in (first, second, first):
        child.ask()


def test_under_rho_with_delta_an_older_child_is_locked():
    sessions = Concurrent(Filter(ZCDP(rho=1, delta="1e-6")))
    first = sessions.open("first", ZCDP(rho="0.1", delta="1e-8"))
    first.ask()
    second = sessions.open("second", ZCDP(rho="0.1"))
    second.ask()
    with pytest.raises(BudgetExceeded, match="locked"):
        first.ask()
    assert not first.may_answer


def test_the_recommended_filter_fed_with_approximate_costs_interleaves():
    sessions = Concurrent(Concentrated(epsilon=1, delta="1e-6", leak="5e-7"))
    first = sessions.open("first", Approximate(epsilon="0.01", delta="1e-8"))
    sessions.open("second", SparseVector(epsilon="0.01"))
    first.ask()
    # Interleaving has happened, so a genuine ρ with δ comes too late.
    with pytest.raises(BudgetExceeded, match="already interleaved"):
        sessions.open("third", ZCDP(rho="0.0001", delta="1e-8"))
    first.ask()


def test_the_full_cost_is_booked_when_a_child_is_opened():
    account = Filter(Pure(epsilon=1))
    sessions = Concurrent(account)
    sessions.open("first", SparseVector(epsilon="0.6", positives=5))
    assert account.spent == Pure(epsilon="0.6")
    with pytest.raises(BudgetExceeded):
        sessions.open("second", Laplace(epsilon="0.5"))
    assert account.spent == Pure(epsilon="0.6")
