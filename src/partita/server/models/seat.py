"""A seat: one language model's account at the service, with a ceiling for each question and a person above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from partita.curator.answers.answer import Answer
from partita.effort import bounded
from partita.errors import models as refuse
from partita.live import Live
from partita.query.language.keys import Opened
from partita.query.noise.quote import Quote as Priced
from partita.query.tables.holding import holds
from partita.server.accounts.register import Caller
from partita.server.allowances import beside
from partita.server.bodies import Ask, Batch, Quote, Reused
from partita.server.desk import Desk
from partita.server.documents import answer_document, offer_document, plain
from partita.server.service import Service
from partita.theory.measures.base import Measure

Document = dict[str, Any]
_TOLD: Final = ("practice", "rows", "free", "about", "left_out", "explanation")


@final
class Seat(Live):
    """What a model may do: look at everything that is free, and spend within the limits that a person set for it.

    ``ceiling`` is the largest cost of one call; what costs more than ``ask_above`` is put to a person first.
    """

    def __init__(
        self,
        service: Service,
        caller: Caller,
        *,
        ceiling: Measure | None = None,
        ask_above: Measure | None = None,
        practice: bool = False,
    ) -> None:
        super().__init__()
        self._service, self._caller, self._practice = service, caller, practice
        budget = service.real.curator.promises[0].budget
        self._ceiling, self._ask_above = beside(ceiling, budget), beside(ask_above, budget)

    # --- looking: free ---------------------------------------------------------------------------------------------

    def describe(self) -> Document:
        """What may be asked about, who is protected, and what is left."""
        curator = self._desk.curator
        return self._plain(
            {
                "tables": [
                    {
                        "table": one.name,
                        "one_row_belongs_to": one.owner,
                        "columns": [
                            {"column": name, "kind": column.kind, "holds": holds(column)}
                            for name, column in one.columns.items()
                        ],
                    }
                    for one in curator.tables
                ],
                "public_tables": [
                    {"table": one.name, "joined_on": one.key, "columns": list(one.columns)} for one in curator.public
                ],
                "promises": [
                    {"protected": str(one.granularity), "budget": str(one.budget)} for one in curator.promises
                ],
                "most_a_call_may_cost": None if self._ceiling is None else str(self._ceiling),
                "a_person_is_asked_above": None if self._ask_above is None else str(self._ask_above),
                **self._balance(),
            }
        )

    def left(self, where: str | None = None, table: str | None = None) -> Document:
        """What this account may still spend, on everybody or on those whom a condition names."""
        return self._plain(self._balance(where, table))

    def quote(self, **fields: Any) -> Document:
        """What a question would cost and how exact it would be."""
        body = Quote(**fields)
        offer = self._service.quote(self._caller, body, practice=self._practice)
        found = offer_document(offer, bars=body.bars, explain=body.explain, practice=self._practice)
        told = {name: found[name] for name in ("practice", "fits", "free", "about", "left_out", "bars", "read_as")}
        return self._plain(
            {**told, **_costs(offer.costs), "left": _texts(offer.remaining), **self._allowed(offer.costs)}
        )

    def quote_plan(self, **fields: Any) -> Document:
        """What questions would cost together, and apart."""
        body = Batch(**fields)
        found = self._service.batch(self._caller, body, practice=self._practice)
        bars = [{"confidence": one, "half_widths": found.error(one)} for one in body.bars]
        told = {**_costs(found.costs), "apart": _texts(found.apart), "fits": found.fits, "bars": bars}
        return self._plain({**told, **self._allowed(found.costs)})

    def reuse(self, question: str) -> Document:
        """The most exact answer that follows from what was released already."""
        body = Reused(question=question)
        found = self._desk.curator.reused(body.question, analyst=self._caller.account)
        return self._plain({"answer": None if found is None else self._answer(found, ["0.95"])})

    def receipt(self, number: int) -> Document:
        """The signed receipt of an answer of this account."""
        return self._plain(self._desk.receipt(self._caller, number).document())

    def explain(self) -> Document:
        """What is promised to everybody in the data, in words: what an attacker could learn at most."""
        return {"promises": [str(one) for one in self._desk.curator.guarantee()]}

    # --- spending --------------------------------------------------------------------------------------------------

    def to_be_asked(self, fields: Document) -> str | None:
        """What a person has to be asked before this call spends, if anything; refuses what is beyond the ceiling."""
        costs, free = self._price(fields)
        if free or self._practice:
            return None
        if self._ceiling is not None and not costs[0].fits(self._ceiling):
            raise refuse.above_ceiling(str(costs[0]), str(self._ceiling))
        if self._ask_above is None or costs[0].fits(self._ask_above):
            return None
        asked = fields.get("questions") or [fields["question"]]
        return f"{self._caller.account} wants to spend {costs[0]} on:\n" + "\n".join(map(str, asked)) + "\nMay it?"

    def ask(self, **fields: Any) -> Document:
        """The answer to a question, charged to this account."""
        body = Ask(**fields)
        answer = self._service.ask(self._caller, body, body.key, practice=self._practice)
        return self._plain(self._answer(answer, body.bars, explain=body.explain))

    def ask_plan(self, **fields: Any) -> Document:
        """The answers to questions that are charged together."""
        body = Batch(**fields)
        _, plan = self._service.plan(self._caller, body, practice=self._practice)
        answers = [self._answer(one, body.bars) for one in plan.answers()]
        return self._plain({**_costs(plan.costs), "free": plan.free, "answers": answers, **self._balance()})

    # --- what these share ------------------------------------------------------------------------------------------

    @property
    def _desk(self) -> Desk:
        return self._service.desk(self._caller, practice=self._practice)

    def _price(self, fields: Document) -> tuple[Sequence[Measure], bool]:
        if "questions" in fields:
            return self._service.batch(self._caller, Batch(**fields), practice=self._practice).costs, False
        asked = {name: value for name, value in fields.items() if name not in ("key", "batch")}
        offer = self._service.quote(self._caller, Quote(**asked), practice=self._practice)
        return offer.costs, offer.free

    def _allowed(self, costs: Sequence[Measure]) -> Document:
        """Whether a call at this price is within the ceiling, and whether a person will be asked."""
        asked = self._ask_above is not None and not costs[0].fits(self._ask_above)
        return {"allowed": self._ceiling is None or costs[0].fits(self._ceiling), "a_person_is_asked": asked}

    def _balance(self, where: str | None = None, table: str | None = None) -> Document:
        with bounded():
            found = self._desk.curator.remaining(where, table=table, analyst=self._caller.account)
        return {"practice": self._practice, "left": _texts(found)}

    def _answer(self, answer: Answer, bars: Sequence[str], *, explain: bool = False) -> Document:
        desk = self._desk
        found = answer_document(
            answer,
            bars=bars,
            explain=explain,
            practice=self._practice,
            shown=lambda receipt: desk.shown(self._caller, receipt),
        )
        lengths = [{name: one[name] for name in ("confidence", "half_widths", "rows_between")} for one in found["bars"]]
        open_keys = any(_opened(one) for one in (answer.quote, *answer.beside))
        texts = [one["name"] for one in found["columns"] if one["type"] == "text"] if open_keys else []
        told: Document = {name: found[name] for name in _TOLD if name in found}
        return {
            **told,
            "bars": lengths,
            **_costs(answer.costs),
            "left": _texts(answer.remaining),
            "receipts": [receipt["seq"] for receipt in found["receipts"]],
            "texts_from_rows": texts,
        }

    def _plain(self, document: Document) -> Document:
        found = plain(document)
        assert isinstance(found, dict)
        return found


def _costs(costs: Sequence[Measure]) -> Document:
    """What a call costs under each promise, in words."""
    return {"costs": _texts(costs)}


def _texts(found: Sequence[Measure | None]) -> list[str | None]:
    return [None if one is None else str(one) for one in found]


def _opened(quote: Priced) -> bool:
    """Whether some keys of an answer are texts that nobody listed."""
    return any(isinstance(key, Opened) for key in quote.plan.keys)
