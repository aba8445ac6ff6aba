"""Questions of a connection: described from the plan alone, quoted, and asked, through the service and nothing else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from pydantic import ValidationError

from partita.curator.answers.answer import Answer
from partita.errors import server as refuse_server
from partita.errors import wire as refuse
from partita.exact import probability
from partita.live import Live, alone
from partita.query.answer.kinds import Described
from partita.server.accounts.register import Caller
from partita.server.bodies import Ask, Quote
from partita.server.service import Service
from partita.server.wire.listing import Listing, listing
from partita.server.wire.prices import confidence, wants
from partita.server.wire.values import FLOAT8, OF_KIND, Column
from partita.server.wire.wording import Bar

_REMEMBERED: Final = 512
Options = Mapping[str, str]
_SUFFIXES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "columns": (("_error", "half"),),
    "bounds": (("_low", "low"), ("_high", "high")),
    "none": (),
}


@final
@dataclass(frozen=True, slots=True)
class _Sent:
    """A column that is sent: of which column of the answer, and whether it is its value or something of its bar."""

    of: str
    what: str
    column: Column


@final
@dataclass(frozen=True, slots=True)
class Told:
    """What an answer is to a client: columns, lines, and a sentence about its price."""

    columns: tuple[Column, ...]
    lines: list[tuple[Any, ...]]
    notice: str = ""
    charged: bool = False


@final
class Asker(Live):
    """Asks in the name of one caller, for real or to practise."""

    def __init__(self, service: Service, caller: Caller, *, practice: bool) -> None:
        super().__init__()
        self._service, self._caller, self._practice = service, caller, practice
        self._known: OrderedDict[str, tuple[Described, ...]] = OrderedDict()

    def columns(self, question: str, errors: str, bars: Sequence[Bar] = ()) -> tuple[Column, ...]:
        """The columns that the answer to a question will have; nothing is read or spent."""
        found = self._listed(question)
        return (
            found.columns if found is not None else tuple(one.column for one in self._columns(question, errors, bars))
        )

    def _listed(self, question: str) -> Listing | None:
        curator = self._service.desk(self._caller, practice=self._practice).curator
        return listing(question, {table.name.lower(): table for table in curator.tables})

    def _columns(self, question: str, errors: str, bars: Sequence[Bar]) -> list[_Sent]:
        """The columns that are sent, and what each holds of which column of the answer."""
        described = self._described(question)
        taken = {one.name for one in described}
        found: list[list[_Sent]] = []
        for one in described:
            found.append([_Sent(one.name, "value", Column(one.name, OF_KIND[one.kind]))])
            for suffix, what in _SUFFIXES[errors] if one.noisy else ():
                name = one.name + suffix
                while name in taken:
                    name += "_"
                taken.add(name)
                found[-1].append(_Sent(one.name, what, Column(name, FLOAT8)))
        noisy = {one.name.lower(): one.name for one in described if one.noisy}
        for bar in bars:
            if bar.of.lower() not in noisy:
                raise refuse.no_bar(bar.of, list(noisy.values()))
            found.insert(bar.place, [_Sent(noisy[bar.of.lower()], bar.what, Column(bar.name, FLOAT8))])
        return [one for group in found for one in group]

    @alone
    def _described(self, question: str) -> tuple[Described, ...]:
        found = self._known.pop(question, None)
        if found is None:
            found = self._service.desk(self._caller, practice=self._practice).curator.described(question)
        self._known[question] = found
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def ask(self, question: str, sources: Sequence[Options], errors: str, bars: Sequence[Bar] = ()) -> Told:
        """The answer to a question, charged to the caller."""
        self._unit(sources[0].get("privacy_unit_column"))
        if (known := self._listed(question)) is not None:
            return Told(known.columns, known.lines, known.notice)
        columns, sure = self._columns(question, errors, bars), confidence(sources)
        probability(sure, "confidence")
        body = _body(Ask, question, sources)
        answer = self._service.ask(self._caller, body, sources[0].get("key"), practice=self._practice)
        return Told(
            tuple(one.column for one in columns), _lines(answer, columns, sure), _price(answer), not answer.free
        )

    def quote(self, question: str, sources: Sequence[Options]) -> list[str]:
        """What a question would cost and how exact it would be, in words."""
        self._unit(sources[0].get("privacy_unit_column"))
        if (known := self._listed(question)) is not None:
            return [known.notice]
        sure = confidence(sources)
        offer = self._service.quote(self._caller, _body(Quote, question, sources), practice=self._practice)
        return offer.explain(confidence=probability(sure, "confidence")).splitlines()

    def _unit(self, given: str | None) -> None:
        """Refuse another unit of privacy than the declared one."""
        if given is None:
            return
        owners = {table.owner for table in self._service.real.curator.tables if table.owner is not None}
        if given.lower() not in {one.lower() for one in owners}:
            raise refuse.other_unit(given, next(iter(sorted(owners)), None))


def _body(kind: type[Any], question: str, sources: Sequence[Options]) -> Any:
    try:
        return kind(question=question, **wants(sources))
    except ValidationError as problem:
        place = problem.errors()[0]["loc"]
        raise refuse_server.bad_request(".".join(map(str, place))[:100], "it does not fit") from None


def _lines(answer: Answer, columns: Sequence[_Sent], sure: str) -> list[tuple[Any, ...]]:
    """The lines of an answer, in the columns that were described for it."""
    held = answer.shown.columns
    widths: dict[str, list[float]] = {}
    ends: Mapping[str, Sequence[tuple[float, float]]] = {}
    if any(one.what != "value" for one in columns):
        ends = answer.intervals(sure)
        widths = answer.half_widths(ends)
    count = len(next(iter(held.values()), []))
    nothing: list[Any] = [None] * count
    found: list[list[Any]] = []
    for one in columns:
        match one.what:
            case "value":
                found.append(held.get(one.of, nothing))
            case "half":
                found.append(widths.get(one.of, nothing))
            case _:
                side = 0 if one.what == "low" else 1
                found.append([end[side] for end in ends[one.of]] if one.of in ends else nothing)
        assert len(found[-1]) == count, one.column.name
    return list(zip(*found, strict=True))


def _price(answer: Answer) -> str:
    left = "; ".join(map(str, answer.remaining))
    if answer.free:
        return f"Charged nothing. Left for those whom it is about: {left}."
    return f"Charged {'; '.join(map(str, answer.costs))}. Left for those whom it is about: {left}."
