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
from partita.server.wire.prices import confidence, wants
from partita.server.wire.values import FLOAT8, OF_KIND, Column

_REMEMBERED: Final = 512
Options = Mapping[str, str]
_SUFFIXES: Final = {"columns": ("_error",), "bounds": ("_low", "_high"), "none": ()}


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

    def columns(self, question: str, errors: str) -> tuple[Column, ...]:
        """The columns that the answer to a question will have; nothing is read or spent."""
        return tuple(column for _, column in self._columns(question, errors))

    def _columns(self, question: str, errors: str) -> list[tuple[str, Column]]:
        """For each column that is sent, the column of the answer that it is about."""
        described = self._described(question)
        taken = {one.name for one in described}
        found = []
        for one in described:
            found.append((one.name, Column(one.name, OF_KIND[one.kind])))
            for suffix in _SUFFIXES[errors] if one.noisy else ():
                name = one.name + suffix
                while name in taken:
                    name += "_"
                taken.add(name)
                found.append((one.name, Column(name, FLOAT8)))
        return found

    @alone
    def _described(self, question: str) -> tuple[Described, ...]:
        found = self._known.pop(question, None)
        if found is None:
            found = self._service.desk(self._caller, practice=self._practice).curator.described(question)
        self._known[question] = found
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def ask(self, question: str, sources: Sequence[Options], errors: str) -> Told:
        """The answer to a question, charged to the caller."""
        self._unit(sources[0].get("privacy_unit_column"))
        columns, sure = self._columns(question, errors), confidence(sources)
        probability(sure, "confidence")
        body = _body(Ask, question, sources)
        answer = self._service.ask(self._caller, body, sources[0].get("key"), practice=self._practice)
        return Told(
            tuple(column for _, column in columns), _lines(answer, columns, sure), _price(answer), not answer.free
        )

    def quote(self, question: str, sources: Sequence[Options]) -> list[str]:
        """What a question would cost and how exact it would be, in words."""
        self._unit(sources[0].get("privacy_unit_column"))
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


def _lines(answer: Answer, columns: Sequence[tuple[str, Column]], sure: str) -> list[tuple[Any, ...]]:
    """The lines of an answer, in the columns that were described for it."""
    held = answer.shown.columns
    widths: dict[str, list[float]] = {}
    ends: Mapping[str, Sequence[tuple[float, float]]] = {}
    if any(column.name != of for of, column in columns):
        ends = answer.intervals(sure)
        widths = answer.half_widths(ends)
    count = len(next(iter(held.values()), []))
    nothing: list[Any] = [None] * count
    found: list[list[Any]] = []
    place: dict[str, int] = {}
    for of, column in columns:
        part = place.get(of, 0)
        place[of] = part + 1
        double = sum(1 for one, _ in columns if one == of) == 3
        if part == 0:
            found.append(held.get(of, nothing))
        elif double:
            found.append([end[part - 1] for end in ends[of]] if of in ends else nothing)
        else:
            found.append(widths.get(of, nothing))
        assert len(found[-1]) == count, column.name
    return list(zip(*found, strict=True))


def _price(answer: Answer) -> str:
    left = "; ".join(map(str, answer.remaining))
    if answer.free:
        return f"Charged nothing. Left for those whom it is about: {left}."
    return f"Charged {'; '.join(map(str, answer.costs))}. Left for those whom it is about: {left}."
