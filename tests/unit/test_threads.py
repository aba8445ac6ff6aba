"""Batches are priced on one thread."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import partita as pt
from partita.query.batch import allotment
from partita.threads import one_thread
from tests.unit.curator.hospital import hospital


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_linear_algebra_has_one_thread_inside_and_as_many_as_before_outside():
    with threadpool_limits(limits=2):
        before = threads()
        assert one_thread(threads)() == {1}
        assert threads() == before


def test_a_batch_is_priced_on_one_thread(monkeypatch: pytest.MonkeyPatch):
    seen: list[set[int]] = []
    inner = allotment.Allotment.best

    def best(self):
        seen.append(threads())
        return inner(self)

    monkeypatch.setattr(allotment.Allotment, "best", best)
    texts = ["SELECT COUNT(*) AS n FROM visits", "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"]
    with threadpool_limits(limits=2), hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))]) as curator:
        curator.batch(texts, rho=1)
    assert seen
    assert set.union(*seen) == {1}
