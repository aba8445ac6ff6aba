from __future__ import annotations

from fractions import Fraction

import pytest

from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


def pure(epsilon: str) -> Pure:
    return Pure(epsilon=epsilon)


WHOLE = Cost(pure("0.1"), pure("0.2"), pure("0.3"), pure("0.4"), declared=True)


def test_two_releases_lose_the_sum_to_every_neighbour():
    twice = WHOLE + WHOLE
    assert twice == Cost(pure("0.2"), pure("0.4"), pure("0.6"), pure("0.8"), declared=True)


@pytest.mark.parametrize("other", [Cost(pure("1")), Cost(pure("1"), pure("1")), Cost(pure("1"), None, pure("1"))])
def test_what_is_not_known_of_one_release_is_not_known_of_two(other):
    for total in (WHOLE + other, other + WHOLE):
        assert total.row == pure("1.1")
        assert (total.substitution is None) == (other.substitution is None)
        assert (total.owner is None) == (other.owner is None)
        assert total.altered is None
        assert not total.declared


def test_only_known_losses_are_listed():
    assert Cost(pure("0.1"), None, pure("0.3")).losses == (pure("0.1"), pure("0.3"))
    assert len(WHOLE.losses) == 4


def test_a_cost_is_written_as_books_always_held_it():
    assert Cost(ZCDP(rho="0.5")).document() == {
        "both": None,
        "one": {"kind": "zcdp", "rho": "1/2", "delta": "0"},
        "unit": None,
    }
    assert list(WHOLE.document()) == ["declared", "altered", "both", "one", "unit"]
    assert WHOLE.document()["unit"] == {"kind": "pure", "epsilon": str(Fraction(3, 10))}
    for cost in (WHOLE, Cost(pure("0.1")), Cost(pure("0.1"), pure("0.2"))):
        assert Cost.from_document(cost.document()) == cost
