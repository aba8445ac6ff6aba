"""Change-one where a region is booked in a simpler form, and where records of equal declared values differ."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas
import pytest

import partita as pt
from partita.composition.account import RegionAccount, SlotAccount
from partita.composition.account.certificate import check
from partita.errors import BudgetExceeded, PartitaError
from partita.ledger.audit.recount import recount
from partita.ledger.payer import RegionPayer
from partita.limits import Limits
from partita.theory.cost import Cost

RAGGED = "(x % 2 = 0 OR x = 7) AND y % 2 = 0"
SMALL = {"ρ": (pt.ZCDP(rho="0.1"), {"rho": 100}), "ε": (pt.Pure(epsilon="0.1"), {"epsilon": 100})}


def close(found: Any, wanted: Any) -> bool:
    """Not below, and above only by the rounding to the account's units."""
    pairs = zip(found.vector(), wanted.vector(), strict=True)
    return all(0 <= mine - theirs <= Fraction(1, 10**12) for mine, theirs in pairs)


def curator(budget: Any, granularity: Any) -> pt.Curator:
    columns = {"x": pt.integers(0, 130), "y": pt.integers(0, 130), "z": pt.integers(100, 101)}
    stored = pandas.DataFrame([{"x": x, "y": x, "z": 100} for x in range(100)])
    return pt.Curator(
        tables=[pt.Table("t", source=stored, columns=columns)], promises=[pt.Promise(granularity, budget)]
    )


@pytest.mark.parametrize("measure", SMALL)
@pytest.mark.parametrize("unit", [pt.replace(), pt.groups(2, pt.replace()), pt.metric("x", unit=1)], ids=str)
@pytest.mark.parametrize("what", ["COUNT(*)", "SUM(z)"])
def test_a_ragged_question_is_not_free_because_a_box_stands_for_it(measure: str, unit: Any, what: str) -> None:
    """Theory E24: a change inside the box may have exactly one value in the region, which costs as much as a row."""
    budget, price = SMALL[measure]
    kept = curator(budget, unit)
    with pytest.raises(BudgetExceeded):
        kept.ask(f"SELECT {what} AS v FROM t WHERE {RAGGED}", **price)
    assert kept._ledger.spent()[0].is_zero()


@pytest.mark.parametrize("what", ["COUNT(*)", "SUM(z)"])
def test_what_a_ragged_question_is_booked_is_what_one_row_can_tell(what: str) -> None:
    kept = curator(pt.ZCDP(rho=10), pt.replace())
    answer = kept.ask(f"SELECT {what} AS v FROM t WHERE {RAGGED}", rho=2)
    assert close(kept._ledger.spent()[0], answer.quote.tolls[0].cost.row)
    assert kept._ledger.verify().problems == ()


# --- old books ------------------------------------------------------------------------------------------------------

DOMAIN = pt.Domain({"x": pt.integers(0, 130), "y": pt.integers(0, 130)})
EVEN = list(range(0, 131, 2))
REGION = pt.Region.box(DOMAIN, x=[*EVEN, 7], y=EVEN)


@pytest.mark.parametrize("count", [200, 10**6])
def test_an_old_book_that_admitted_too_much_loads_shows_it_and_refuses_more(count: int) -> None:
    promise = pt.Promise(pt.replace(), pt.ZCDP(rho="0.1"))
    cost, little = Cost(pt.ZCDP(rho=1), pt.ZCDP(rho=0)), Cost(pt.ZCDP(rho="1/1000"), pt.ZCDP(rho=0))
    payer = RegionPayer(DOMAIN, promise)
    payer.load([(REGION, cost, count)])
    lower, upper = payer.bracket()
    if count <= 200:
        assert (lower, upper) == (pt.ZCDP(rho=count), pt.ZCDP(rho=count))
    assert not upper.fits(promise.budget)
    assert payer.ticket(REGION, little) is None
    assert payer.remaining(REGION).is_zero()
    assert payer.payable(REGION, little).empty
    assert recount(DOMAIN, promise, [(REGION, cost, count)]).exceeds


