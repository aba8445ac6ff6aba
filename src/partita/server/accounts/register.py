"""The register: which tokens are valid now and whose they are, read from the acts of the ledger."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum, unique
from typing import Any, Final, final

from partita.errors import server as refuse
from partita.ledger.acts import Act
from partita.ledger.book.book import Clock, system_clock
from partita.ledger.ledger import Ledger
from partita.live import Live, alone
from partita.server.accounts.scram import NOBODY, Verifier
from partita.server.accounts.tokens import LONGEST, digest, fresh, number

MOST_DAYS: Final = 3650
_NAME: Final = re.compile(r"[A-Za-z0-9._@+-]{1,100}")
_NOBODY: Final = "0" * 64


@unique
class Role(StrEnum):
    """What an account is for."""

    CUSTODIAN = "custodian"  # decides: accounts, approvals, budgets; sees everything
    ANALYST = "analyst"  # asks; sees what it asked itself, and joint balances
    AUDITOR = "auditor"  # reads everything, changes nothing


@final
@dataclass(frozen=True, slots=True)
class Token:
    """A token as the register knows it: whose it is, until when, and whether it was revoked."""

    number: str
    account: str
    role: Role
    digest: str
    made: str
    expires: str | None
    by: str
    revoked: bool = False
    verifier: Verifier | None = field(default=None, repr=False)
    """What checks a proof of it; tokens that were made before there was one are sent whole."""

    def valid(self, now: datetime) -> bool:
        """Whether it lets anybody in at this time."""
        return not self.revoked and (self.expires is None or now < datetime.fromisoformat(self.expires))


@final
@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking, and with which token."""

    account: str
    role: Role
    token: str


@final
class Register(Live):
    """Accounts and tokens of a ledger; other processes may give out and revoke while it is open.

    A clock that goes back makes no token valid again.
    """

    def __init__(self, ledger: Ledger, clock: Clock = system_clock) -> None:
        super().__init__()
        self._ledger, self._clock = ledger, clock
        self._tokens: dict[str, Token] = {}
        self._approved: set[str] = set()
        self._seen = 0
        self._latest = datetime.min.replace(tzinfo=UTC)

    @alone
    def caller(self, text: str) -> Caller | None:
        """Whose token this is; None for a wrong, expired, revoked or malformed one, whichever it is."""
        found = digest(text[:LONGEST])
        self._follow()
        token = self._tokens.get(found)
        same = hmac.compare_digest(found, _NOBODY if token is None else token.digest)
        if token is None or not same or len(text) > LONGEST or not token.valid(self._now()):
            return None
        return Caller(token.account, token.role, token.number)

    @alone
    def proven(self, account: str, said: bytes, proof: bytes) -> tuple[Caller, bytes] | None:
        """Who proves to have a token of this account, and what proves to them that the server knows it.

        Every token is tried whoever asks, so that the time tells nothing of which accounts there are.
        """
        self._follow()
        found: Token | None = None
        for token in self._tokens.values():
            known = NOBODY if token.verifier is None else token.verifier
            fits = known.proves(said, proof)
            if fits and known is not NOBODY and token.account == account and token.valid(self._now()):
                found = token
        if found is None or found.verifier is None:
            return None
        return Caller(found.account, found.role, found.number), found.verifier.signature(said)

    @alone
    def holder(self, number: str) -> Caller | None:
        """Whose token has this number, if it lets anybody in now."""
        self._follow()
        for token in self._tokens.values():
            if token.number == number and token.valid(self._now()):
                return Caller(token.account, token.role, token.number)
        return None

    @alone
    def seat(self, account: str) -> Caller | None:
        """What an account may do whose name somebody else vouches for: what its newest valid token lets it do."""
        self._follow()
        now = self._now()
        valid = [token for token in self._tokens.values() if token.account == account and token.valid(now)]
        return Caller(valid[-1].account, valid[-1].role, valid[-1].number) if valid else None

    @alone
    def tokens(self) -> list[Token]:
        """All tokens that ever were given out, oldest first."""
        self._follow()
        return list(self._tokens.values())

    @alone
    def valid(self, token: Token) -> bool:
        """Whether a token lets anybody in now."""
        return token.valid(self._now())

    @alone
    def approved(self, request: str) -> bool:
        """Whether the custodian has approved this request."""
        self._follow()
        return request in self._approved

    # --- what a custodian decides ----------------------------------------------------------------------------------

    @alone
    def give(self, account: str, role: object, *, days: int | None = None, by: str) -> tuple[str, Token]:
        """A new token for an account, which is new with its first; the text is shown here and never again."""
        text, given = fresh(), checked_role(role)
        checked_account(account)
        what = _given(account, given, text, self._until(days), by)

        def decision(acts: Sequence[Act]) -> list[dict[str, object]]:
            for token in read(acts).values():
                if token.account == account and token.role is not given:
                    raise refuse.other_role(account, token.role, given)
            return [what]

        self._ledger.decide(decision)
        return text, self._found(text)

    @alone
    def rotate(self, token: str, *, days: int | None = None, by: str, longer: bool = True) -> tuple[str, Token]:
        """A new token in the place of one that ends with it, in one step; not ``longer`` ends no later than that."""
        text, until = fresh(), self._until(days)

        def decision(acts: Sequence[Act]) -> list[dict[str, object]]:
            old = self._revocable(acts, token)
            end = until if longer else _earlier(until, old.expires)
            return [_given(old.account, old.role, text, end, by), _revoked(old, by)]

        self._ledger.decide(decision)
        return text, self._found(text)

    @alone
    def revoke(self, token: str, *, by: str) -> None:
        """Let a token in no more, from the next request on."""
        self._ledger.decide(lambda acts: [_revoked(self._revocable(acts, token), by)])

    @alone
    def approve(self, request: str, *, analyst: str, by: str, yes: bool) -> None:
        """Let a request be charged that was too dear to be charged at once, or refuse it; either stands in the book."""
        act = "approve" if yes else "decline"
        self._ledger.decide(lambda _: [{"act": act, "request": request, "analyst": analyst, "by": by}])

    # --- inside ----------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        for act in self._ledger.acts(after=self._seen):
            take(self._tokens, act)
            if act.what.get("act") == "approve":
                self._approved.add(str(act.what.get("request")))
            self._seen = act.seq

    def _now(self) -> datetime:
        self._latest = max(self._latest, _aware(self._clock()))
        return self._latest

    def _until(self, days: int | None) -> str | None:
        if days is None:
            return None
        if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
            raise refuse.bad_days(days)
        return (self._now() + timedelta(days=days)).isoformat(timespec="seconds")

    def _found(self, text: str) -> Token:
        self._follow()
        return self._tokens[digest(text)]

    def _revocable(self, acts: Sequence[Act], wanted: str) -> Token:
        for token in read(acts).values():
            if token.number == wanted and not token.revoked:
                return token
        raise refuse.unknown_token(wanted)


