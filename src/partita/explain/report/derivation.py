"""Why a promise holds, theorem by theorem, for this very ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from partita.composition.plans.promise import Promise
from partita.explain.facts import Facts
from partita.explain.numbers import short
from partita.granularity import Edges, Granularity, Groups, Metric, Nodes, Persons, Replace, Rows, Users, Windows
from partita.mechanisms.family import family
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One step of the argument, and the theorem it rests on."""

    says: str
    theorem: str


def derivation(promise: Promise, spent: Measure, facts: Facts, noise: Sequence[str]) -> tuple[Step, ...]:
    """The steps from what one release costs to what nobody can lose more than."""
    return tuple(_steps(promise, spent, facts, noise))


def _steps(promise: Promise, spent: Measure, facts: Facts, noise: Sequence[str]) -> Iterator[Step]:
    unit = promise.granularity
    yield Step(
        "Every stored row is mapped, by itself, into the public domain that was declared before the first"
        " question. One "
        "row more or less is one row more or less after that, and no expression can fail or overflow.",
        "A10, E9",
    )
    yield from _units(unit)
    yield from _noises(noise)
    yield Step(
        "A release depends on the rows in its region alone, so it is charged to the record values in that"
        " region and to "
        "no others. The rows that are read and the region that is charged come from the same object.",
        "E9",
    )
    yield Step(_summed(unit), _sum_theorem(unit))
    yield Step(
        f"The sums are filters in {_measure(promise.budget)}: a question is refused before any sum could exceed the "
        f"budget. Filters hold for questions, regions, prices and their number chosen from all earlier answers, by any "
        f"number of analysts together.",
        "D6, E16",
    )
    yield Step(
        f"The largest sum so far is {spent}. The budget is {promise.budget}, and that is what is promised.", "E16"
    )
    yield Step(_read(promise.budget, facts), _read_theorem(promise.budget))


def _noises(noise: Sequence[str]) -> Iterator[Step]:
    """What each mechanism says of its own cost; of those that say nothing no more than how they were charged."""
    stated = {kind.replace("_", " "): one for kind, one in family().items() if one.theorems}
    yield from (Step(stated[kind].argument(), stated[kind].theorems) for kind in noise if kind in stated)
    other = [kind for kind in noise if kind not in stated]
    if other:
        yield Step(
            f"{', '.join(other).capitalize()}: not explained by a theorem of its own here. It was charged in full, "
            "before anything was read, at the cost that is stated by the algorithm that ran it.",
            "D1, F",
        )


def _units(unit: Granularity) -> Iterator[Step]:
    match unit:
        case Groups(size=size):
            yield Step(
                f"A group of {size} is {size} steps; the cost of one step is raised to {size} by the rule "
                "of its measure.",
                "B19, E14",
            )
            yield from _units(unit.of)
        case Users(rows=most, per=per):
            if per is not None:
                yield Step(
                    f"Every {per} of an owner is a unit of its own: all rows in which one and the same declared value "
                    f"is stored. Rows that hold no declared {per} are left out of every question.",
                    "A4a, I11",
                )
            yield Step(
                f"Of every owner at most {most} rows are kept, the same ones in every question, by a key drawn at the "
                f"ledger's birth. An owner is a group of at most {most} rows.",
                "A4, E14",
            )
        case Persons(rows=caps, per=per):
            if per is not None:
                yield Step(
                    f"Every {per} of a person is a unit of its own, in all tables together. Rows that hold no declared "
                    f"{per} are left out of every question. Somebody who is there on w of them may lose w times as "
                    f"much in ε; in ρ and μ², w times the most of them that one release reads.",
                    "A4a, I11",
                )
            kept = ", ".join(f"{cap} of {name}" for name, cap in caps)
            yield Step(
                f"Of every person at most so many rows are kept, the same ones in every question: {kept or 'one'}. "
                f"What is lost through different tables adds up.",
                "I2, I6",
            )
        case _:
            return


def _summed(unit: Granularity) -> str:
    match unit:
        case Rows() | Edges():
            return (
                "The loss of a row is the sum of the charges of all regions that hold its value; the loss of "
                "anybody is the largest such sum."
            )
        case Replace() | Metric():
            return (
                "The loss of a changed row is the sum over all releases of what the change of one value into "
                "another costs; the loss of anybody is the largest sum over pairs of values."
            )
        case Windows(width=width):
            return (
                f"The loss of a window is the sum of what its {width} steps are charged; the loss of anybody "
                "is the largest such sum."
            )
        case Users():
            return (
                "The loss of an owner is the sum of what as many of their rows as are kept are charged, at "
                "the heaviest value."
            )
        case Groups():
            return "The loss of a group is the sum of what its members are charged, at the heaviest value."
        case _:
            return (
                "The loss of one protected unit is the sum of what it is charged; the loss of anybody is the "
                "largest such sum."
            )


def _sum_theorem(unit: Granularity) -> str:
    match unit:
        case Replace() | Metric():
            return "E1, E11"
        case Windows():
            return "E8"
        case Users() | Groups() | Nodes():
            return "E1, E14"
        case _:
            return "E1, E10"


def _measure(budget: Measure) -> str:
    match budget:
        case Pure():
            return "ε"
        case Approximate():
            return "ε and δ"
        case ZCDP():
            return "ρ and δ"
        case GDP():
            return "μ²"
        case _:
            return "the divergences of fixed orders"


def _read(budget: Measure, facts: Facts) -> str:
    at = f" at δ = {short(facts.delta)}" if facts.delta else ""
    return (
        f"Read as one number the budget is ε = {facts.epsilon:.4g}{at}. The whole curve is proven, and "
        "what an attacker "
        f"can do is read from it: at {facts.fpr:.0%} false alarms at most {facts.tpr:.3g} of those in the "
        "data are found."
    )


def _read_theorem(budget: Measure) -> str:
    match budget:
        case Pure():
            return "B1, B21"
        case ZCDP():
            return "B14, B16, B21"
        case GDP():
            return "B13, B21"
        case Approximate():
            return "B2, B21"
        case _:
            return "B15, B21"