def test_what_was_booked_one_by_one_does_not_get_cheaper_when_the_book_is_opened_again() -> None:
    """One charge dear for one inside and one dear for both: each is widened before they are added up."""
    promise = pt.Promise(pt.replace(), pt.Pure(epsilon=100))
    costs = [Cost(pt.Pure(epsilon=1), pt.Pure(epsilon=0)), Cost(pt.Pure(epsilon=1), pt.Pure(epsilon=2))]
    live, again = RegionPayer(DOMAIN, promise), RegionPayer(DOMAIN, promise)
    for cost in costs:
        live.book(live.ticket(REGION, cost))
    again.load([(REGION, cost, 1) for cost in costs])
    assert live.bracket() == again.bracket()
    assert again.bracket()[1] == pt.Pure(epsilon=3)
    # No real pair loses all of it: that is not claimed to have happened.
    assert again.bracket()[0] == pt.Pure(epsilon=2)


def test_what_is_said_to_be_left_is_left_on_the_box_that_is_charged() -> None:
    for unit in (pt.rows(), pt.replace()):
        account = RegionAccount(DOMAIN, pt.Promise(unit, pt.Pure(epsilon=1)))
        odd = pt.Region.where("x = 3 AND y = 3", DOMAIN)
        account.charge(odd, pt.Pure(epsilon="0.25"))
        left = account.headroom(REGION)
        (claim,) = account.claims(REGION, pt.Pure(epsilon=1))
        assert claim.widened
        assert left.epsilon <= Fraction(3, 4)
        assert account.admits(REGION, account.remaining(REGION))


def test_a_region_that_is_everything_in_many_pieces_is_everything() -> None:
    """The box around it is not wider, so a count of all rows stays free."""
    pieces = tuple((((code, code + 1),), ((0, 132),)) for code in range(132))
    whole = pt.Region(DOMAIN, pieces)
    assert whole.whole
    account = RegionAccount(DOMAIN, pt.Promise(pt.replace(), pt.Pure(epsilon=1)), limits=Limits(rectangles=2))
    account.charge(whole, pt.Pure(epsilon=1), pt.Pure(epsilon=0))
    assert account.worst()[0].is_zero()


# --- equal declared values ------------------------------------------------------------------------------------------

OPEN = {"word": pt.text_keys(), "x": pt.integers(0, 9)}
WORDS = "SELECT word, COUNT(*) AS n FROM t WHERE x = 3 GROUP BY word"


def words(budget: Any, unit: Any = None) -> pt.Curator:
    stored = pandas.DataFrame([{"word": f"w{i % 3}", "x": 3} for i in range(60)])
    table = pt.Table("t", source=stored, columns=OPEN)
    return pt.Curator(tables=[table], promises=[pt.Promise(unit or pt.replace(), budget)])


def test_a_count_by_open_keys_costs_what_a_row_that_changes_its_word_can_tell() -> None:
    """Theory E11a: the row keeps its declared value x = 3 and moves from word to word, so two counts move."""
    kept = words(pt.ZCDP(rho=1, delta="1e-5"))
    spent = pt.ZCDP(rho=0)
    for rho in ("0.5", "0.499"):
        spent = spent + kept.ask(WORDS, rho=rho, delta="1e-6").quote.tolls[0].cost.substitution
    assert spent.fits(kept._ledger.spent()[0])
    with pytest.raises(BudgetExceeded):
        kept.ask(WORDS, rho="0.498", delta="1e-6")
    assert kept._ledger.verify().problems == ()


def test_a_question_that_reads_declared_values_only_is_the_same_to_records_of_equal_values() -> None:
    kept = words(pt.ZCDP(rho=1))
    answer = kept.ask("SELECT SUM(x) AS v FROM t WHERE x = 3", rho="0.25")
    assert answer.quote.declared
    assert close(kept._ledger.spent()[0], answer.quote.tolls[0].cost.row)


