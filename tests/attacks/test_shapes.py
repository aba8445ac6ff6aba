"""How much is released never depends on the rows: algorithms made for other columns are refused before any charge."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.algorithms import (
    MWEM,
    AdaptiveMarginals,
    Axes,
    ContinualCounter,
    LinearQueries,
    Marginals,
    OnlineMultiplicativeWeights,
    Workload,
)
from partita.algorithms.linear.counting import Counting
from partita.sampling.bits import TestBits
from tests.unit.curator.hospital import hospital

TOO_FEW = {"sex": 1, "region": 2}


def counting():
    queries = LinearQueries(Workload.cells(3), rho="0.01")
    return Counting(queries.scheme, ("sex", "region"), 3, queries.budget)


STRANGERS = {
    "marginals": lambda: Marginals(TOO_FEW, [("region",)], rho="0.001"),
    "adaptive marginals": lambda: AdaptiveMarginals(TOO_FEW, rho="0.001"),
    "mwem": lambda: MWEM(Workload.ranges(3), rho="0.001", columns=("region",)),
    "multiplicative weights": lambda: OnlineMultiplicativeWeights(
        3, rows=400, queries=5, rho="0.001", columns=("region",)
    ),
    "counting": counting,
    "stream": lambda: ContinualCounter(7, rho="0.001", column="region"),
}


@pytest.mark.parametrize("name", sorted(STRANGERS))
def test_an_algorithm_made_for_other_columns_is_refused_before_it_is_charged(name):
    curator = hospital()
    with pytest.raises(pt.InvalidInput) as refusal:
        curator.run(STRANGERS[name](), table="visits")
    assert refusal.value.code in ("algorithms.other-axes", "algorithms.wrong-cells")
    assert curator.spent() == (pt.ZCDP(rho=0, delta=0),)


@pytest.mark.parametrize("last", [0, 3, 77])
def test_a_table_has_as_many_cells_as_its_axes_whatever_the_codes_are(last):
    axes = Axes({"a": 2, "b": 2})
    codes = np.array([[0, 1], [1, last]])
    assert len(axes.counts(codes, ("a", "b"))) == 4
    asked = Marginals(axes, [("a", "b")], rho=1)
    assert [len(cells) for cells in asked._measured(codes, TestBits(1))] == [axes.cells(one) for one in asked.noises]
