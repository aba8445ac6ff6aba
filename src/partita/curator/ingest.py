"""Growth: batches of rows sealed one after the other, the same batch twice refused, and people who are forgotten."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any, Final, final

from partita.curator.path.gate import Gate
from partita.engine.base import Engine
from partita.engine.growing import Growing
from partita.engine.sources.frames import kept_text, plain_text
from partita.errors import engine as refuse_engine
from partita.errors import ledger_server as refuse_server
from partita.errors import vault as refuse
from partita.granularity import Granularity, Replace, Windows
from partita.ledger.book.address import Address
from partita.ledger.fixed import Kept, Rows
from partita.ledger.ledger import Ledger
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.columns import Identifier, Key
from partita.region.columns.base import Column
from partita.vault.cipher import Cipher
from partita.vault.folder import Cut, nothing
from partita.vault.manifest import Manifest, Record, Sealed
from partita.vault.vault import Vault, place_of

LONGEST: Final = 100
Settled = Callable[[int], None]


@final
class Growth:
    """Rows that are sealed in a vault, and the engine that holds them for questions (theory I10).

    Until something is sealed there is no vault, and sources are read as they are.
    """

    def __init__(
        self, ledger: Ledger, tables: Mapping[str, Table], gate: Gate, cut: Cut = nothing, cipher: Cipher | None = None
    ) -> None:
        self._ledger, self._tables, self._gate, self._cipher = ledger, tables, gate, cipher
        self._vault = Vault(ledger, cut, cipher) if ledger.sealed() is not None else None
        self._cut = cut
        self._open: Callable[[str], Growing]
        self._growing: Growing | None = None
        self._held, self._turn = False, RLock()
        self.rows = Rows(erased=ledger.erased)
        """The rows that the engine holds: digests of what it keeps of owners, where they are not those of the vault."""
        if self._vault is not None and (found := self._looked(self._vault)) is not None:
            self._declared(found)
            self._vault.unchanged({name: table.source for name, table in tables.items()})

    def _declared(self, manifest: Manifest) -> None:
        """Refuse rows that were sealed under a declaration that is neither ours nor one that ours refines."""
        declared, found = self._digests(), dict(manifest.tables)
        if declared != found and found not in self._earlier():
            raise refuse.other_declaration(name for name in declared if declared[name] != found.get(name))

    def _digests(self) -> dict[str, str]:
        return {name: table.digest for name, table in self._tables.items()}

    def _earlier(self) -> list[dict[str, str]]:
        """The digests of the declarations that the ledger has gone on from: those now in force refine them."""
        found = []
        for terms in self._ledger.eras.earlier:
            domains = terms.declared or terms.tables
            if set(domains) == set(self._tables):
                tables = self._tables.items()
                found.append({name: Table(name, one.source, domains[name]).digest for name, one in tables})
        return found

    @staticmethod
    def _looked(vault: Vault) -> Manifest | None:
        with vault.still():
            return vault.look()

    @property
    def batch(self) -> int | None:
        """The newest batch, or None where there are only the rows that were declared, sealed or not."""
        found = None if self._vault is None else self._vault.manifest
        return None if found is None else found.last.batch or None

    def named(self, batch: int) -> str:
        """A batch with its name, if it has one."""
        found = None if self._vault is None else self._vault.manifest
        name = None if found is None else found.batches[batch].sealed.name
        return str(batch) if name is None else f"{batch} ({name})"

    def sources(self) -> list[Table]:
        """The tables to open an engine with: without rows where these are in the vault."""
        if self._vault is None:
            return list(self._tables.values())
        return [Table(one.name, [], one.domain, people=one.people) for one in self._tables.values()]

    def hold(
        self, engine: Engine, people: People | None, truncations: Mapping[str, Truncation | None], *, own: bool
    ) -> None:
        """Let an engine hold what is sealed; one that somebody else may use too is left as it is.

        Where nothing is sealed, the rows that it keeps of owners must be those that the book was charged for.
        """
        self._open = lambda secret: self._grown(engine, people, truncations, secret, own=own)
        if self._vault is None:
            kept = self._told(engine.fixed(truncations, self._secret().hex()))
            self._ledger.fixes(kept)
            self.rows = replace(self.rows, kept=kept)
        else:
            self._growing = self._open(self._vault.secret)
            with self._vault.still():  # what another process may have sealed since is read as well
                self._vault.look()
                self._growing.load(self._vault.contents())
                self._current_now(self._vault)
            self._held = True
            self._refine(self._vault, self._growing)

    def _refine(self, vault: Vault, growing: Growing) -> None:
        """Seal the rows once more as the ledger declares them now, if they were sealed under an earlier declaration."""
        declared = self._digests()
        if vault.manifest is None or dict(vault.manifest.tables) == declared:
            return
        with self._turn, vault.alone():
            manifest = self._current(vault, growing, lambda batch: None)
            if dict(manifest.tables) != declared:
                what = {"refined": sorted(declared)}
                vault.seal(replace(manifest, tables=declared), growing.contents(), what, whole=True)
                self._current_now(vault)

    def _current_now(self, vault: Vault) -> None:
        """What is sealed is what the engine holds; to be called while nobody else seals."""
        vault.moved, self.rows = False, replace(self.rows, erased=self._ledger.erased)

    def _secret(self) -> bytes:
        return hmac.new(self._ledger.truncation_key(), b"kept rows", hashlib.sha256).digest()

    def _told(self, texts: Mapping[str, str]) -> Kept:
        """Keyed digests of texts that tell rows apart: a book confirms nobody's guess."""
        secret = self._secret()
        return {table: hmac.new(secret, text.encode(), hashlib.sha256).hexdigest() for table, text in texts.items()}

    def _grown(
        self,
        engine: Engine,
        people: People | None,
        truncations: Mapping[str, Truncation | None],
        secret: str,
        *,
        own: bool,
    ) -> Growing:
        if not own:
            raise refuse_engine.does_not_grow(engine.kind)
        return engine.growing(self._tables, people, truncations, secret)

    # --- batches -----------------------------------------------------------------------------------------------

    def ingest(self, batch: Mapping[str, object], name: str | None, settled: Settled, *, again: bool) -> Sealed:
        """Seal rows of some tables as one batch, and let questions read them."""
        if not batch:
            raise refuse.no_rows_given()
        for table in batch:
            if table not in self._tables:
                raise refuse.unknown_table(table, self._tables)
            _check_owned(self._tables[table], batch[table])
        _check_name(name)
        with self._turn, (opened := self._opened())[0].alone():
            vault, growing = opened
            manifest = self._current(vault, growing, settled)
            _check_place(manifest, name)
            sources = vault.sources(batch)
            if not again:
                _check_new(manifest, set(sources.values()))
            try:
                added, text = growing.arrive({table: _source(one) for table, one in batch.items()})
                # That nothing comes may happen every day.
                rows = vault.told(text) if text else ""
                earlier = [one.sealed.batch for one in manifest.batches if rows and one.rows == rows]
                if earlier and not again:
                    raise refuse.same_rows(earlier[0])
                sealed = Sealed(manifest.last.batch + 1, name, tuple(batch))
                what = {"batch": sealed.batch, "name": name, "tables": list(batch)}
                vault.seal(manifest, added, what, record=Record(sealed, rows, sources))
            except BaseException:
                growing.drop()
                raise
            with self._gate.closed():
                growing.settle()
                self._current_now(vault)
                settled(sealed.batch)
        return sealed

    def _opened(self) -> tuple[Vault, Growing]:
        if self._vault is None:
            if Address.named(self._ledger.name):
                raise refuse_server.local_only(self._ledger.name, "Sealed rows")
            self._vault = Vault(self._ledger, self._cut, self._cipher)
        if self._growing is None:
            self._growing = self._open(self._vault.secret)
        return self._vault, self._growing

    def _current(self, vault: Vault, growing: Growing, settled: Settled) -> Manifest:
        """What is sealed now: the rows as they were opened if nothing was, and what other processes have added."""
        if vault.manifest is not None:
            self._declared(vault.manifest)
            if self._held and not vault.moved:
                return vault.manifest
        if vault.manifest is None:
            self._ledger.fix(self.rows.kept)  # no process may go on with others
            if not self._held:
                with self._gate.closed():
                    growing.begin()
                    self._held = True
            first = Record(
                Sealed(0, None, tuple(self._tables)),
                "",
                vault.sources({name: table.source for name, table in self._tables.items()}),
            )
            made = Manifest({name: table.digest for name, table in self._tables.items()})
            what = {"batch": 0, "name": None, "tables": list(self._tables)}
            vault.seal(made, growing.contents(), what, record=first)
        else:
            contents = vault.contents()
            with self._gate.closed():
                if not self._held:
                    growing.load(contents)
                    self._held = True
                else:
                    growing.exchange({part: contents.get(part) for part in growing.parts()})
                self._current_now(vault)
                settled(vault.manifest.last.batch)
        self._current_now(vault)
        assert vault.manifest is not None
        return vault.manifest

    def close(self) -> None:
        """Let go of a vault that goes with its ledger."""
        if self._vault is not None:
            self._vault.close()

    # --- erasure -----------------------------------------------------------------------------------------------

    def forget(self, column: str, owner: object, settled: Settled) -> None:
        """Erase all rows of an owner; whether there were any is not said."""
        if plain_text(owner) is None:
            raise refuse.nobody()
        with self._turn:
            self._forget(column, owner, settled)

    def _forget(self, column: str, owner: object, settled: Settled) -> None:
        vault, growing = self._opened()
        owners = {name: place.table.owner for name, place in growing.places.items() if place.table.owner is not None}
        wanted = [name for name, known in owners.items() if isinstance(column, str) and known.lower() == column.lower()]
        if not wanted:
            raise refuse.unknown_owner(column, owners.values())
        named: dict[str, list[str]] = {}
        for name in wanted:
            text = kept_text(_owners_column(name, growing), owner)  # as the owner is read where the row is
            if text is None:
                raise refuse.nobody()
            named.setdefault(text, []).append(name)
        for promise in self._ledger.terms.promises:
            if _may_change_owners(promise.granularity.single):
                raise refuse.no_erasure(str(promise.granularity))
        with vault.alone():
            manifest = self._current(vault, growing, settled)
            left: dict[str, Any] = {}
            for text, tables in named.items():
                left |= growing.without(text, tables)
            # Who erases a person erases them from the sources too, and that is no change to be refused.
            first = replace(manifest.batches[0], sources={})
            kept = replace(manifest, batches=(first, *manifest.batches[1:]))
            vault.seal(kept, left, {"erased": column, "tables": wanted}, whole=True)
            with self._gate.closed():
                growing.exchange(left)
                self._current_now(vault)
                settled(manifest.last.batch)


