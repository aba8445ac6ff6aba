"""A session over HTTP: the verbs of a curator's session, typed the same, on somebody else's machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self, TypedDict, Unpack, final

from partita.client.answer import RemoteAnswer, read_loss, read_losses
from partita.client.wire import SECONDS, Wire
from partita.errors import client as refuse
from partita.exact import Number, exact
from partita.ledger.receipts.receipts import Receipt
from partita.theory.measures.base import Measure


class RemotePrices(TypedDict, total=False):
    """Keywords for a price."""

    epsilon: Number | None
    rho: Number | None
    mu: Number | None
    delta: Number | None


@final
class RemoteWants(RemotePrices, total=False):
    """All keywords that say what is wanted of an answer, as a curator takes them, and how it is shown."""

    within: Number | Mapping[str, Number] | None
    confidence: Number | None
    floor: Number | Mapping[str, Number] | None
    rows: int | None
    simultaneous: bool
    noise: str | None
    rows_per_user: int | None
    groups_per_user: int | None
    rows_per_group: int | None
    reuse: bool
    shrink: bool
    patience: int
    bars: Sequence[Number]
    explain: bool


@final
@dataclass(frozen=True)
class RemoteQuote:
    """What a question would cost, how exact it would be, and what is left; nothing is spent."""

    document: Mapping[str, Any] = field(repr=False)

    @property
    def cost(self) -> Measure:
        """The price under the first promise."""
        return self.costs[0]

    @property
    def costs(self) -> tuple[Measure, ...]:
        """The price under each promise."""
        return read_losses(self.document["costs"])

    @property
    def remaining(self) -> tuple[Measure, ...]:
        """What those whom it is about can still be charged, for each promise."""
        return read_losses(self.document["remaining"])

    @property
    def fits(self) -> bool:
        """Whether it can be paid now."""
        return bool(self.document["fits"])

    @property
    def free(self) -> bool:
        """Whether it was answered before."""
        return bool(self.document["free"])

    def error(self, confidence: Number = 0.95) -> dict[str, float | None]:
        """The half-width of each column's error bar; None where it depends on the size of a group."""
        known = self.document["bars"]
        for one in known:
            if exact(one["confidence"], "confidence") == exact(confidence, "confidence"):
                found: dict[str, float | None] = one["half_widths"]
                return found
        raise refuse.no_bars(confidence, [one["confidence"] for one in known])

    def explain(self) -> str:
        """The offer in words."""
        return str(self.document["explanation"])

    def __repr__(self) -> str:
        return self.explain()


@final
@dataclass(frozen=True)
class RemotePlan:
    """A plan that is charged: its questions may be asked in any order, at no further charge."""

    number: int
    costs: tuple[Measure, ...]
    free: bool
    count: int
    _remote: Remote = field(repr=False)

    @property
    def cost(self) -> Measure:
        """What the plan was charged for, under the first promise."""
        return self.costs[0]

    def __len__(self) -> int:
        return self.count

    def ask(self, question: int) -> RemoteAnswer:
        """The answer to one question of the plan, by its place."""
        (answer,) = self._remote._planned(self.number, question)
        return answer

    def answers(self) -> list[RemoteAnswer]:
        """The answers to all questions, in the order of the plan."""
        return self._remote._planned(self.number, None)


