"""Computations: algorithms on sanitised rows that state, before they see any, which losses their output has."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.composition.guarantees.compose import compose
from partita.errors import NotProven
from partita.errors import composition as refuse_composition
from partita.errors import curator as refuse
from partita.exact import Number
from partita.granularity import Users
from partita.granularity.base import Relation
from partita.ledger.canonical import canonical
from partita.ledger.charge import Charge
from partita.live import Live
from partita.mechanisms.base import Event
from partita.query.exact.extract import Extract
from partita.query.language.joined import joined_of
from partita.query.language.text import readable
from partita.query.noise.quote import Promised
from partita.region.columns import Bounded
from partita.region.columns.stepped import Stepped
from partita.sampling.bits import BitSource
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class Sample:
    """The rows a computation works on: sanitised codes, a line for each row in no meaningful order.

    How many lines there are is as secret as what is in them.

    >>> import numpy as np
    >>> from partita import integers
    >>> Sample(np.array([[3], [41]]), (integers(10, 120, missing=10),)).values().ravel().tolist()
    [13.0, 51.0]
    """

    codes: NDArray[np.int64]
    columns: tuple[Bounded, ...]

    def values(self) -> NDArray[np.float64]:
        """The rows in the units of the data, NULL as NaN; codes for columns that hold no numbers.

        >>> from partita.region.columns import decimals
        >>> Sample(np.array([[0], [2], [5]]), (decimals(1, 2, step="0.25"),)).values().ravel().tolist()
        [1.0, 1.5, nan]
        """
        found = self.codes.astype(float)
        for place, column in enumerate(self.columns):
            if isinstance(column, Stepped):
                found[:, place] = (found[:, place] + column.low) * float(column.step)
            if column.null is not None:
                found[self.codes[:, place] == column.null, place] = np.nan
        return found


class Computation(ABC):
    """An algorithm on the rows of one table, private by the releases it says it is made of.

    ``losses`` is fixed beforehand and holds whatever the rows are: the output of ``compute`` is a function of these
    releases, each of them run on whatever the ones before it gave (theory D1, F).

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> from partita.algorithms import ContinualCounter
    >>> visits = Table("visits", [{"day": i % 7} for i in range(700)], {"day": integers(0, 6, missing=0)})
    >>> counter = ContinualCounter(7, rho="0.1", column="day")
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     counts = curator.run(counter, table="visits")
    ...     print(counts.cost)
    ρ = 0.1
    """

    kind: ClassVar[str]
    opens: ClassVar[type[Live] | None] = None
    """What :meth:`compute` gives where that is a live object; nothing else can be opened."""
    columns: tuple[str, ...]

    @abstractmethod
    def parameters(self) -> Mapping[str, object]:
        """What defines the computation, as plain public data: the same parameters are the same question."""

    @abstractmethod
    def losses(self, rows: int, *, changed: bool) -> Sequence[Event]:
        """The releases: events, each a mechanism, how far it moves, and how often it runs.

        They move that far when so many rows enter or leave, or, if ``changed``, when so many become others.
        """

    @abstractmethod
    def compute(self, sample: Sample, *, bits: BitSource | None) -> Any:
        """What is released: plain data for :meth:`Curator.run`, a live object for :meth:`Curator.open`.

        It must not fail, whatever the rows are; if it does, it is run on none instead. A live object derives from
        ``partita.live.Live``, so that it is neither copied nor used by two processes, and is what ``opens`` says.
        """

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:  # noqa: B027
        """Refuse declared columns that it was not made for, before anything is charged; unless it says so, none."""

    @property
    def delta(self) -> Number:
        """The δ at which the cost is read where a promise is in (ε, δ); zero asks for a pure loss."""
        return 0


def charge_for(
    computation: Computation,
    extract: Extract,
    promises: Sequence[Promised],
    *,
    analyst: str = "",
    key: str | None = None,
    nonce: str = "",
) -> Charge:
    """What the ledger books for a computation, before anything is read."""
    condition = readable(extract.where.region)
    parts = [
        {
            "kind": one.mechanism.kind,
            "times": one.count,
            "norm": one.distance.norm.value,
            "power": str(one.distance.power),
            **one.mechanism.parameters(),
        }
        for one in _events(computation, changed=False)
    ]
    # The releases are part of the question: the same parameters at another price are not the same answer.
    joined = joined_of(extract.table)
    question = canonical(
        {
            **({} if joined is None else {"joined": joined.canonical()}),
            "columns": list(extract.columns),
            "computation": computation.kind,
            "nonce": nonce,
            "parameters": dict(computation.parameters()),
            "parts": parts,
            "table": [extract.table.name, extract.table.version],
            "tests": [repr(test) for test in extract.where.tests],
            "where": condition,
        }
    )
    return Charge(
        table=extract.table.name,
        region=extract.where.region,
        costs=tuple(cost_under(computation, extract, promise) for promise in promises),
        mechanism={"parts": parts, "question": question},
        question=hashlib.sha256(question.encode()).hexdigest(),
        asked=f"{computation.kind} of {', '.join(extract.columns)} from {extract.table.name} where {condition}",
        analyst=analyst,
        key=key,
    )


def cost_under(computation: Computation, extract: Extract, promise: Promised) -> Cost:
    """What a computation costs under a promise (computation.proof.md)."""
    if extract.truncation is not None and not isinstance(promise.granularity.single, Users):
        raise refuse.computation_beside_users(computation.kind, str(promise.granularity))
    one = _cost(computation, _events(computation, changed=False), promise.budget, Relation.ADD_REMOVE)
    try:
        substitution = _cost(computation, _events(computation, changed=True), promise.budget, Relation.CHANGE_ONE)
    except NotProven:
        return Cost(one)
    # A row of the region may fail the condition's other tests, so a change may also be an arrival or a departure.
    return Cost(one, one.like([max(parts) for parts in zip(one.vector(), substitution.vector(), strict=True)]))


def _events(computation: Computation, *, changed: bool) -> tuple[Event, ...]:
    """What a computation states for one row."""
    found = tuple(computation.losses(1, changed=changed))
    for one in found:
        if not isinstance(one, Event):
            raise refuse_composition.not_an_event(one)
    return found


def _cost(computation: Computation, losses: Sequence[Event], budget: Measure, relation: Relation) -> Measure:
    """All releases of a computation together, in the measure of a promise."""
    moved = [one for one in losses if one.distance.power and one.count]
    for one in moved:
        if relation not in one.mechanism.relations:
            name = type(one.mechanism).__name__
            raise refuse.computation_not_proven(computation.kind, name, relation.value)
    if not moved:
        return budget.zero()
    if isinstance(budget, Approximate):
        return budget.like(compose(moved, delta=computation.delta, relation=relation).loss().vector())
    return sum((one.cost(type(budget)) for one in moved), start=budget.zero())