def checked_account(name: object) -> str:
    """A name that an account may have."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise refuse.bad_account(name)
    return name


def checked_role(role: object) -> Role:
    """The role of this name."""
    if role not in list(Role):
        raise refuse.unknown_role(role, tuple(Role))
    return Role(str(role))


def read(acts: Sequence[Act]) -> dict[str, Token]:
    """The tokens that acts speak of, by digest, oldest first."""
    found: dict[str, Token] = {}
    for act in acts:
        take(found, act)
    return found


def take(tokens: dict[str, Token], act: Act) -> None:
    """Take in one act; what another version wrote is left alone."""
    known: Mapping[str, Callable[[dict[str, Token], Act], None]] = {"token": _take_token, "revoke": _take_revocation}
    taken = known.get(str(act.what.get("act")))
    if taken is not None:
        taken(tokens, act)


def _take_token(tokens: dict[str, Token], act: Act) -> None:
    what: Mapping[str, Any] = act.what
    role, found, expires = what.get("role"), str(what.get("digest")), what.get("expires")
    if role in list(Role):
        until = None if expires is None else str(expires)
        account, by = str(what.get("account")), str(what.get("by"))
        tokens[found] = Token(
            number(found), account, Role(str(role)), found, act.at, until, by, verifier=Verifier.read(what.get("scram"))
        )


def _take_revocation(tokens: dict[str, Token], act: Act) -> None:
    found = str(act.what.get("digest"))
    if found in tokens:
        tokens[found] = replace(tokens[found], revoked=True)


def _given(account: str, role: Role, text: str, until: str | None, by: str) -> dict[str, object]:
    kept = {"digest": digest(text), "scram": Verifier.of(account, text).text()}
    return {"act": "token", "account": account, "role": role.value, **kept, "expires": until, "by": by}


def _revoked(token: Token, by: str) -> dict[str, object]:
    return {"act": "revoke", "account": token.account, "digest": token.digest, "by": by}


def _earlier(one: str | None, other: str | None) -> str | None:
    """The earlier of two ends; None is no end."""
    ends = [end for end in (one, other) if end is not None]
    return min(ends, key=datetime.fromisoformat, default=None)


def _aware(now: datetime) -> datetime:
    return now if now.tzinfo is not None else now.replace(tzinfo=UTC)