def test_counting_owners_or_truncating_by_them_reads_more_than_declared_values() -> None:
    columns = {"who": pt.identifier(), "x": pt.integers(0, 9)}
    stored = pandas.DataFrame([{"who": i % 20, "x": 3} for i in range(60)])
    table = pt.Table("t", source=stored, columns=columns)
    rho = pt.ZCDP(rho=100)
    beside = pt.Curator(
        tables=[table], promises=[pt.Promise(pt.replace(), rho), pt.Promise(pt.users("who", rows=2), rho)]
    )
    alone = pt.Curator(tables=[table], promises=[pt.Promise(pt.replace(), rho)])
    assert not beside.quote("SELECT SUM(x) AS v FROM t WHERE x = 3", rho=1).quote.declared
    assert not beside.quote("SELECT COUNT(DISTINCT who) AS v FROM t WHERE x = 3", rho=1).quote.declared
    assert alone.quote("SELECT SUM(x) AS v FROM t WHERE x = 3", rho=1).quote.declared


def test_equal_values_are_a_pair_of_records_where_something_open_is_declared() -> None:
    one, both = pt.Pure(epsilon="0.5"), pt.Pure(epsilon=1)
    domain = pt.Domain(OPEN)
    three = pt.Region.where("x = 3", domain)
    for unit, times in ((pt.replace(), 1), (pt.metric("x", unit=1), 1), (pt.groups(2, pt.replace()), 2)):
        account = RegionAccount(domain, pt.Promise(unit, pt.Pure(epsilon=times)), record=True)
        account.charge(three, one, both)
        loss, witness = account.worst()
        assert loss == pt.Pure(epsilon=times)
        assert witness[0] == witness[1] == {"x": 3}
        assert not account.admits(three, pt.Pure(epsilon="0.01"), pt.Pure(epsilon="0.02"))
        assert account.admits(three, pt.Pure(epsilon="0.01"), pt.Pure(epsilon="0.02"), declared=True)
        assert account.remaining(three).is_zero()
        assert account.payable(three, one, both).empty
        assert check(account.certificate().to_json()).holds
    closed = pt.Domain({"x": pt.integers(0, 9)})
    account = RegionAccount(closed, pt.Promise(pt.replace(), pt.Pure(epsilon=1)))
    account.charge(pt.Region.where("x = 3", closed), one, both)
    assert account.worst()[0] == one


def test_a_cost_written_before_this_was_said_is_read_as_if_open_text_was_read() -> None:
    cost = Cost(pt.Pure(epsilon="0.5"), pt.Pure(epsilon=1), declared=True)
    document = cost.document()
    assert Cost.from_document(document) == cost
    del document["declared"]
    assert Cost.from_document(document) == Cost(cost.row, cost.substitution)
    domain = pt.Domain(OPEN)
    three = pt.Region.where("x = 3", domain)
    payer = RegionPayer(domain, pt.Promise(pt.replace(), pt.Pure(epsilon=1)))
    payer.load([(three, Cost.from_document(document), 2)])
    assert payer.bracket() == (pt.Pure(epsilon=2), pt.Pure(epsilon=2))
    assert payer.ticket(three, cost) is None
    assert recount(
        domain, pt.Promise(pt.replace(), pt.Pure(epsilon=1)), [(three, Cost.from_document(document), 2)]
    ).exceeds


def test_a_slot_for_one_value_does_not_serve_a_change_between_records_that_share_it() -> None:
    domain = pt.Domain(OPEN)
    slots = SlotAccount(domain, pt.replace(), {"laplace": 1})
    with pytest.raises(PartitaError, match="altered inside"):
        slots.take(pt.Region.where("x = 3", domain), "laplace", dominates_replacement=False)