@final
class Remote:
    """Questions of one account to a server: the verbs of :class:`partita.curator.session.Session`, over HTTP.

    A question that was sent runs to its end on the server, also if the connection is lost: it is charged once, and
    asking again is free.
    """

    def __init__(self, wire: Wire, prefix: str = "/v1") -> None:
        self._wire, self._prefix = wire, prefix

    def practice(self) -> Remote:
        """The practice twin: the same verbs over made-up rows, where asking costs nothing."""
        return Remote(self._wire, "/v1/practice")

    # --- questions -------------------------------------------------------------------------------------------------

    def ask(
        self, question: str, *, key: str | None = None, batch: int | None = None, **wants: Unpack[RemoteWants]
    ) -> RemoteAnswer:
        """Answer a question at a price, or at the least price that reaches an accuracy, or refuse it before reading.

        The keywords are those of ``Curator.ask``. ``bars`` are the confidences whose error bars come with the answer,
        and ``explain`` asks for what it means.
        """
        body = {"question": _text(question), "batch": batch, **_sent(wants)}
        return self._answer(self._wire.post(self._at("ask"), body, key=key))

    def ask_many(self, questions: Sequence[str], **wants: Unpack[RemoteWants]) -> list[RemoteAnswer]:
        """Answer many questions, each as ``ask`` would at this price."""
        body = {"questions": [_text(one) for one in questions], **_sent(wants)}
        return [self._answer(one) for one in self._wire.post(self._at("ask-many"), body)["answers"]]

    def quote(self, question: str, *, key: str | None = None, **wants: Unpack[RemoteWants]) -> RemoteQuote:
        """What a question would cost (asked with this key) and how exact its answer would be; nothing is spent."""
        body = {"question": _text(question), "key": key, **_sent({**wants, "explain": True})}
        return RemoteQuote(self._wire.post(self._at("quote"), body))

    def plan(
        self, questions: Sequence[str], *, weights: Sequence[Number] | None = None, **price: Unpack[RemotePrices]
    ) -> RemotePlan:
        """Fix questions beforehand and charge them at once, by exact composition; ask them later, in any order."""
        found = self._wire.post(self._at("plans"), self._together(questions, weights, price))
        return RemotePlan(found["plan"], read_losses(found["costs"]), found["free"], found["questions"], self)

    def batch(
        self, questions: Sequence[str], *, weights: Sequence[Number] | None = None, **price: Unpack[RemotePrices]
    ) -> Mapping[str, Any]:
        """What questions would cost together and apart, and how exact each would be; nothing is spent."""
        found: Mapping[str, Any] = self._wire.post(self._at("batch"), self._together(questions, weights, price))
        return found

    def reused(self, question: str, *, bars: Sequence[Number] = ("0.95",)) -> RemoteAnswer | None:
        """The most exact answer that follows from what was released already, free; None if nothing tells."""
        body = {"question": _text(question), "bars": [_number(one) for one in bars]}
        found = self._wire.post(self._at("reused"), body)["answer"]
        return None if found is None else self._answer(found)

    def answer(self, number: int, *, bars: Number = "0.95") -> RemoteAnswer:
        """An answer of yours by the number of its entry, as it was given."""
        return self._answer(self._wire.get(self._at(f"answers/{number}"), bars=_number(bars), explain="true"))

    def receipt(self, number: int) -> Receipt:
        """The signed receipt of an answer of yours, by the number of its entry."""
        return Receipt.from_document(self._wire.get(self._at(f"receipts/{number}")))

    # --- standing --------------------------------------------------------------------------------------------------

    def remaining(self, where: str | None = None, *, table: str | None = None) -> tuple[Measure, ...]:
        """What one protected unit can still be charged by your questions, for each promise."""
        return read_losses(self._wire.get(self._at("balances"), where=where, table=table)["yours"])

    def spent(self) -> tuple[Measure, ...]:
        """The largest loss of anybody so far by anybody's questions, for each promise."""
        return read_losses(self._wire.get(self._at("balances"))["spent"])

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The protected tables and what each column may hold."""
        found: list[dict[str, Any]] = self._wire.get(self._at("schema"))["tables"]
        return found

    @property
    def promises(self) -> tuple[tuple[str, Measure], ...]:
        """Who is protected, and by which budget."""
        return tuple(
            (one["unit"], read_loss(one["budget"])) for one in self._wire.get(self._at("promises"))["promises"]
        )

    def guarantee(self) -> list[dict[str, Any]]:
        """What is promised to everybody in the data, in numbers and in words."""
        found: list[dict[str, Any]] = self._wire.get(self._at("guarantee"))["guarantees"]
        return found

    def load_map(self, column_x: str, column_y: str, *, table: str | None = None, promise: int = 0) -> dict[str, Any]:
        """The share of a promise spent on each combination of two columns."""
        found: dict[str, Any] = self._wire.get(self._at("map"), x=column_x, y=column_y, table=table, promise=promise)
        return found

    def ledger(
        self, *, count: int = 50, before: int | None = None, text: str | None = None, analyst: str | None = None
    ) -> dict[str, Any]:
        """Charges that you may see, newest first; ``next`` is where to go on."""
        found: dict[str, Any] = self._wire.get(
            self._at("ledger"), count=count, before=before, text=text, analyst=analyst
        )
        return found

    def verify(self) -> dict[str, Any]:
        """Audit the whole ledger; for custodians and auditors."""
        found: dict[str, Any] = self._wire.get(self._at("verify"))
        return found

    def me(self) -> dict[str, Any]:
        """Whose token this is, and in which role."""
        found: dict[str, Any] = self._wire.get("/v1/me")
        return found

    # --- the object itself -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the connection."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session at {self._wire.url}{', practising' if self._prefix != '/v1' else ''}>"

    # --- inside ----------------------------------------------------------------------------------------------------

    def _at(self, path: str) -> str:
        return f"{self._prefix}/{path}"

    def _answer(self, document: Mapping[str, Any]) -> RemoteAnswer:
        return RemoteAnswer(document, lambda seq: self._wire.get(self._at(f"answers/{seq}"), explain="true"))

    def _planned(self, number: int, question: int | None) -> list[RemoteAnswer]:
        found = self._wire.get(self._at(f"plans/{number}/answers"), question=question)
        return [self._answer(one) for one in found["answers"]]

    def _together(
        self, questions: Sequence[str], weights: Sequence[Number] | None, price: Mapping[str, Any]
    ) -> dict[str, Any]:
        given = None if weights is None else [_number(one) for one in weights]
        return {"questions": [_text(one) for one in questions], "weights": given, **_sent(price)}


def connect(url: str, *, token: str, timeout: float = SECONDS) -> Remote:
    """A session at a server, in the name of whoever holds the token; nothing is sent before the first question.

    >>> with connect("https://partita.example.org", token="partita-as-it-was-shown") as session:
    ...     print(session)
    <Session at https://partita.example.org>
    """
    return Remote(Wire(url, token, timeout=timeout))


def _text(question: object) -> str:
    if not isinstance(question, str):
        raise refuse.not_remote(f"a {type(question).__name__}")
    return question


# Whole numbers and words.
_AS_THEY_ARE: Final = ("rows", "rows_per_user", "groups_per_user", "rows_per_group", "noise")


def _sent(wants: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords as they travel: numbers that decide about privacy as exact text."""
    found: dict[str, Any] = {}
    for name, value in wants.items():
        if value is None or isinstance(value, bool) or name in _AS_THEY_ARE:
            found[name] = value
        elif name == "bars":
            found[name] = [_number(one) for one in value]
        elif isinstance(value, Mapping):
            found[name] = {column: _number(one) for column, one in value.items()}
        else:
            found[name] = _number(value)
    return found


def _number(value: Number) -> str:
    """An exact number as text: what the caller wrote, where it was text.

    >>> _number(0.1), _number("5%"), _number(3)
    ('1/10', '5%', '3')
    """
    return value if isinstance(value, str) else str(exact(value, "number"))
