from __future__ import annotations

import json
from dataclasses import replace

import pytest

from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, LedgerFault
from partita.granularity import rows
from partita.ledger.audit.verify import verify
from partita.ledger.birth import Terms
from partita.ledger.book.anchor import NoAnchor
from partita.ledger.book.entries import Kind, entry_after
from partita.ledger.book.sqlite import SQLiteStore
from partita.ledger.book.store import Stage
from partita.ledger.book.tally import START, Tally, rolled
from partita.ledger.canonical import canonical
from partita.ledger.payer import RegionPayer
from partita.ledger.refined import differences
from partita.ledger.reports.report import summary
from partita.ledger.states import Answered, Reservation
from partita.region import Domain, Region, categories, integers
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import DOMAIN, TERMS, ask, charge, opened

WIDER = Domain({"age": integers(0, 120, missing=0), "sex": categories("F", "M")})
THEN = Terms(TERMS.promises, {"visits": WIDER})
WITH_TABLE = Terms(TERMS.promises, {"visits": WIDER, "wards": Domain({"ward": integers(1, 9)})})


def later(question, epsilon="0.1", *, where="TRUE", **more):
    return replace(charge(question, epsilon, **more), region=Region.where(where, WIDER))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


@pytest.fixture
def used(path):
    """A ledger with one charge on the oldest: all of them are 99 in its declaration."""
    with opened(path, make=RegionPayer) as ledger:
        ask(ledger, charge("old", "0.6", where="age = 99"), b"old")
    return path


def test_a_ledger_goes_on_under_a_declaration_that_refines_its_own(used):
    with opened(used, THEN, make=RegionPayer, migrate=True) as ledger:
        assert ledger.terms == THEN
        assert [str(x) for x in ledger.remaining("visits", Region.where("age = 110", WIDER))] == ["ε = 0.4"]
        assert [str(x) for x in ledger.remaining("visits", Region.where("age = 98", WIDER))] == ["ε = 1"]
        ask(ledger, later("new", "0.4", where="age > 100"), b"new")
        assert ledger.verify().problems == ()
    with opened(used, THEN, make=RegionPayer) as ledger:
        assert [str(x) for x in ledger.spent()] == ["ε = 1"]
        assert ledger.birth.terms == TERMS
    with opened(used, WITH_TABLE, make=RegionPayer, migrate=True) as ledger:
        assert [str(x) for x in ledger.spent()] == ["ε = 1"]
        assert [entry.kind.value for entry in ledger.entries()].count("migrate") == 2
        assert ledger.verify().problems == ()


def test_without_being_told_to_a_ledger_only_says_that_it_could(used):
    with pytest.raises(LedgerFault, match="run 'partita migrate'") as caught:
        opened(used, THEN, make=RegionPayer)
    assert caught.value.code == "ledger.refinable"
    assert "visits.age: the ledger has [integers with high = 99], declared now is [integers with high = 120]" in str(
        caught.value
    )


def test_what_is_no_refinement_is_refused_with_its_reason(used):
    narrower = Terms(TERMS.promises, {"visits": Domain({"age": integers(0, 90, missing=0)})})
    for told in (True, False):
        with pytest.raises(LedgerFault, match="values up to the old bounds") as caught:
            opened(used, narrower, make=RegionPayer, migrate=told)
        assert caught.value.code == ("ledger.no-migration" if told else "ledger.other-tables")
    with pytest.raises(LedgerFault, match="a promise is made once"):
        opened(used, Terms([Promise(rows(), Pure(epsilon=2))], {"visits": WIDER}), make=RegionPayer, migrate=True)
    with pytest.raises(LedgerFault, match="table visits: the ledger keeps charges about this table"):
        opened(used, Terms(TERMS.promises, {"other": WIDER}), make=RegionPayer, migrate=True)
    with opened(used, TERMS, make=RegionPayer) as ledger:
        assert ledger.verify().problems == ()


def test_a_migration_to_the_same_declaration_writes_nothing(used):
    with opened(used, TERMS, make=RegionPayer, migrate=True) as ledger:
        before = ledger.mark()
        assert ledger.migrate(TERMS) == ()
        assert ledger.mark() == before


def test_an_uncharged_ledger_is_declared_anew_from_the_start(path):
    opened(path, make=RegionPayer).close()
    with opened(path, THEN, make=RegionPayer, migrate=True) as ledger:
        assert ledger.birth.terms == THEN
        assert ledger.mark().seq == 1


def test_the_same_question_is_a_new_release_and_the_old_answer_can_still_be_read(used):
    with opened(used, THEN, make=RegionPayer, migrate=True) as ledger:
        question = charge("old").question
        assert ledger.stored(question) is None
        (asked,) = summary(ledger).newest
        assert asked.region == "age = 99"
        old = ledger.answered(asked.seq + 1)
        assert old.content == b"old"
        receipt = ledger.receipt(old)
        receipt.check(ledger.birth.public_key)
        assert receipt.region == Region.where("age = 99", DOMAIN)
        assert ask(ledger, later("old", where="age = 99"), b"another") == b"another"
        assert ledger.stored(question).content == b"another"


