"""A book on a PostgreSQL server, for curators on several machines (postgres.proof.md)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, final

from partita.errors import ledger as refuse
from partita.errors import ledger_server as refuse_server
from partita.errors.base import LedgerFault
from partita.ledger.book.address import Address, driver_of
from partita.ledger.book.anchor import Mark
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.book.store import Stage, Store
from partita.ledger.book.turn import Turn
from partita.ledger.canonical import canonical

FORMAT = 1
"""The newest format that is read and written."""
ARRIVING, LEFT = 1_000_000, 1_000_001
"""In the place of a format: a copy that nobody may open yet, and a book that has moved elsewhere."""
_APPLICATION = "partita ledger"
_PAGE = 2_000
# A machine that hangs in the middle of a block must not keep all others from writing.
_LONGEST_IDLE = 60
_SCHEMA = """
CREATE TABLE partita_book (
    one boolean PRIMARY KEY CHECK (one), application text NOT NULL, format integer NOT NULL, flushed bigint NOT NULL);
CREATE TABLE partita_entry (
    seq bigint PRIMARY KEY, kind text NOT NULL, of bigint UNIQUE, question bytea, key bytea UNIQUE, charge text,
    note text NOT NULL, hash bytea NOT NULL);
CREATE INDEX partita_asked ON partita_entry (question) WHERE question IS NOT NULL;
CREATE INDEX partita_reserved ON partita_entry (seq) WHERE kind = 'reserve';
CREATE TABLE partita_answer (seq bigint PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE partita_tally (seq bigint PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE partita_secret (name text PRIMARY KEY, content bytea NOT NULL);
"""
_FLUSH = "BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'partita', 'flushed'); COMMIT"
_TABLES = ("answer", "entry", "secret", "tally")
_KINDS = {kind.value: kind for kind in Kind}
_COLUMNS = "seq, kind, note, hash, of, question, key, charge"


@final
class PostgresStore(Store):
    """Entries in tables of the first schema of the role; see :class:`Store`.

    A lost connection is taken up again by the next block or look. Whether a block that was ending then is in the book
    shows when the book is followed again: every block is one transaction.
    """

    shares: ClassVar[bool] = True

    def __init__(self, address: Address, *, timeout: float = 10.0, moving: bool = False) -> None:
        self.name = str(address)
        self._address = address
        self._timeout = timeout
        self._driver = driver_of(address.text)
        self._closed = False
        self._process = os.getpid()
        self._schema = ""
        self._inside = False
        self._turn = Turn()
        self._beside: Any = None
        self._connection = self._connected()
        try:
            if self.exists() and not moving:
                self._check()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def create(cls, address: Address, birth: Entry, secret: bytes, *, timeout: float = 10.0) -> PostgresStore:
        """A new book that holds its first entry from the moment others see it.

        Of two machines that create the same ledger at once, one wins and the other opens what it made.
        """
        store = cls(address, timeout=timeout)
        try:
            with store.writing(Stage.OPEN):
                if not store.exists():
                    store._connection.execute(_SCHEMA)
                    store._run("INSERT INTO partita_book VALUES (true, %s, %s, 0)", _APPLICATION, FORMAT)
                    store._run("INSERT INTO partita_secret VALUES ('truncation', %s)", secret)
                    store.append(birth)
            store._check()
        except BaseException:
            store.close()
            raise
        return store

    # --- opening ---------------------------------------------------------------------------------------------

    def _connected(self) -> Any:
        wait = {} if "connect_timeout" in self._address.parts() else {"connect_timeout": 10}
        try:
            made = self._driver.connect(
                self._address.text, autocommit=True, client_encoding="utf8", application_name="partita ledger", **wait
            )
        except self._driver.Error:
            raise refuse_server.unreachable(self.name) from None
        try:
            schema, fsync = made.execute("SELECT current_schema(), current_setting('fsync')").fetchone()
            if schema is None:
                raise refuse_server.no_schema(self.name)
            if fsync != "on":
                raise refuse_server.not_durable(self.name)
            if self._schema and schema != self._schema:
                raise refuse.replaced(self.name)
            self._schema = schema
            for setting, value in (
                ("search_path", _quoted(schema)),
                ("lock_timeout", f"{max(1, round(1000 * self._timeout))}ms"),
                ("statement_timeout", "0"),
                ("idle_session_timeout", "0"),
                ("idle_in_transaction_session_timeout", f"{_LONGEST_IDLE}s"),
                ("client_min_messages", "error"),
            ):
                made.execute("SELECT set_config(%s, %s, false)", (setting, value))
        except BaseException:
            made.close()
            raise
        return made

    def exists(self) -> bool:
        """Whether the schema holds a book."""
        return bool(self._rows("SELECT to_regclass('partita_book') IS NOT NULL")[0][0])

    def _check(self) -> None:
        rows = self._rows("SELECT application, format FROM partita_book")
        if len(rows) != 1 or rows[0][0] != _APPLICATION:
            raise refuse.not_a_ledger(self.name)
        if rows[0][1] == ARRIVING:
            raise refuse_server.arriving(self.name)
        if rows[0][1] == LEFT:
            raise refuse_server.moved(self.name, self._rows("SELECT name FROM partita_left")[0][0])
        if not 1 <= rows[0][1] <= FORMAT:
            raise refuse.newer_format(self.name, rows[0][1], FORMAT)

    # --- writing ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, stage: Stage, *, durable: bool = True) -> Iterator[None]:
        with self._named(stage):
            flushed = "on" if durable else "off"
            try:
                # Nothing is seen before the lock is held: each statement then sees what the writer before committed.
                self._begun(
                    f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = {flushed}; "
                    f"SELECT pg_advisory_xact_lock({self._lock()})"
                )
                self._inside = True
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(self._driver.Error):
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._inside = False

    def _lock(self) -> int:
        named = hashlib.sha256(f"{_APPLICATION} {self._schema}".encode()).digest()
        return int.from_bytes(named[:8], "big", signed=True)

    def ready(self) -> object:
        with self._named(Stage.RESERVE):
            if self._beside is None or self._beside.closed:
                self._beside = self._connected()
        return self._beside

    def flush(self, stage: Stage = Stage.COMMIT, since: object = None) -> None:
        # A server that fails loses every connection and what it had not made durable. So the flush counts on the
        # very connection that was open before what is to be durable was written or seen, and on no other.
        with self._named(stage):
            self._turn.taken(self._flushed)
        if not self.steady(since):
            raise refuse_server.connection_lost(self.name, stage)

    def steady(self, since: object) -> bool:
        beside: Any = self._beside
        return beside is not None and not beside.closed and beside is since

    def _flushed(self) -> None:
        """Write a word to the server's log, and wait until it is on the disk: with it is all that came before.

        On a connection of its own, so that others write meanwhile; nothing of it is seen in the book.
        """
        beside = self._beside
        try:
            beside.execute(_FLUSH)
        except self._driver.Error:
            beside.close()
            raise

    def append(self, entry: Entry, *, answer: bytes | None = None, tally: bytes | None = None) -> None:
        self._run("INSERT INTO partita_entry VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", *_row(entry))
        if answer is not None:
            self._run("INSERT INTO partita_answer VALUES (%s, %s)", entry.seq, answer)
        if tally is not None:
            self._run("INSERT INTO partita_tally VALUES (%s, %s)", entry.seq, tally)

    def begin_again(self, birth: Entry, kept: Sequence[Entry] = ()) -> None:
        for table in ("entry", "answer", "tally"):
            self._run(f"DELETE FROM partita_{table}")
        for entry in (birth, *kept):
            self.append(entry)

    # --- moving ----------------------------------------------------------------------------------------------

    def leave(self, to: str, mark: Mark) -> None:
        # Whoever has the book open finds no table of that name at the next step, and never reads or writes it again.
        for table in _TABLES:
            self._run(f"ALTER TABLE partita_{table} RENAME TO partita_left_{table}")
        self._run("CREATE TABLE partita_left (name text NOT NULL, seq bigint NOT NULL, hash bytea NOT NULL)")
        self._run("INSERT INTO partita_left VALUES (%s, %s, %s)", to, mark.seq, mark.hash)
        self._run("UPDATE partita_book SET format = %s", LEFT)

    def standing(self) -> int | None:
        """The format of what is here, or what stands in its place; None where nothing is."""
        return int(self._rows("SELECT format FROM partita_book")[0][0]) if self.exists() else None

    def left(self) -> tuple[str, Mark] | None:
        """Where a book has gone that was here, and how far it had come; None where none has left."""
        if self.standing() != LEFT:
            return None
        ((to, seq, found),) = self._rows("SELECT name, seq, hash FROM partita_left")
        return str(to), Mark(int(seq), bytes(found))

    def arriving(self) -> bool:
        """Whether a copy is here that nobody may open yet."""
        return self.standing() == ARRIVING

    def fill(self, entries: Iterable[tuple[Entry, bytes | None]], tallies: Mapping[int, bytes], secret: bytes) -> None:
        """A whole book, in one durable transaction, which nobody can open before ``open_up``."""
        with self.writing(Stage.OPEN):
            if self.standing() not in (None, ARRIVING):
                raise refuse_server.not_empty(self.name)
            if self.exists():
                self._run(f"DROP TABLE {', '.join(f'partita_{table}' for table in ('book', *_TABLES))}")
            self._connection.execute(_SCHEMA)
            self._run("INSERT INTO partita_book VALUES (true, %s, %s, 0)", _APPLICATION, ARRIVING)
            self._run("INSERT INTO partita_secret VALUES ('truncation', %s)", secret)
            page: list[tuple[Entry, bytes | None, bytes | None]] = []
            for entry, answer in entries:
                page.append((entry, answer, tallies.get(entry.seq)))
                if len(page) == _PAGE:
                    self._append_all(page)
                    page.clear()
            self._append_all(page)

    def _append_all(self, page: Sequence[tuple[Entry, bytes | None, bytes | None]]) -> None:
        marks = ", ".join(["%s"] * 8)
        with self._connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO partita_entry VALUES ({marks})", [_row(entry) for entry, _, _ in page])
            for table, place in (("answer", 1), ("tally", 2)):
                found = [(one[0].seq, one[place]) for one in page if one[place] is not None]
                if found:
                    cursor.executemany(f"INSERT INTO partita_{table} VALUES (%s, %s)", found)

    def open_up(self) -> None:
        """What was filled may be opened from now on."""
        with self.writing(Stage.OPEN):
            if self.standing() == ARRIVING:
                self._run("UPDATE partita_book SET format = %s", FORMAT)

    # --- looking ---------------------------------------------------------------------------------------------

    def after(self, seq: int) -> Iterator[Entry]:
        query = f"SELECT {_COLUMNS} FROM partita_entry WHERE seq > %s ORDER BY seq LIMIT {_PAGE}"
        while rows := self._rows(query, seq):
            yield from map(self._entry, rows)
            seq = rows[-1][0]

    def everything(self) -> Iterator[tuple[Entry, bytes | None]]:
        columns = _COLUMNS.replace("seq", "partita_entry.seq", 1)
        query = (
            f"SELECT {columns}, content FROM partita_entry LEFT JOIN partita_answer USING (seq) "
            f"WHERE partita_entry.seq > %s ORDER BY partita_entry.seq LIMIT {_PAGE}"
        )
        seq = 0
        while rows := self._rows(query, seq):
            yield from ((self._entry(row), content) for *row, content in rows)
            seq = rows[-1][0]

    def entry(self, seq: int) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM partita_entry WHERE seq = %s", seq)

    def last(self) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM partita_entry ORDER BY seq DESC LIMIT 1")

    def closing(self, seq: int) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM partita_entry WHERE of = %s", seq)

    def marked(self, key: str) -> Entry | None:
        return self._first(f"SELECT {_COLUMNS} FROM partita_entry WHERE key = %s", _bytes(key))

    def asked(self, question: str, after: int = 0) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM partita_entry WHERE question = %s AND seq > %s ORDER BY seq"
        return [self._entry(row) for row in self._rows(query, bytes.fromhex(question), after)]

    def newest(self, count: int) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM partita_entry WHERE kind = 'reserve' ORDER BY seq DESC LIMIT %s"
        return [self._entry(row) for row in self._rows(query, count)]

    def charges(self, before: int, after: int, count: int, analyst: str | None, text: str | None) -> list[Entry]:
        # Canonical text: the analyst comes first in every charge.
        start = "" if analyst is None else f'{{"analyst":{canonical(analyst)},'
        query = (
            f"SELECT {_COLUMNS} FROM partita_entry WHERE kind = 'reserve' AND seq < %s AND seq > %s "
            f"AND starts_with(charge, %s) ORDER BY seq DESC LIMIT {_PAGE}"
        )
        found: list[Entry] = []
        while len(found) < count and (rows := self._rows(query, before, after, start)):
            entries = [self._entry(row) for row in rows]
            found += [one for one in entries if text is None or _says(one, text)]
            before = rows[-1][0]
        return found[:count]

    def counts(self) -> dict[Kind, int]:
        return {
            Kind(kind): int(count)
            for kind, count in self._rows("SELECT kind, count(*) FROM partita_entry GROUP BY kind")
        }

    def answer(self, seq: int) -> bytes | None:
        rows = self._rows("SELECT content FROM partita_answer WHERE seq = %s", seq)
        return bytes(rows[0][0]) if rows else None

    def tallies(self) -> list[tuple[int, bytes]]:
        rows = self._rows("SELECT seq, content FROM partita_tally ORDER BY seq")
        return [(int(seq), bytes(content)) for seq, content in rows]

    def secret(self) -> bytes | None:
        rows = self._rows("SELECT content FROM partita_secret WHERE name = 'truncation'")
        return bytes(rows[0][0]) if rows else None

    def beside(self) -> PostgresStore | None:
        return PostgresStore(self._address, timeout=self._timeout)

    def sound(self) -> list[str]:
        query = "SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_class t ON t.oid = indrelid"
        names = "t.relname IN ('partita_entry', 'partita_answer', 'partita_tally', 'partita_secret')"
        schema = "c.relnamespace = to_regnamespace(%s)"
        rows = self._rows(
            f"{query.replace('relname', 'c.relname', 1)} WHERE {names} AND {schema} AND NOT indisvalid",
            _quoted(self._schema),
        )
        return [f"the index {name} is not valid" for (name,) in rows]

    def close(self) -> None:
        self._closed = True
        if os.getpid() == self._process:
            with suppress(self._driver.Error):
                self._connection.close()
            if self._beside is not None:
                with suppress(self._driver.Error):
                    self._beside.close()

    # --- inside ----------------------------------------------------------------------------------------------

    def _begun(self, query: str, *values: object) -> Any:
        """Run what begins something, once more on a new connection if the old one was lost.

        Never inside a block: its lock and what it wrote were lost as well.
        """
        if self._closed:
            raise refuse.closed(self.name)
        try:
            return self._connection.execute(query, values or None)
        except self._driver.Error:
            if self._inside or not self._connection.closed:
                raise
        self._connection.close()
        self._connection = self._connected()
        self.renewed += 1
        self._check()
        return self._connection.execute(query, values or None)

    def _run(self, query: str, *values: object) -> None:
        self._connection.execute(query, values)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._named(Stage.LOOK):
            return list(self._begun(query, *values).fetchall())

    def _first(self, query: str, *values: object) -> Entry | None:
        rows = self._rows(query, *values)
        return self._entry(rows[0]) if rows else None

    def _entry(self, row: Sequence[Any]) -> Entry:
        seq, kind, note, hashed, of, question, key, charge = row
        known = _KINDS.get(kind)
        if known is None:
            raise refuse.corrupt(self.name, f"entry {seq} is of the unknown kind {kind!r}")
        asked = None if question is None else bytes(question).hex()
        mark = None if key is None else bytes(key).decode("utf-8", "surrogatepass")
        return Entry(seq, known, note, bytes(hashed), of, asked or None, mark, charge)

    @contextmanager
    def _named(self, stage: Stage) -> Iterator[None]:
        try:
            yield
        except self._driver.Error as error:
            raise self._fault(error, stage) from None

    def _fault(self, error: Any, stage: Stage) -> LedgerFault:
        match error.sqlstate:
            case "55P03":
                return refuse.locked(self.name, self._timeout, stage)
            case "53100" | "53400":
                return refuse.full(self.name, stage)
            case "42501" | "25006":
                return refuse.not_writable(self.name, stage)
            case "42P01":
                return refuse_server.not_here(self.name, stage)
            case "42703" | "XX001" | "XX002":
                return refuse.corrupt(self.name, "its tables are not those of a ledger")
            case None:
                return refuse_server.connection_lost(self.name, stage)
            case state if self._connection.closed or state.startswith(("08", "57P")):
                return refuse_server.connection_lost(self.name, stage)
            case state:
                return refuse.storage_failed(self.name, f"the server says {state}", stage)


def _row(entry: Entry) -> tuple[Any, ...]:
    asked = None if entry.question is None else bytes.fromhex(entry.question)
    return entry.seq, entry.kind.value, entry.of, asked, _bytes(entry.key), entry.charge, entry.note, entry.hash


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _says(entry: Entry, text: str) -> bool:
    """Whether a question holds a text, whatever the case of its Latin letters."""
    asked = entry.details().get("asked")
    return isinstance(asked, str) and _lower(text) in _lower(asked)


def _lower(text: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)