def _owners_column(table: str, growing: Growing) -> Column:
    """The stored column that names the owners of a table's rows, at the end of the chain that leads to it."""
    place = growing.places[table]
    while place.parent is not None:
        place = growing.places[place.parent]
    assert place.table.owner is not None
    return place.table.columns[place.table.owner]


def _may_change_owners(unit: Granularity) -> bool:
    """Whether neighbours may differ in whom a row belongs to, so that without one owner they are none any more."""
    return isinstance(unit, Replace) or (isinstance(unit, Windows) and unit.changed)


def sealed_beside(ledger: object) -> bool:
    """Whether there is a folder of sealed rows beside the place of a ledger."""
    name = ledger.name if isinstance(ledger, Ledger) else ledger
    return isinstance(name, str | os.PathLike) and Path(place_of(os.fsdecode(name))).is_dir()


def _check_owned(table: Table, rows: object) -> None:
    """Refuse a list of rows none of which names the owner or a key: all of them would be dropped, for ever.

    Frames and files say which columns they have; lists do not, and what a row leaves out is missing in it.
    """
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, Mapping) for row in rows):
        return
    named = {str(column).lower() for row in rows for column in row}
    for column, declared in table.columns.items():
        if isinstance(declared, Identifier | Key) and column.lower() not in named:
            raise refuse.unlike_rows(table.name, column, sorted({str(one) for row in rows[:1] for one in row}))


def _source(given: object) -> object:
    return os.fspath(given) if isinstance(given, os.PathLike) else given


def _check_name(name: object) -> None:
    if name is None:
        return
    if not isinstance(name, str) or not name or len(name) > LONGEST or not name.isprintable():
        raise refuse.bad_name(name)


def _check_place(manifest: Manifest, name: str | None) -> None:
    """Refuse a name that was used, or that comes before one that was."""
    named = {one.sealed.name: one.sealed.batch for one in manifest.batches if one.sealed.name is not None}
    if name is None or not named:
        return
    if name in named:
        raise refuse.arrived_already(name, named[name])
    newest = max(named, key=_natural)
    if _natural(name) < _natural(newest):
        raise refuse.out_of_order(name, newest)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """The order of names as people count: 9 comes before 10.

    >>> sorted(["day 10", "day 9", "2026-11-18"], key=_natural)
    ['2026-11-18', 'day 9', 'day 10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def _check_new(manifest: Manifest, files: set[str]) -> None:
    """Refuse a file that was sealed before, whatever was kept of it."""
    for one in manifest.batches:
        if files.intersection(one.sources.values()):
            raise refuse.same_rows(one.sealed.batch)
