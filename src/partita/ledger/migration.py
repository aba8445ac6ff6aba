"""A migration: the one entry after which a book goes on under a declaration that refines its own."""

from __future__ import annotations

from partita.composition.plans.promise import Promise
from partita.errors import refinement as refuse
from partita.granularity import Users
from partita.ledger.birth import Terms
from partita.ledger.book.book import Book
from partita.ledger.book.entries import Kind
from partita.ledger.book.replay import Replay
from partita.ledger.book.store import Stage
from partita.ledger.refined import Difference, counts_anew, differences
from partita.ledger.seals import newest_seal


def migrated(book: Book, terms: Terms) -> tuple[Difference, ...]:
    """Let a book go on under other tables and columns that refine those it has (theory I12), and say what differs.

    What was charged stays charged, to the new values that tell an old one that was charged
    (declarations.proof.md). Whatever is no refinement is refused, and nothing changes.
    """
    with book.writing(Stage.RESERVE):
        written, sealed = book.replay.eras.current, newest_seal(book.store) is not None
        found = differences(written, terms, sealed=sealed)
        if not found:
            return ()
        refused = [(one.part, one.why) for one in found if not one.refines]
        if book.replay.birth.format == 1:
            refused = [("the ledger", refuse.old_book())]
        elif not refused and any(map(counts_anew, terms.promises)):
            refused = _over(book, terms)
        if refused:
            raise refuse.no_migration(book.store.name, refused)
        if book.replay.tally.charges:
            book.checkpoint(after=0)
        entry = book.append(Kind.MIGRATE, was=written.document(), to=terms.document())
    book.hold(entry)
    return found


def _over(book: Book, terms: Terms) -> list[tuple[str, str]]:
    """The promises that would not be kept if the whole book were read under other terms."""
    then = Replay(book.store, book.replay.make, then=terms)
    children = [
        (f"the limits of {name}", _counted(promise))
        for name, limits in then.balances.children().items()
        for promise, limit, lost in zip(then.terms.promises, limits, then.balances.spent(name), strict=True)
        if limit is not None and lost is not None and not lost.fits(limit)
    ]
    return children + [
        (f"promise {place}", _counted(promise))
        for place, (promise, lost) in enumerate(zip(then.terms.promises, then.balances.spent(), strict=True), 1)
        if lost is not None and not lost.fits(promise.budget)
    ]


def _counted(promise: Promise) -> str:
    """What there is no room for."""
    owners = isinstance(promise.granularity.single, Users)
    return (refuse.owners_over if owners else refuse.pairs_over)(str(promise.granularity))
