"""Pictures name what they show: cells by their values, features by whole numbers, the largest first."""

from __future__ import annotations

from typing import Any

import numpy as np

import partita as pt
from partita.algorithms.choosing.frequent import heavy_hitters
from partita.algorithms.learning.pictures import coefficients
from partita.algorithms.linear.axes import Axes
from partita.algorithms.synthetic.graphical import Observed, fitted
from partita.algorithms.synthetic.synthetic import Synthetic
from partita.sampling.bits import TestBits


def ticks(figure: Any) -> list[str]:
    return [tick.get_text() for tick in figure.axes[0].get_xticklabels()]


def test_cells_of_synthetic_rows_are_called_by_their_values():
    axes = Axes({"city": 2, "sex": 2})
    said = [Observed(("city",), np.array([30.0, 10.0]), 1.0), Observed(("sex",), np.array([35.0, 5.0]), 1.0)]
    columns = {
        "city": pt.categories("Lyon", "Nice", other="Nice", missing="Nice"),
        "sex": pt.categories("F", "M", other="F", missing="F"),
    }
    made = Synthetic.of(fitted(axes, said), said, columns=columns, bits=TestBits(1))
    assert ticks(made.plot("city")) == ["Lyon", "Nice"]
    assert (
        ticks(made.plot("sex", "city")) == ticks(made.plot("city", "sex")) == ["Lyon F", "Lyon M", "Nice F", "Nice M"]
    )
    assert made.plot().axes


def test_frequent_values_stand_in_order_of_their_counts():
    counts = {"a rather long name": 200, "another name that is long": 900, "b" * 60: 500}
    found = heavy_hitters(counts, epsilon=5, delta="1e-6", bits=TestBits(2))
    assert ticks(found.plot()) == ["another name that is lo…", "b" * 23 + "…", "a rather long name"]


def test_there_is_no_feature_one_half():
    places = coefficients(np.array([[1.0, 2.0]]), None, "Coefficients").axes[0].get_xticks()
    assert all(place == round(place) for place in places)
