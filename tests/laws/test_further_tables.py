"""A book about people goes on with further tables: what was lost stays, and new losses add to it (theory I12, I6)."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import pytest

import partita as pt
from partita.granularity import Persons

FOLK = [{"who": f"p{number}", "kind": "ab"[number % 2]} for number in range(8)]
BUYS = [{"buy": f"b{number}", "who": f"p{number % 8}", "price": str(number)} for number in range(30)]
LINES = [{"buy": f"b{number % 33}", "size": size} for number, size in enumerate(["0", "7", "x", None, ""] * 12)]
CALLS = [{"who": number and f"p{number}", "minutes": "1" + "0" * number} for number in range(9)]
COUNT = "SELECT COUNT(*) AS n FROM buys b JOIN folk f USING (who) WHERE f.kind = 'a'"


def shop(book, *names, through=None, caps=None, migrate=False, rho=1):
    every = {
        "buys": pt.Table("buys", source=BUYS, columns={"buy": pt.key(), "who": pt.identifier(), "price": PRICE}),
        "lines": pt.Table("lines", source=LINES, columns={"buy": pt.key(), "size": PRICE}),
        "notes": pt.Table("notes", source=LINES[:40], columns={"buy": pt.key(), "size": PRICE}),
        "calls": pt.Table("calls", source=CALLS, columns={"who": pt.identifier(), "minutes": PRICE}),
    }
    folk = pt.Table("folk", source=FOLK, columns={"who": pt.identifier(), "kind": pt.categories("a", "b")})
    rows = {name: (caps or {}).get(name, 2) for name in names}
    unit = pt.persons("who", table="folk", rows=rows, through=through or {})
    tables = [folk, *(every[name] for name in names)]
    promise = pt.Promise(unit, pt.ZCDP(rho=rho))
    return pt.Curator(tables=tables, promises=[promise], ledger=book, migrate=migrate)


PRICE = pt.integers(0, 9)
LED = {"lines": ("buy", "buys")}


def code(call):
    with pytest.raises(pt.PartitaError) as refused:
        call()
    return refused.value.code


def test_a_further_table_adds_to_what_was_lost_and_leaves_the_rows_of_others(tmp_path):
    book = tmp_path / "book"
    with shop(book, "buys", "lines", through=LED) as before:
        before.ask(COUNT, rho="0.25")
    more = {**LED, "notes": ("buy", "buys")}
    wider = ("buys", "lines", "notes", "calls")
    assert code(lambda: shop(book, *wider, through=more)) == "ledger.refinable"
    with shop(book, *wider, through=more, migrate=True) as after:
        assert after.spent()[0].rho == pytest.approx(0.25)
        assert after.remaining()[0].rho == pytest.approx(0.75)
        # The rows of before are those that the book was charged for, or this would be refused.
        after.ask("SELECT COUNT(*) AS n FROM buys WHERE price > 3", rho="0.125")
        joined = "SELECT COUNT(*) AS n FROM calls c JOIN folk f USING (who) WHERE f.kind = '{0}'"
        for kind in "ab":
            after.ask(joined.format(kind), rho="0.25")
        assert after.spent()[0].rho == pytest.approx(0.625)
        with pytest.raises(pt.BudgetExceeded):
            after.ask(joined.format("a"), rho="0.5")
        assert after.verify().problems == ()
    with shop(book, *wider, through=more) as again:
        assert again.spent()[0].rho == pytest.approx(0.625)
    assert code(lambda: shop(book, "buys", "lines", through=LED)) == "ledger.other-promises"


@pytest.mark.parametrize(
    ("names", "given"),
    [
        (("buys", "lines"), {"through": LED}),  # a key that leads to buys now decides which of its rows are kept
        (("buys", "calls"), {"caps": {"buys": 3}}),
        (("buys", "calls"), {"rho": 2}),
        (("calls",), {}),
    ],
)
def test_what_changes_the_rows_or_the_promise_is_no_refinement(tmp_path, names, given):
    book = tmp_path / "book"
    with shop(book, "buys") as before:
        before.ask(COUNT, rho="0.25")
    assert code(lambda: shop(book, *names, **given, migrate=True)) == "ledger.no-migration"
    with shop(book, "buys") as before:
        assert before.spent()[0].rho == pytest.approx(Fraction(1, 4))


def test_rows_that_a_new_key_would_choose_anew_are_noticed_even_if_it_were_allowed(tmp_path):
    book = tmp_path / "book"
    twice = [{"buy": "b0", "who": "p1", "price": "3"}, {"buy": "b0", "who": "p1", "price": "4"}]
    with mock.patch.object(Persons, "grown_from", return_value=True), mock.patch(f"{__name__}.BUYS", twice):
        with shop(book, "buys") as before:
            before.ask(COUNT, rho="0.25")
        assert code(lambda: shop(book, "buys", "lines", through=LED, migrate=True)) == "ledger.other-rows"
