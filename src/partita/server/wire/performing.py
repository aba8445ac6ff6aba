"""What each kind of statement does on a connection: it asks, looks up, or changes a setting, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from partita.errors import wire as refuse
from partita.region.columns import Column as Declared
from partita.server.accounts.register import Caller
from partita.server.desk import Desk
from partita.server.wire.asking import Asker
from partita.server.wire.catalogue import Catalogue, Session
from partita.server.wire.messages import parameter, problem
from partita.server.wire.prepared import Outcome, Portal, Prepared, prepared
from partita.server.wire.scanner import Sentence
from partita.server.wire.statements import Aim, declared, fetched
from partita.server.wire.values import TEXT, Column
from partita.server.wire.variables import Variables, assignment, named
from partita.server.wire.views import views

MOST_HELD: Final = 500
"""Statements, and portals, that one connection may hold."""
_PLAN: Final = (Column("QUERY PLAN", TEXT),)
_WORKING: Final = frozenset({Aim.QUESTION, Aim.QUOTE, Aim.CATALOGUE, Aim.DECLARE})
"""What takes time, and is done in a thread."""


@final
class Performer:
    """Does what statements say, for one connection."""

    def __init__(
        self,
        asker: Asker,
        desk: Desk,
        caller: Caller,
        catalogue: Callable[[], Catalogue],
        variables: Variables,
        *,
        database: str,
        number: int,
        price: Mapping[str, str],
    ) -> None:
        self.variables = variables
        self.statements: dict[str, Prepared] = {}
        self.portals: dict[str, Portal] = {}
        self.state = "I"
        self._asker, self._catalogue, self._price = asker, catalogue, price
        self._charged = False
        self.owned = any(table.owner is not None for table in desk.curator.tables)
        self.protected = {table.name.lower() for table in desk.curator.tables}
        self.columns: dict[str, Declared] = {
            name.lower(): column for table in desk.curator.tables for name, column in table.columns.items()
        }
        self._database, self._number, self._account = database, number, caller.account
        self._views = views(desk, caller)

    def read(self, said: Sentence, given: Sequence[int] = ()) -> Prepared:
        """A statement as it was written."""
        return prepared(said, self.protected, self.columns, given, owned=self.owned)

    def works(self, statement: Prepared) -> bool:
        """Whether a statement takes time."""
        return statement.aim in _WORKING

    def allowed(self, statement: Prepared) -> None:
        """Refuse a statement in a transaction that failed."""
        if self.state == "E" and statement.aim not in (Aim.ROLLBACK, Aim.COMMIT):
            raise refuse.transaction_failed()

    def failed(self) -> None:
        """A statement was refused: a transaction that is under way waits for its end."""
        if self.state == "T":
            self.state = "E"

    def described(self, statement: Prepared) -> tuple[Column, ...] | None:
        """The columns of what a statement comes to, from its text alone; None where it shows nothing."""
        match statement.aim:
            case Aim.QUESTION:
                return self._asker.columns(statement.example().said.text, self._errors, statement.bars)
            case Aim.CATALOGUE:
                return self._catalogue().described(statement.example().said, self._session())
            case Aim.QUOTE:
                return _PLAN
            case Aim.SHOW:
                return self._shown(statement).columns
            case Aim.FETCH:
                return self._cursor(fetched(statement.said)[0]).columns
            case _:
                return None

    def work(self, statement: Prepared) -> Callable[[], Outcome]:
        """What takes time of a statement, with the settings of this moment.

        It changes nothing of the connection: it may go on when the client has given up waiting and says other things.
        """
        sources, errors, session = self._sources(statement), self._errors, self._session()

        def worked(one: Prepared) -> Outcome:
            match one.aim:
                case Aim.QUESTION:
                    told = self._asker.ask(one.said.text, sources, errors, one.bars)
                    before = (notice(told.notice),)
                    return Outcome(f"SELECT {len(told.lines)}", told.columns, told.lines, before, charged=told.charged)
                case Aim.QUOTE:
                    return self._quoted(one, sources)
                case Aim.CATALOGUE:
                    columns, lines = self._catalogue().answered(one.said, session)
                    return Outcome(f"SELECT {len(lines)}", columns, lines)
                case _:
                    raise refuse.not_answered("DECLARE for this")

        if statement.aim is not Aim.DECLARE:
            return lambda: worked(statement)
        name, inner = declared(statement.said)
        if name in self.portals:
            raise refuse.name_taken("cursor", name)
        self.held(self.portals, "cursors")

        def opened() -> Outcome:
            asked = self.read(inner)
            return worked(asked) if asked.aim in (Aim.QUESTION, Aim.CATALOGUE) else worked(statement)

        return opened

    def worked(self, statement: Prepared, outcome: Outcome) -> Outcome:
        """What the work on a statement changes on the connection, when it is done and somebody still waits for it."""
        self._charged = self._charged or outcome.charged
        if statement.aim is not Aim.DECLARE:
            return outcome
        self.portals[declared(statement.said)[0]] = Portal(None, (), outcome)
        return Outcome("DECLARE CURSOR", before=outcome.before)

    def perform(self, statement: Prepared) -> Outcome:
        """What a statement comes to that takes no time."""
        match statement.aim:
            case Aim.SET | Aim.RESET:
                return self._set(statement)
            case Aim.SHOW:
                return self._shown(statement)
            case Aim.BEGIN | Aim.COMMIT | Aim.ROLLBACK:
                return self._transaction(statement)
            case Aim.FETCH | Aim.CLOSE:
                return self._cursors(statement)
            case Aim.DISCARD:
                self.variables.reset()
                self.statements.clear()
                self.portals.clear()
                return Outcome("DISCARD ALL")
            case Aim.DEALLOCATE:
                name = statement.said.words[-1]
                if name.says("all"):
                    self.statements.clear()
                else:
                    self.statements.pop(name.name, None)
                return Outcome("DEALLOCATE")
            case _:
                return Outcome(statement.said.words[0].text.upper())

    # --- questions -------------------------------------------------------------------------------------------------

    @property
    def _errors(self) -> str:
        return self.variables.prices.get("errors") or "columns"

    def _sources(self, statement: Prepared) -> tuple[Mapping[str, str], ...]:
        return statement.options, self.variables.prices, self._price

    def _quoted(self, statement: Prepared, sources: tuple[Mapping[str, str], ...]) -> Outcome:
        inner = self.read(statement.said)
        if inner.aim is Aim.QUESTION:
            lines = self._asker.quote(statement.said.text, sources)
        else:
            lines = ["It names no protected table: nothing is charged."]
        return Outcome("EXPLAIN", _PLAN, [(line,) for line in lines])

    def _session(self) -> Session:
        settings = dict(self.variables.listed())
        return Session(self._account, self._database, self._number, settings, self._views)

    # --- settings --------------------------------------------------------------------------------------------------

    def _set(self, statement: Prepared) -> Outcome:
        said = statement.said
        if statement.aim is Aim.RESET:
            name, value = named(said, 1), None
            if name == "all":
                self.variables.reset()
                return Outcome("RESET")
        else:
            name, value = assignment(said)
        told = self.variables.set(name, value) if name else None
        return Outcome(said.words[0].text.upper(), before=() if told is None else (parameter(*told),))

    def _shown(self, statement: Prepared) -> Outcome:
        name = named(statement.said, 1)
        name = {"transactionisolationlevel": "transaction_isolation", "timezone": "TimeZone"}.get(name, name)
        if name == "all":
            listed = [(one, value, "") for one, value in self.variables.listed()]
            return Outcome("SHOW", tuple(Column(one, TEXT) for one in ("name", "setting", "description")), listed)
        return Outcome("SHOW", (Column(self.variables.spelled(name), TEXT),), [(self.variables.get(name),)])

    # --- transactions and cursors ----------------------------------------------------------------------------------

    def _transaction(self, statement: Prepared) -> Outcome:
        before: tuple[bytes, ...] = ()
        failed, words = self.state == "E", [word.text.lower() for word in statement.said.words]
        if statement.aim is Aim.BEGIN:
            self.state, self._charged = "T", False
            return Outcome("BEGIN")
        if statement.aim is Aim.ROLLBACK and self._charged:
            before = (notice("A rollback gives nothing back: what was charged stays charged, and its answer known."),)
        if statement.aim is Aim.ROLLBACK and "to" in words:
            self.state = "I" if self.state == "I" else "T"
            return Outcome("ROLLBACK", before=before)
        self.state, self._charged = "I", False
        self.portals = {}
        return Outcome("ROLLBACK" if failed or statement.aim is Aim.ROLLBACK else "COMMIT", before=before)

    def _cursor(self, name: str) -> Outcome:
        found = self.portals.get(name)
        if found is None or found.outcome is None or found.outcome.columns is None:
            raise refuse.unknown_prepared("cursor", name)
        return found.outcome

    def _cursors(self, statement: Prepared) -> Outcome:
        said = statement.said
        if statement.aim is Aim.CLOSE:
            name = said.words[-1].name
            if said.words[-1].says("all"):
                self.portals.clear()
            elif self.portals.pop(name, None) is None:
                raise refuse.unknown_prepared("cursor", name)
            return Outcome("CLOSE CURSOR")
        name, count = fetched(said)
        held = self._cursor(name)
        lines, _ = self.portals[name].next(count) if count != 0 else ([], False)
        return Outcome(f"FETCH {len(lines)}", held.columns, lines)

    def held(self, where: Mapping[str, object], what: str) -> None:
        """Refuse to hold more than a connection may."""
        if len(where) >= MOST_HELD:
            raise refuse.too_many_held(what, MOST_HELD)


def notice(text: str) -> bytes:
    """A sentence beside an answer."""
    return problem(b"N", {"S": "NOTICE", "V": "NOTICE", "C": "00000", "M": text})
