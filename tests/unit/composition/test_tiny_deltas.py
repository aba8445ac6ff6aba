"""A tiny δ takes no more work than others: lattices are bounded, and ordinary totals stay as they are."""

from __future__ import annotations

import pytest

from partita.composition.exchange.documents import compose_document
from partita.errors import QueryRefused
from partita.theory.losses import subsampled_gaussian


def total(delta: str, events: int = 1) -> float:
    event = {"mechanism": "gaussian", "rate": "1.9009735653290802e-06", "count": 12}
    listed = [{**event, "sigma": f"{1.5375 + place / 1000:.4f}"} for place in range(events)]
    return compose_document({"version": 1, "delta": delta, "events": listed}).epsilon


@pytest.fixture
def points(monkeypatch):
    """How many points each lattice has."""
    found = []
    plain = subsampled_gaussian.normal_cells

    def counted(edges, reach):
        found.append(len(edges))
        assert len(edges) <= 1 << 19, "a lattice is not bounded"
        return plain(edges, reach)

    monkeypatch.setattr(subsampled_gaussian, "normal_cells", counted)
    return found


def test_a_lattice_has_a_bounded_number_of_points_at_any_delta(points):
    """Unbounded, this total took 47 seconds and 650 MB."""
    assert 0.54 < total("3.88e-72") < 0.58
    assert max(points) <= (1 << 18) + 4


def test_usual_totals_are_what_they_were(points):
    assert total("1e-9") == pytest.approx(2.4649e-05, rel=1e-3)
    assert total("1e-50") == pytest.approx(0.10206, rel=1e-3)


def test_many_such_lattices_are_refused():
    with pytest.raises(QueryRefused, match="steps"):
        total("3.88e-72", events=12)