def test_questions_about_a_table_that_stayed_are_still_free(used):
    more = Terms(TERMS.promises, {"visits": DOMAIN, "wards": Domain({"ward": integers(1, 9)})})
    with opened(used, more, make=RegionPayer, migrate=True) as ledger:
        assert ledger.stored(charge("old").question).content == b"old"
        assert isinstance(ledger.reserve(charge("old", "0.6", where="age = 99")), Answered)


def test_an_attempt_from_before_is_neither_resumed_nor_repeated(path):
    with opened(path, make=RegionPayer) as ledger:
        assert isinstance(ledger.reserve(charge("n", key="mine")), Reservation)
        ledger.migrate(THEN)
        with pytest.raises(InvalidInput) as caught:
            ledger.reserve(later("n", key="mine"))
        assert caught.value.code == "ledger.key-reused"
        state = ledger.reserve(later("n"))
        assert isinstance(state, Reservation)
        assert not state.resumed
        assert [str(x) for x in ledger.spent()] == ["ε = 0.2"]


def test_a_charge_that_was_reserved_before_may_still_be_finished(path):
    with opened(path, make=RegionPayer) as ledger:
        booked = ledger.reserve(charge("n"))
        ledger.migrate(THEN)
        assert ledger.commit(booked, b"1").content == b"1"
        assert ledger.verify().problems == ()


def test_whoever_has_the_old_declaration_open_charges_nothing_under_it(used):
    with opened(used, TERMS, make=RegionPayer) as old, opened(used, THEN, make=RegionPayer, migrate=True) as new:
        before = new.mark()
        with pytest.raises(InvalidInput) as caught:
            old.reserve(charge("more"))
        assert caught.value.code == "ledger.other-domain"
        assert new.mark() == before
        assert old.terms == THEN


def test_an_audit_knows_what_a_migration_may_do(used):
    forged(used, TERMS, THEN)
    assert audited(used) == ()
    forged(used, TERMS, WITH_TABLE)
    assert "migrates from another declaration than the one in force" in " ".join(audited(used))


def test_a_forged_migration_that_refines_nothing_is_found_and_the_book_is_not_opened(used):
    forged(used, TERMS, Terms(TERMS.promises, {"visits": Domain({"age": integers(0, 50, missing=0)})}))
    assert "does not refine the one before" in " ".join(audited(used))
    with pytest.raises(LedgerFault) as caught:
        opened(used, None, make=RegionPayer)
    assert caught.value.code == "ledger.unreadable-charge"


def test_a_migration_without_a_checkpoint_is_found(used):
    forged(used, TERMS, THEN, checkpoint=False)
    assert "migrates without a checkpoint before it" in " ".join(audited(used))


def audited(path):
    store = SQLiteStore(str(path))
    try:
        return verify(store, RegionPayer, NoAnchor()).problems
    finally:
        store.close()


def forged(path, written, after, *, checkpoint=True):
    """A migration written into the file by hand, its place in the chain right."""
    store = SQLiteStore(str(path))
    with store.writing(Stage.RESERVE):
        note = canonical({"at": "2026-01-02", "was": written.document(), "to": after.document()})
        last = store.last()
        if checkpoint and not store.tallies():
            content = tally_of(store)
            last = entry_after(last, Kind.CHECKPOINT, canonical({"at": "x", "tallies": rolled(START, content)}))
            store.append(last, tally=content)
        store.append(entry_after(last, Kind.MIGRATE, note))
    store.close()


def tally_of(store):
    tally = Tally()
    for entry in store.after(0):
        if entry.kind is Kind.RESERVE:
            tally.charges[entry.charge] += 1
    return tally.content()


def test_a_difference_reads_as_a_sentence():
    found = differences(TERMS, THEN)
    assert [str(one) for one in found] == [
        "visits.age: integers with high = 99 -> integers with high = 120: a refinement",
        (
            "visits.sex: none -> categories with names = ['F', 'M'], other = OTHER, missing = None, constant = False: "
            "a refinement"
        ),
    ]
    (narrow,) = differences(THEN, Terms(TERMS.promises, {"visits": Domain({**WIDER.columns, "sex": categories("F")})}))
    assert "no refinement: M would become one with everything that is not listed" in str(narrow)


def test_the_entry_holds_both_declarations(used):
    with opened(used, THEN, make=RegionPayer, migrate=True) as ledger:
        (entry,) = (one for one in ledger.entries() if one.kind is Kind.MIGRATE)
        details = json.loads(entry.note)
        assert Terms.from_document(details["was"]) == TERMS
        assert Terms.from_document(details["to"]) == THEN
