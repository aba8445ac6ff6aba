"""How losses grew is read from the book, charge by charge or checkpoint by checkpoint, with the same end."""

from __future__ import annotations

import gc
import hashlib
import sqlite3

import pytest

from partita.composition.plans.promise import Promise
from partita.errors import LedgerFault
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge
from partita.ledger.opening import open_ledger
from partita.ledger.reports.history import history
from partita.region import Domain, Region, integers
from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure

DOMAIN = Domain({"day": integers(0, 9, missing=0)})
TERMS = Terms([Promise(rows(), Pure(epsilon=1000))], {"visits": DOMAIN})


def book(charges: int, *, checkpoint_every: int = 20_000):
    ledger = open_ledger(":memory:", TERMS, checkpoint_every=checkpoint_every)
    for number in range(charges):
        ledger.reserve(
            Charge(
                table="visits",
                region=Region.box(DOMAIN, day=(0, number % 10)),
                costs=(Cost(Pure(epsilon=1)),),
                mechanism={},
                question=hashlib.sha256(str(number).encode()).hexdigest(),
            )
        )
    return ledger


def test_an_empty_book_has_one_moment_at_its_birth():
    ledger = book(0)
    (moment,) = history(ledger)
    assert (moment.charges, moment.at, moment.spent) == (0, ledger.birth.at, (Pure(epsilon=0),))


@pytest.mark.parametrize("checkpoint_every", [7, 20_000])
@pytest.mark.parametrize("points", [1, 5, 60])
def test_the_last_moment_is_now_and_losses_only_grow(points, checkpoint_every):
    ledger = book(50, checkpoint_every=checkpoint_every)
    moments = history(ledger, points)
    assert moments[-1].charges == 50
    assert moments[-1].spent == ledger.spent()
    assert [moment.charges for moment in moments] == sorted({moment.charges for moment in moments})
    losses = [moment.spent[0].epsilon for moment in moments]
    assert losses == sorted(losses)
    assert len(moments) <= 2 * points + 2


def test_every_charge_is_a_moment_of_a_short_book():
    assert [moment.spent[0].epsilon for moment in history(book(4))] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("on", [True, False])
def test_garbage_is_looked_for_again_after_a_book_was_read_or_could_not_be(on, tmp_path):
    path, before = tmp_path / "kept.ledger", gc.isenabled()
    open_ledger(path, TERMS).close()
    (gc.enable if on else gc.disable)()
    try:
        open_ledger(path).close()
        assert gc.isenabled() is on
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE entry SET note = '{}' WHERE seq = 1")
        connection.close()
        with pytest.raises(LedgerFault):
            open_ledger(path)
        assert gc.isenabled() is on
    finally:
        (gc.enable if before else gc.disable)()
