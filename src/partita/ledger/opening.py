"""How a ledger is born, and how it is found again: the one place that decides whether a file may be trusted."""

from __future__ import annotations

import os

from partita.errors import LedgerFault
from partita.errors import ledger as refuse
from partita.errors import refinement as refuse_other
from partita.ledger.acts import kept_acts
from partita.ledger.birth import Birth, Terms
from partita.ledger.book import points
from partita.ledger.book.address import Address
from partita.ledger.book.anchor import Anchor, FileAnchor, Mark, NoAnchor
from partita.ledger.book.book import Book, Clock, system_clock
from partita.ledger.book.entries import Kind, entry_after, follows, unpacked
from partita.ledger.book.places import Place, place_of
from partita.ledger.book.points import Faults
from partita.ledger.book.replay import Replay
from partita.ledger.book.store import Stage, Store
from partita.ledger.book.tally import EVERY
from partita.ledger.canonical import canonical, digest
from partita.ledger.keys import SigningKey, random_bytes
from partita.ledger.ledger import Ledger
from partita.ledger.payer import MakePayer, RegionPayer
from partita.ledger.redeclared import domain_changes, promise_changes
from partita.ledger.refined import differences
from partita.ledger.seals import newest_seal
from partita.sampling import entropy
from partita.sampling.bits import BitSource


def open_ledger(
    path: str | os.PathLike[str] | Address,
    terms: Terms | None = None,
    *,
    anchor: Anchor | str | None = None,
    signer: SigningKey | None = None,
    timeout: float = 10.0,
    bits: BitSource | None = None,
    clock: Clock = system_clock,
    faults: Faults = points.none,
    make: MakePayer | None = None,
    checkpoint_every: int = EVERY,
    migrate: bool = False,
) -> Ledger:
    """The ledger in a file, made anew where there is none and terms are given; ``":memory:"`` keeps it in memory.

    An address such as ``postgresql://curator@db.example/clinic`` names one on a server, for curators on several
    machines; each machine keeps an anchor of its own, and a copy of the signing key, in the folder it works in.

    The anchor (by default a file beside the ledger, ``.anchor``) and the signing key (``.key``) belong to it. A file
    that is damaged, older than its anchor, or made for other terms is refused before anything is read. With
    ``migrate``, a ledger goes on under other terms if they refine its own (theory I12).
    """
    place = place_of(path, timeout)
    source = entropy.system() if bits is None else bits
    held = anchor if isinstance(anchor, Anchor) else place.anchor(anchor)
    store = place.found()
    if store is None:
        if held.read() is not None:
            raise refuse.gone(place.name)
        if terms is None:
            raise refuse.missing(place.name)
        place.ready()
        signer = signer or (SigningKey.fresh(source) if place.key is None else SigningKey.kept(place.key, source))
        store = _born(place, terms, signer, source, clock)
    try:
        if signer is None and place.key is not None and os.path.exists(place.key):
            signer = SigningKey.read(place.key)
        anchored = held.read()
        replay = Replay(store, make or RegionPayer)
        _check_anchor(store, replay, held, anchored, joined=place.joined)
        other = terms is not None and terms != replay.eras.current
        if terms is not None and other:
            replay = _redeclared(store, replay, held, terms, clock, migrate=migrate)
        book = Book(store, replay, held, clock=clock, checkpoint_every=checkpoint_every)
        ledger = Ledger(book, signer=signer, faults=faults)
        if terms is not None and other and migrate:
            ledger.migrate(terms)
    except BaseException:
        store.close()
        raise
    return ledger


def restore(
    path: str | os.PathLike[str] | Address,
    reason: str,
    *,
    anchor: Anchor | str | None = None,
    clock: Clock = system_clock,
    make: MakePayer | None = None,
) -> None:
    """Go on from a copy whose anchor is lost, by the custodian's explicit decision, written into the book.

    What the copy does not know was released all the same, and no promise covers it any more: only do this with the
    newest copy there is. An anchor that still stands is never overruled.
    """
    place = place_of(path, 10.0)
    held = anchor if isinstance(anchor, Anchor) else place.anchor(anchor)
    if held.read() is not None:
        raise refuse.anchor_stands(place.name)
    if not reason.strip():
        raise refuse.no_reason()
    store = place.found()
    if store is None:
        raise refuse.missing(place.name)
    try:
        replay = Replay(store, make or RegionPayer)
        at = clock().isoformat(timespec="microseconds")
        with store.writing(Stage.RESERVE):
            replay.follow(store)
            entry = entry_after(replay.last, Kind.RESTORE, canonical({"at": at, "reason": reason}))
            store.append(entry)
        held.advance(Mark(entry.seq, entry.hash))
    finally:
        store.close()


