"""A whole ledger in plain words: what each of its promises means, and how much of it is used up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from partita.exact import Number
from partita.explain.words import Explanation, Reader, Section, explain
from partita.ledger.book.store import State
from partita.ledger.ledger import Ledger
from partita.ledger.reports.report import Balance, Summary, summary


def explain_ledger(
    ledger: Ledger,
    *,
    people: int | None = None,
    readers: tuple[Reader | str, ...] = tuple(Reader),
    fpr: Number = "0.01",
    compared: bool = False,
) -> tuple[Explanation, ...]:
    """One explanation for each promise of the ledger: of its budget, which is what is promised, not of what is spent.

    >>> from partita.composition.plans.promise import Promise
    >>> from partita.granularity import rows
    >>> from partita.ledger.birth import Terms
    >>> from partita.ledger.opening import open_ledger
    >>> from partita.region import Domain, integers
    >>> from partita.theory.measures.pure import Pure
    >>> terms = Terms([Promise(rows(), Pure(epsilon=1))], {"visits": Domain({"age": integers(0, 120)})})
    >>> with open_ledger(":memory:", terms) as ledger:
    ...     print(explain_ledger(ledger)[0].sections[0])
    The ledger so far
      - No question has been charged yet.
      - ...
    """
    found = summary(ledger, 0)
    return tuple(_explained(found, balance, people, readers, fpr, compared=compared) for balance in found.balances)


def _explained(
    found: Summary,
    balance: Balance,
    people: int | None,
    readers: tuple[Reader | str, ...],
    fpr: Number,
    *,
    compared: bool,
) -> Explanation:
    said = explain(
        balance.promise.budget,
        unit=balance.promise.granularity,
        people=people,
        readers=readers,
        fpr=fpr,
        compared=compared,
        total=True,
    )
    so_far = Section("The ledger so far", tuple(_so_far(found, balance)))
    return replace(said, sections=(so_far, *said.sections))


def _so_far(found: Summary, balance: Balance) -> Iterator[str]:
    charged = sum(found.states.values())
    if not charged:
        yield "No question has been charged yet."
    else:
        unfinished = found.states[State.UNFINISHED] + found.states[State.ABANDONED]
        without = f", {unfinished} of them without an answer, which count all the same" if unfinished else ""
        yield f"{charged:,} {'question was' if charged == 1 else 'questions were'} charged{without}."
    yield (
        f"Nobody has lost more than {balance.spent} so far, where one unit is {balance.promise.granularity}. "
        f"{balance.left} is left for those who lost most."
    )
    yield (
        f"What is promised is the budget, {balance.promise.budget}, whatever is still asked and whoever asks. What is "
        f"spent so far is a fact about the past, not a smaller promise."
    )
    if balance.promise.over_time:
        yield f"Larger budgets may come, as was declared before the first question{balance.promise.over_time}."
    for change in balance.changes:
        yield f"The budget: {change}."
    if balance.lowered is not None:
        yield f"{balance.lowered} is in force now; nobody who has lost more is asked about any further."
    for analyst, limits in found.accounts.items():
        for limit, spent in limits:
            if limit is not None:
                yield f"{analyst} alone has a limit of {limit}; the joint budget holds as well. So far: {spent}."
