"""A book in one SQLite file: write-ahead log, full synchronisation, one writer at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, final
from weakref import finalize

from partita.errors import ledger as refuse
from partita.errors import ledger_server as refuse_server
from partita.errors.base import LedgerFault
from partita.ledger.book.anchor import Mark
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.book.files import Files, file_faults
from partita.ledger.book.store import Stage, Store
from partita.ledger.canonical import canonical

APPLICATION = 0x50415254  # "PART", at a fixed place in the file's header
FORMAT = 2
"""The newest format that is read and written."""
FIRST_FORMAT = 1
"""Of a book without acts: every version reads it. The first act makes it one of the newest format."""
LEFT = 1_000_001
"""In the place of a format: the book has moved elsewhere. No version opens it."""
MEMORY = ":memory:"

_SCHEMA = """
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, of INTEGER, question BLOB, key TEXT, charge TEXT, note TEXT NOT NULL,
    hash BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX closing ON entry (of) WHERE of IS NOT NULL;
CREATE INDEX asked ON entry (question) WHERE question IS NOT NULL;
CREATE UNIQUE INDEX marked ON entry (key) WHERE key IS NOT NULL;
CREATE TABLE answer (seq INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
CREATE TABLE tally (seq INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
CREATE TABLE secret (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
"""
_TABLES = {"answer", "entry", "secret", "tally"}
_KINDS = {kind.value: kind for kind in Kind}
_COLUMNS = "seq, kind, note, hash, of, lower(hex(question)), key, charge"


@final
class SQLiteStore(Store):
    """Entries in a SQLite file; see :class:`Store`.

    ``PRAGMA synchronous = FULL`` in write-ahead mode makes a transaction, and all before it, durable with one flush of
    the log before COMMIT returns; NORMAL leaves the flush out.
    """

    def __init__(self, path: str, *, timeout: float = 10.0, writable: bool = True) -> None:
        self.name = path
        self._timeout = timeout
        self._writable = writable
        self._durable = True
        self._files: Files | None = None
        with self._named(Stage.OPEN):
            self._connection = self._connect()
            try:
                self._check_format()
                if self._files is not None:
                    self._files.logged()
            except BaseException:
                self._connection.close()
                raise
        # Who lets go of a book without closing it is warned by Python 3.13. A child of this process has no say in it.
        finalize(self, _let_go, self._connection, os.getpid()).atexit = False

    @classmethod
    def create(cls, path: str, birth: Entry, secret: bytes, *, timeout: float = 10.0) -> SQLiteStore:
        """A new file that holds its first entry from the moment it has its name.

        Of two processes that create the same ledger at once, one wins and the other opens what it made.
        """
        if path == MEMORY:
            store = cls(path, timeout=timeout)
            store._initialise(birth, secret)
            return store
        made = f"{path}.{os.getpid()}.new"
        with file_faults(path):
            os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            store = cls.__new__(cls)
            store.name, store._timeout, store._writable, store._files = path, timeout, True, Files(made)
            store._durable = True
            with store._named(Stage.OPEN):
                store._connection = sqlite3.connect(made, isolation_level=None, check_same_thread=False)
                try:
                    store._settings()
                    store._initialise(birth, secret)
                finally:
                    store.close()
            with file_faults(path):
                with suppress(FileExistsError):
                    os.link(made, path)
                _flush_folder(path)
        finally:
            for leftover in (made, f"{made}-wal", f"{made}-shm"):
                Path(leftover).unlink(missing_ok=True)
        return cls(path, timeout=timeout)

    @classmethod
    def copied(
        cls, path: str, entries: Iterable[tuple[Entry, bytes | None]], tallies: Mapping[int, bytes], secret: bytes
    ) -> None:
        """A whole book in a new file, in one durable transaction."""
        with file_faults(path):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        store = cls.__new__(cls)
        store.name, store._timeout, store._writable, store._files, store._durable = path, 10.0, True, Files(path), True
        with store._named(Stage.OPEN):
            store._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                store._settings()
                store._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                with store.writing(Stage.OPEN):
                    for statement in filter(str.strip, _SCHEMA.split(";")):
                        store._connection.execute(statement)
                    store._connection.execute(f"PRAGMA user_version = {FIRST_FORMAT}")
                    store._connection.execute("INSERT INTO secret VALUES ('truncation', ?)", (secret,))
                    for entry, answer in entries:
                        store.append(entry, answer=answer, tally=tallies.get(entry.seq))
            finally:
                store.close()
        _flush_folder(path)

    @staticmethod
    def left(path: str) -> tuple[str, Mark] | None:
        """Where a book has gone that was here, and how far it had come; None where none has left."""
        try:
            connection = sqlite3.connect(f"{Path(os.path.realpath(path)).as_uri()}?mode=ro", uri=True)
            try:
                ((application,),) = connection.execute("PRAGMA application_id").fetchall()
                ((version,),) = connection.execute("PRAGMA user_version").fetchall()
                if application != APPLICATION or version != LEFT:
                    return None
                ((to, seq, found),) = connection.execute('SELECT "to", seq, hash FROM "left"').fetchall()
                return str(to), Mark(int(seq), bytes(found))
            finally:
                connection.close()
        except sqlite3.Error:
            return None  # whatever it is, it is told when it is opened

    # --- opening ---------------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        if self.name == MEMORY:
            connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FIRST_FORMAT}")
            connection.executescript(_SCHEMA)
            return connection
        self._files = Files(self.name)
        self._files.admit()
        mode = "rw" if self._writable else "ro"
        address = f"{Path(self._files.path).as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=self._timeout
        )
        try:
            self._check_application(connection)
            if self._writable:
                self._set(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_application(self, connection: sqlite3.Connection) -> None:
        """Somebody else's file is told before anything of it is changed."""
        try:
            ((found,),) = connection.execute("PRAGMA application_id").fetchall()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
                raise refuse.not_a_ledger(self.name) from None
            raise
        if found != APPLICATION:
            raise refuse.not_a_ledger(self.name)

    def _settings(self) -> None:
        self._set(self._connection)

    @staticmethod
    def _set(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # only macOS knows the difference
        connection.execute("PRAGMA cache_size = -16000")

    def _initialise(self, birth: Entry, secret: bytes) -> None:
        if self.name != MEMORY:
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {FIRST_FORMAT}")
            self._connection.executescript(_SCHEMA)
        with self.writing(Stage.OPEN):
            self._connection.execute("INSERT INTO secret VALUES ('truncation', ?)", (secret,))
            self.append(birth)

    def _check_format(self) -> None:
        ((version,),) = self._rows("PRAGMA user_version")
        if version == LEFT:
            ((to,),) = self._rows('SELECT "to" FROM "left"')
            raise refuse_server.moved(self.name, to)
        if version > FORMAT or version < 1:
            raise refuse.newer_format(self.name, version, FORMAT)
        names = {name for (name,) in self._rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if not names >= _TABLES:
            raise refuse.corrupt(self.name, f"the tables {sorted(_TABLES - names)} are missing")

    # --- writing ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, stage: Stage, *, durable: bool = True) -> Iterator[None]:
        with self._named(stage):
            if self._files is not None:
                self._files.check()
            if durable is not self._durable:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def flush(self, stage: Stage = Stage.COMMIT, since: object = None) -> None:
        if self._files is not None:
            self._files.flush()

    def append(self, entry: Entry, *, answer: bytes | None = None, tally: bytes | None = None) -> None:
        asked = None if entry.question is None else bytes.fromhex(entry.question)
        row = (entry.seq, entry.kind.value, entry.of, asked, entry.key, entry.charge, entry.note, entry.hash)
        self._connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        if entry.kind is Kind.ACT:
            self._connection.execute(f"PRAGMA user_version = {FORMAT}")  # in the same transaction
        if answer is not None:
            self._connection.execute("INSERT INTO answer VALUES (?, ?)", (entry.seq, answer))
        if tally is not None:
            self._connection.execute("INSERT INTO tally VALUES (?, ?)", (entry.seq, tally))

    def begin_again(self, birth: Entry, kept: Sequence[Entry] = ()) -> None:
        for table in ("entry", "answer", "tally"):
            self._connection.execute(f"DELETE FROM {table}")
        for entry in (birth, *kept):
            self.append(entry)

    def leave(self, to: str, mark: Mark) -> None:
        # Whoever has the book open finds no table of that name at the next step, and never reads or writes it again.
        for table in sorted(_TABLES):
            self._connection.execute(f"ALTER TABLE {table} RENAME TO left_{table}")
        self._connection.execute('CREATE TABLE "left" ("to" TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL)')
        self._connection.execute('INSERT INTO "left" VALUES (?, ?, ?)', (to, mark.seq, mark.hash))
        self._connection.execute(f"PRAGMA user_version = {LEFT}")  # in the same transaction

    # --- looking ---------------------------------------------------------------------------------------------

    def after(self, seq: int) -> Iterator[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq"
        return (self._entry(row) for row in self._streamed(query, seq))

    def everything(self) -> Iterator[tuple[Entry, bytes | None]]:
        columns = _COLUMNS.replace("seq", "entry.seq", 1)
        query = f"SELECT {columns}, content FROM entry LEFT JOIN answer ON answer.seq = entry.seq ORDER BY entry.seq"
        return ((self._entry(row), content) for *row, content in self._streamed(query))

    def entry(self, seq: int) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM entry WHERE seq = ?", seq)

    def last(self) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM entry ORDER BY seq DESC LIMIT 1")

    def closing(self, seq: int) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM entry WHERE of = ?", seq)

    def marked(self, key: str) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM entry WHERE key = ?", key)

    def asked(self, question: str, after: int = 0) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE question = ? AND seq > ? ORDER BY seq"
        return [self._entry(row) for row in self._rows(query, bytes.fromhex(question), after)]

    def newest(self, count: int) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE kind = 'reserve' ORDER BY seq DESC LIMIT ?"
        return [self._entry(row) for row in self._rows(query, count)]

    def charges(self, before: int, after: int, count: int, analyst: str | None, text: str | None) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM entry WHERE kind = 'reserve' AND seq < ? AND seq > ?"
        values: list[object] = [before, after]
        if analyst is not None:
            # Canonical text: the analyst comes first in every charge.
            start = f'{{"analyst":{canonical(analyst)},'
            query += " AND substr(charge, 1, ?) = ?"
            values += [len(start), start]
        if text is not None:
            query += " AND instr(lower(json_extract(note, '$.asked')), lower(?)) > 0"
            values.append(text)
        return [self._entry(row) for row in self._rows(f"{query} ORDER BY seq DESC LIMIT ?", *values, count)]

    def counts(self) -> dict[Kind, int]:
        return {Kind(kind): int(count) for kind, count in self._rows("SELECT kind, count(*) FROM entry GROUP BY kind")}

    def answer(self, seq: int) -> bytes | None:
        rows = self._rows("SELECT content FROM answer WHERE seq = ?", seq)
        return bytes(rows[0][0]) if rows else None

    def tallies(self) -> list[tuple[int, bytes]]:
        return [
            (int(seq), bytes(content)) for seq, content in self._rows("SELECT seq, content FROM tally ORDER BY seq")
        ]

    def secret(self) -> bytes | None:
        rows = self._rows("SELECT content FROM secret WHERE name = 'truncation'")
        return bytes(rows[0][0]) if rows else None

    def beside(self) -> SQLiteStore | None:
        return None if self.name == MEMORY else SQLiteStore(self.name, timeout=self._timeout, writable=False)

    def sound(self) -> list[str]:
        found = [str(row[0]) for row in self._rows("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        with nullcontext() if self._files is None else self._files.closing():
            self._connection.close()

    # --- inside ----------------------------------------------------------------------------------------------

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._fault(error, Stage.LOOK) from error

    def _streamed(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        try:
            for row in self._connection.execute(query, values):  # noqa: UP028  a cursor must not be closed for us
                yield row
        except sqlite3.Error as error:
            raise self._fault(error, Stage.LOOK) from error

    def _first(self, query: str, *values: object) -> Entry | None:
        rows = self._rows(query, *values)
        return self._entry(rows[0]) if rows else None

    def _entry(self, row: Sequence[Any]) -> Entry:
        seq, kind, note, hashed, of, question, key, charge = row
        known = _KINDS.get(kind)
        if known is None:
            raise refuse.corrupt(self.name, f"entry {seq} is of the unknown kind {kind!r}")
        return Entry(seq, known, note, hashed, of, question or None, key, charge)

    @contextmanager
    def _named(self, stage: Stage) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._fault(error, stage) from error

    def _fault(self, error: sqlite3.Error, stage: Stage) -> LedgerFault:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        match code:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return refuse.locked(self.name, self._timeout, stage)
            case sqlite3.SQLITE_FULL:
                return refuse.full(self.name, stage)
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
                return refuse.not_writable(self.name, stage)
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return refuse.corrupt(self.name, str(error))
            case sqlite3.SQLITE_ERROR if "no such table" in str(error):
                return refuse_server.not_here(self.name, stage)
            case sqlite3.SQLITE_MISUSE | 0:
                return refuse.closed(self.name)
            case _:
                return refuse.storage_failed(self.name, str(error), stage)


def _let_go(connection: sqlite3.Connection, process: int) -> None:
    if process == os.getpid():
        connection.close()


def _flush_folder(path: str) -> None:
    """Make the name itself durable."""
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