def _born(place: Place, terms: Terms, signer: SigningKey, source: BitSource, clock: Clock) -> Store:
    secret = random_bytes(source)
    at = clock().isoformat(timespec="microseconds")
    birth = Birth(terms, digest(secret), signer.public, at)
    return place.made(entry_after(None, Kind.BIRTH, canonical(birth.document())), secret)


def _redeclared(store: Store, replay: Replay, held: Anchor, terms: Terms, clock: Clock, *, migrate: bool) -> Replay:
    """The book with other terms: begun again in its place if nothing was ever charged to it; if not, migrated later on.

    The first entry is exchanged in one transaction and the anchor is taken away before it ends. Whoever has the old one
    open finds it rewritten at the next step, before a charge, and has to open it again.
    """
    uncharged = {Kind.BIRTH, Kind.ACCOUNT, Kind.ACT, Kind.BUDGET, Kind.CHECKPOINT, Kind.MIGRATE}
    with store.writing(Stage.OPEN):
        replay.follow(store)
        if not isinstance(held, FileAnchor) or not uncharged.issuperset(store.counts()):
            if migrate:
                return replay
            raise _made_for_another(store.name, replay.eras.current, terms, sealed=newest_seal(store) is not None)
        at = clock().isoformat(timespec="microseconds")
        birth = Birth(terms, replay.birth.truncation, replay.birth.public_key, at)
        entry = entry_after(None, Kind.BIRTH, canonical(birth.document()))
        held.forget()
        kept = kept_acts(store, entry)
        store.begin_again(entry, kept)
    last = kept[-1] if kept else entry
    held.advance(Mark(last.seq, last.hash))
    return Replay(store, replay.make)


def _made_for_another(name: str, written: Terms, given: Terms, *, sealed: bool) -> LedgerFault:
    """What differs, and whether the ledger could go on with it."""
    promises, domains = promise_changes(written, given), domain_changes(written, given)
    reasons = [(one.part, one.why) for one in differences(written, given, sealed=sealed) if not one.refines]
    if not reasons:
        return refuse_other.refinable(name, [*promises, *domains])
    if promises:
        return refuse_other.other_promises(name, [*promises, *domains])
    return refuse_other.other_tables(name, domains, reasons)


def _give_back(store: Store, replay: Replay, held: Anchor, anchored: Mark) -> None:
    """Write the newest commit again if it is all that a book lacks: a power cut took it, and the anchor kept it."""
    found = unpacked(held.kept())
    with store.writing(Stage.OPEN):
        replay.follow(store)
        if replay.last.seq >= anchored.seq:
            return
        if found is None or (found[0].seq, found[0].hash) != (anchored.seq, anchored.hash):
            raise refuse.rolled_back(store.name, replay.last.seq, anchored.seq)
        entry, answer = found
        closes = None if entry.of is None else store.entry(entry.of)
        if (
            not follows(entry, replay.last)
            or closes is None
            or closes.kind is not Kind.RESERVE
            or store.closing(closes.seq) is not None
            or entry.details().get("answered") != digest(answer)
        ):
            raise refuse.rolled_back(store.name, replay.last.seq, anchored.seq)
        store.append(entry, answer=answer)
    replay.follow(store)


def _check_anchor(store: Store, replay: Replay, held: Anchor, anchored: Mark | None, *, joined: bool) -> None:
    last = replay.last
    if isinstance(held, NoAnchor):
        return
    if anchored is None:
        # Nothing was ever charged: the process that made the file may have died before anchoring it. A machine that
        # joins others begins with what the server has.
        if not joined and not {Kind.BIRTH, Kind.ACT}.issuperset(store.counts()):
            raise refuse.anchor_missing(store.name, last.seq)
        held.advance(Mark(last.seq, last.hash))
        return
    if anchored.seq > last.seq:
        _give_back(store, replay, held, anchored)
    entry = store.entry(anchored.seq)
    if entry is None or entry.hash != anchored.hash:
        raise refuse.rewritten(store.name, anchored.seq)
