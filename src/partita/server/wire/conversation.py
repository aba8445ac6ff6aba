"""One conversation with a client: its messages in order, each answered; a refusal ends a statement and nothing else."""

from __future__ import annotations

import asyncio
import base64
import hmac
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar, final

import anyio.to_thread

from partita.errors import LedgerFault, PartitaError
from partita.errors import server as refuse_server
from partita.errors import wire as refuse
from partita.server.accounts.register import Caller
from partita.server.log import failed, note
from partita.server.wire import messages
from partita.server.wire.authentication import OFFER, Exchange
from partita.server.wire.endpoint import Endpoint
from partita.server.wire.line import Gone, Line
from partita.server.wire.messages import Fields
from partita.server.wire.performing import Performer
from partita.server.wire.prepared import Outcome, Portal, Prepared, spread_forms
from partita.server.wire.scanner import sentences
from partita.server.wire.statements import Aim
from partita.server.wire.states import state_of
from partita.server.wire.values import written

MOST_STATEMENTS: Final = 100
"""Statements in one text."""
_OPENING: Final = 10_000
_EARLY: Final = 4_000
_CHUNK: Final = 64 * 1024
PRACTICE: Final = "practice"
"""The name of the database where nothing is real."""

Made = TypeVar("Made")


@final
class Conversation:
    """What is said on one line, from its first byte to its last."""

    def __init__(self, line: Line, endpoint: Endpoint) -> None:
        self._line, self._endpoint = line, endpoint
        self._settings = endpoint.service.settings
        self._cancel = asyncio.Event()
        self._skipping = False
        self._said: list[bytes] = []
        self._caller: Caller | None = None
        self.number, self.secret = endpoint.enter(self)

    async def talk(self) -> None:
        """Talk until one of the two goes away."""
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                performer = await self._begin()
            if performer is not None:
                await self._talk(performer)
        except Gone:
            pass
        except _LetInNoMore:
            assert self._caller is not None
            self._last(refuse.not_let_in(self._caller.account))
        except TimeoutError:
            self._last(refuse.too_slow(self._settings.body_seconds))
        except PartitaError as refusal:
            self._last(refusal)
        except Exception as error:  # noqa: BLE001 - the words of a failure must not depend on what failed
            failed("wire fault", error)
            self._last(refuse_server.fault())
        finally:
            self._endpoint.leave(self)
            self._line.close()

    def cancel(self) -> None:
        """Stop waiting for what is under way."""
        self._cancel.set()

    # --- the beginning ---------------------------------------------------------------------------------------------

    async def _begin(self) -> Performer | None:
        """Who is there: the first messages, up to the first that is ready for a statement."""
        for _ in range(4):
            fields = Fields(await self._line.opening(_OPENING))
            code = fields.long()
            if code == messages.SSL_REQUEST and not self._line.secure:
                fields.end()
                if self._endpoint.tls is None:
                    self._line.write(b"N")
                    continue
                self._check_empty()
                self._line.write(b"S")
                await self._line.encrypt(self._endpoint.tls, self._settings.body_seconds)
            elif code == messages.GSS_REQUEST:
                fields.end()
                self._line.write(b"N")
            elif code == messages.CANCEL_REQUEST:
                self._endpoint.cancel(fields.long() & 0xFFFFFFFF, fields.long() & 0xFFFFFFFF)
                return None
            elif code >> 16 == 3:
                return await self._signed_in(fields, code & 0xFFFF)
            else:
                raise refuse.malformed("another version is spoken")
        raise refuse.malformed("it does not begin")

    def _check_empty(self) -> None:
        if self._line.waiting:
            raise refuse.malformed("something was sent before TLS began")

    async def _signed_in(self, fields: Fields, minor: int) -> Performer:
        given: dict[str, str] = {}
        while (name := fields.text()) != "":
            given[name] = fields.text()
        fields.end()
        if self._endpoint.tls_only and not self._line.secure:
            raise refuse.needs_tls()
        unknown = [name for name in given if name.startswith("_pq_.")]
        if minor or unknown:
            count = len(unknown).to_bytes(4, "big")
            self._line.write(messages.message(b"v", b"\0\3\0\0", count, *(messages.text(name) for name in unknown)))
        account = given.get("user", "")
        caller = await self._proven(account)
        self._caller = caller
        practice = given.get("database", "") == PRACTICE
        made = await self._working(partial(self._endpoint.performer, caller, given, self.number, practice=practice))
        self._line.write(messages.authentication(0))
        for name, value in made.variables.told.items():
            self._line.write(messages.parameter(name, value))
        self._line.write(messages.key_data(self.number, self.secret) + messages.ready("I"))
        note("wire", account=caller.account)
        return made

    async def _proven(self, account: str) -> Caller:
        """Who proves to have a token; anything else has one answer."""
        if not self._endpoint.rates.taken(f"address {self._line.address}"):
            raise refuse_server.too_many(5)
        exchange = Exchange(account)
        self._line.write(messages.authentication(10, OFFER))
        self._line.write(messages.authentication(11, exchange.challenge(await self._password())))
        said, proof = exchange.proof(await self._password())
        found = await anyio.to_thread.run_sync(self._endpoint.service.register.proven, account, said, proof)
        if found is None:
            raise refuse.not_let_in(account)
        caller, signature = found
        self._line.write(messages.authentication(12, b"v=" + base64.b64encode(signature)))
        return caller

    async def _password(self) -> bytes:
        tag, body = await self._line.message(_EARLY, self._settings.body_seconds)
        if tag != b"p":
            raise refuse.out_of_order(tag.decode("latin-1"))
        return body

    # --- the rest --------------------------------------------------------------------------------------------------

    async def _talk(self, performer: Performer) -> None:
        most = self._settings.body_bytes
        while True:
            tag, body = await self._line.message(most, self._settings.body_seconds)
            if tag == b"X":
                return
            if self._skipping and tag not in b"SQ":
                continue
            try:
                await self._message(performer, tag, Fields(body))
            except PartitaError as refusal:
                self._refused(performer, refusal)
                self._skipping = tag != b"Q"
            except (Gone, _LetInNoMore):
                raise
            except Exception as error:  # noqa: BLE001 - the words of a failure must not depend on what failed
                failed("wire fault", error)
                self._refused(performer, refuse_server.fault())
                self._skipping = tag != b"Q"
            if tag in b"SQ":
                self._skipping = False
                self._tell(messages.ready(performer.state))
                await self._flush()
            elif tag == b"H" or self._skipping or sum(map(len, self._said)) > _CHUNK:
                await self._flush()

    async def _message(self, performer: Performer, tag: bytes, fields: Fields) -> None:
        match tag:
            case b"Q":
                await self._query(performer, fields)
            case b"P":
                await self._parse(performer, fields)
            case b"B":
                self._bind(performer, fields)
            case b"D":
                await self._describe(performer, fields)
            case b"E":
                await self._execute(performer, fields)
            case b"C":
                self._close(performer, fields)
            case b"S" | b"H":
                fields.end()
                if tag == b"S" and performer.state == "I":
                    performer.portals = {}
            case b"d" | b"c" | b"f":
                pass  # what is left of a COPY that was refused
            case _:
                raise refuse.out_of_order(tag.decode("latin-1"))

    async def _query(self, performer: Performer, fields: Fields) -> None:
        text = fields.text()
        fields.end()
        found = await self._working(partial(sentences, text, MOST_STATEMENTS))
        if not found:
            self._tell(messages.EMPTY)
        for said in found:
            statement = await self._working(partial(performer.read, said))
            if statement.wanted:
                raise refuse.parameters_missing(len(statement.wanted), 0)
            outcome = await self._performed(performer, statement)
            self._before(outcome)
            if outcome.columns is not None:
                forms = [0] * len(outcome.columns)
                self._tell(messages.row_description([one.told for one in outcome.columns], forms))
                await self._lines(outcome, outcome.lines, forms)
            self._tell(messages.complete(outcome.tag))

    async def _parse(self, performer: Performer, fields: Fields) -> None:
        name, text = fields.text(), fields.text()
        kinds = [fields.long() for _ in range(fields.short())]
        fields.end()
        found = await self._working(partial(sentences, text, MOST_STATEMENTS))
        if len(found) > 1:
            raise refuse.several_prepared()
        if name and name in performer.statements:
            raise refuse.name_taken("statement", name)
        if name:
            performer.held(performer.statements, "statements")
        if found:
            made = await self._working(partial(performer.read, found[0], kinds))
            performer.allowed(made)
            performer.statements[name] = made
        else:
            performer.statements[name] = _NOTHING
        self._tell(messages.PARSE_COMPLETE)

    def _bind(self, performer: Performer, fields: Fields) -> None:
        portal, name = fields.text(), fields.text()
        forms = [fields.short() for _ in range(fields.short())]
        raw = [fields.value() for _ in range(fields.short())]
        wanted = [fields.short() for _ in range(fields.short())]
        fields.end()
        statement = performer.statements.get(name)
        if statement is None:
            raise refuse.unknown_prepared("statement", name)
        if portal and portal in performer.portals:
            raise refuse.name_taken("portal", portal)
        performer.held(performer.portals, "portals")
        bound = statement if statement is _NOTHING else statement.bound(statement.values(forms, raw))
        performer.portals[portal] = Portal(bound, wanted)
        self._tell(messages.BIND_COMPLETE)

    async def _describe(self, performer: Performer, fields: Fields) -> None:
        kind, name = fields.taken(1), fields.text()
        fields.end()
        if kind == b"S":
            statement = performer.statements.get(name)
            if statement is None:
                raise refuse.unknown_prepared("statement", name)
            self._tell(messages.parameter_description([one.kind for one in statement.wanted]))
            forms: list[int] | tuple[int, ...] = ()
        else:
            portal = performer.portals.get(name)
            if portal is None:
                raise refuse.unknown_prepared("portal", name)
            statement, forms = portal.statement or _NOTHING, list(portal.forms)
            if portal.outcome is not None and portal.outcome.columns is not None:
                known = portal.outcome.columns
                self._tell(messages.row_description([one.told for one in known], spread_forms(forms, len(known))))
                return
        if statement is _NOTHING:
            self._tell(messages.NO_DATA)
            return
        performer.allowed(statement)
        await self._still()
        looking = statement.aim is Aim.CATALOGUE
        found = await self._working(lambda: performer.described(statement), looking=looking)
        if found is None:
            self._tell(messages.NO_DATA)
        else:
            self._tell(messages.row_description([one.told for one in found], spread_forms(forms, len(found))))

    async def _execute(self, performer: Performer, fields: Fields) -> None:
        name, most = fields.text(), fields.long()
        fields.end()
        portal = performer.portals.get(name)
        if portal is None:
            raise refuse.unknown_prepared("portal", name)
        if portal.statement is _NOTHING:
            self._tell(messages.EMPTY)
            return
        if portal.outcome is None:
            assert portal.statement is not None
            portal.outcome = await self._performed(performer, portal.statement)
            self._before(portal.outcome)
        else:
            await self._still()
        outcome = portal.outcome
        if outcome.columns is None:
            self._tell(messages.complete(outcome.tag))
            return
        lines, whole = portal.next(most if most > 0 else None)
        await self._lines(outcome, lines, spread_forms(portal.forms, len(outcome.columns)))
        word = outcome.tag.split(" ")[0]
        tag = f"{word} {len(lines)}" if word in ("SELECT", "FETCH") else outcome.tag
        self._tell(messages.complete(tag) if whole else messages.SUSPENDED)

    def _close(self, performer: Performer, fields: Fields) -> None:
        kind, name = fields.taken(1), fields.text()
        fields.end()
        (performer.statements if kind == b"S" else performer.portals).pop(name, None)
        self._tell(messages.CLOSE_COMPLETE)

    # --- what these share ------------------------------------------------------------------------------------------

    async def _performed(self, performer: Performer, statement: Prepared) -> Outcome:
        performer.allowed(statement)
        await self._still()
        if not performer.works(statement):
            return performer.perform(statement)
        assert self._caller is not None
        if not self._endpoint.rates.taken(f"token {self._caller.token}"):
            raise refuse_server.too_many(5)
        work = performer.work(statement)
        return performer.worked(statement, await self._working(work, looking=statement.aim is Aim.CATALOGUE))

    async def _still(self) -> None:
        """Go on only if the token still lets its account in: nothing is looked up or asked with a revoked one."""
        if not await anyio.to_thread.run_sync(self._endpoint.valid, self._caller):
            raise _LetInNoMore

    async def _working(self, work: Callable[[], Made], *, looking: bool = False) -> Made:
        """Work in a thread of its own; once begun it runs to its end, and whoever cancels only stops waiting.

        Looking something up waits for others who do, and takes no place of a question.
        """
        self._cancel.clear()
        begun = _Begun(work)
        limiter = self._endpoint.looking if looking else self._endpoint.asking
        task = asyncio.ensure_future(anyio.to_thread.run_sync(begun, limiter=limiter))
        self._endpoint.keep(task)
        waiting = asyncio.ensure_future(self._cancel.wait())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            begun.drop()
            raise refuse.cancelled()
        finally:
            waiting.cancel()

    def _before(self, outcome: Outcome) -> None:
        for one in outcome.before:
            self._tell(one)

    async def _lines(self, outcome: Outcome, lines: Sequence[tuple[Any, ...]], forms: list[int]) -> None:
        assert outcome.columns is not None
        kinds = [column.kind for column in outcome.columns]
        for line in lines:
            self._tell(
                messages.data_row(
                    written(value, kind, form) for value, kind, form in zip(line, kinds, forms, strict=True)
                )
            )
            if len(self._said) > 1000:
                await self._flush()

    def _refused(self, performer: Performer, refusal: PartitaError) -> None:
        performer.failed()
        self._tell(self._problem(refusal, "ERROR"))

    def _last(self, refusal: PartitaError) -> None:
        """The last word before a line is closed."""
        with suppress(Gone):
            self._line.write(b"".join(self._said) + self._problem(refusal, "FATAL"))

    def _problem(self, refusal: PartitaError, severity: str) -> bytes:
        text = refusal.message
        ledger = self._endpoint.service.real.curator.ledger.name
        if isinstance(refusal, LedgerFault) and ledger:
            text = text.replace(ledger, "of this server")
        told = {
            "S": severity,
            "V": severity,
            "C": state_of(refusal),
            "M": text,
            "D": f"Code {refusal.code}.",
            "R": refusal.code,
        }
        return messages.problem(b"E", told)

    def _tell(self, data: bytes) -> None:
        self._said.append(data)

    async def _flush(self) -> None:
        if self._said:
            self._line.write(b"".join(self._said))
            self._said.clear()
        await self._line.flush()

    def knows(self, secret: int) -> bool:
        """Whether this is the secret by which it is cancelled."""
        return hmac.compare_digest(self.secret.to_bytes(4, "big"), secret.to_bytes(4, "big"))


@final
class _LetInNoMore(Exception):
    """The token of this conversation was revoked, or has expired."""


@final
class _Begun(Generic[Made]):
    """Work that may be dropped as long as it has not begun."""

    def __init__(self, work: Callable[[], Made]) -> None:
        self._work, self._lock, self._dropped = work, threading.Lock(), False

    def __call__(self) -> Made:
        with self._lock:
            if self._dropped:
                raise refuse.cancelled()
        return self._work()

    def drop(self) -> None:
        """Not to begin it any more."""
        with self._lock:
            self._dropped = True


_NOTHING: Final = Prepared(sentences("SELECT", 1)[0], Aim.NOTHING, {})
"""A statement of no words."""
