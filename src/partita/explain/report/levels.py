"""The questions of an evaluator, level by level in the order of NIST SP 800-226, and what this ledger answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from partita.explain.facts import Facts
from partita.explain.numbers import short
from partita.explain.report.about import About
from partita.granularity import Granularity, Relation, Replace, Users
from partita.ledger.birth import Terms
from partita.ledger.reports.report import Balance

UNSAID = "Not said by the custodian."


@final
@dataclass(frozen=True, slots=True)
class Point:
    """One thing to be answered, and the answer."""

    asks: str
    answer: str


@final
@dataclass(frozen=True, slots=True)
class Level:
    """One level of the evaluation; each rests on those below it."""

    title: str
    points: tuple[Point, ...]


def levels(terms: Terms, balances: Sequence[Balance], facts: Sequence[Facts], about: About) -> tuple[Level, ...]:
    """The pyramid from the top: the guarantee, then what it rests on, then how the data came about."""
    units = [balance.promise.granularity for balance in balances]
    return (
        Level("The guarantee: ε, δ and the unit of privacy", tuple(_top(balances, facts))),
        Level("Algorithms: correctness and sensitivity", tuple(_algorithms())),
        Level("Utility and bias", tuple(_utility(units))),
        Level(
            "Trust model",
            (
                Point("Who is trusted?", about["actors"] or _TRUST),
                Point("Central or local?", "Central: noise is added by the curator, which sees the data."),
                Point("Is it assumed that analysts do not collude?", "No. All of them together have one joint budget."),
            ),
        ),
        Level("Implementation", tuple(_implementation())),
        Level("Security and access", (Point("How are machine, ledger and key kept?", about["security"] or UNSAID),)),
        Level(
            "Data collection",
            (
                Point("How were the data collected, and who sees the raw table?", about["data_collection"] or UNSAID),
                Point("What was done to the data before?", about["preprocessing_and_tuning"] or UNSAID),
            ),
        ),
    )


def hazards(terms: Terms, balances: Sequence[Balance], facts: Sequence[Facts], about: About) -> tuple[Point, ...]:
    """What commonly goes wrong, and how it stands here, one by one."""
    units = [balance.promise.granularity for balance in balances]
    owners = any(isinstance(unit.single, Users) for unit in units)
    large = [f"ε = {fact.epsilon:.3g}" for fact in facts if fact.epsilon > 5]
    return (
        Point(
            "The unit is too small (an event, where a person has many)",
            "Owners are protected with all rows that are kept of them."
            if owners
            else "The unit is one row. A person with several rows is protected less: by the rule for groups.",
        ),
        Point(
            "ε is too large, or reset",
            (f"Large: {', '.join(large)}. By itself so large an ε protects little. " if large else "")
            + "Budgets are fixed at the ledger's birth and are never raised or refreshed.",
        ),
        Point("Contributions are unbounded", "Every value is clamped to declared bounds; rows of owners are capped."),
        Point(
            "Tuning is not accounted for",
            about["preprocessing_and_tuning"]
            or "Bounds, lists, caps and budgets are declared; whether data was looked at for them, the "
            "custodian must say.",
        ),
        Point(
            "Sensitivity is wrong",
            "Distances follow from the declared domain by interval arithmetic, proven and tested.",
        ),
        Point(
            "Floating point", "Data and noise are whole numbers on a public lattice; no float reaches a released value."
        ),
        Point(
            "Side channels",
            "Errors, prices, order and stored answers do not depend on data. Response time may, unless the custodian "
            "set a pace.",
        ),
        Point(
            "Releases are composed carelessly",
            "Everything ever released from these tables through this ledger is in it, charged before it was read. What "
            "was published in other ways is not.",
        ),
        Point("Exact quantities beside the noisy ones", "Listed under unprotected quantities."),
        Point(
            "Clipping and later processing bias results",
            "Values outside their bounds are moved to the nearer one, and rows beyond an owner's cap are "
            "left out: error "
            "bars do not show that. Negative counts are kept.",
        ),
        Point(
            "δ against the number of people",
            _delta(facts, about.people),
        ),
    )


def limitations(units: Sequence[Granularity]) -> tuple[str, ...]:
    """What a reader must know before relying on the promises."""
    found = [
        "Bounds and lists must be public knowledge. One that was looked up in the data tells about the people in it.",
        "The same rows behind a second ledger have a second budget, and the losses add up.",
        (
            "What follows from the population is not protected: that smokers fall ill more often can be learned about "
            "a smoker who is not in the table."
        ),
        "Beliefs are bounded given all other records. Where records depend on each other, protect the group.",
        "Error bars are for the noise alone, not for clamping, truncation or sampling.",
        "The time of a query can depend on data. Unless a pace is set, whoever has a clock can learn from that.",
        "The ledger shows when it was altered or taken back, to whoever keeps its anchor elsewhere; not more.",
    ]
    if any(unit.single == Replace() or unit.relation is Relation.CHANGE_ONE for unit in units):
        found.append(
            "Where values change, the number of rows is public: nothing is promised about whether a row is there."
        )
    if any(isinstance(unit.single, Users) for unit in units):
        found.append(
            "Of owners with more rows than the cap, results are about the rows that are kept, so they are biased."
        )
        found.append("One person under two identifiers is two owners.")
    return tuple(found)


def unprotected(terms: Terms, about: About) -> tuple[str, ...]:
    """What is public by declaration, whatever the data are."""
    found = [
        "The promises, their budgets, and how much is spent and left.",
        "The questions, their regions and prices, who asked them and when.",
    ]
    for name, domain in terms.tables.items():
        listed = ", ".join(domain.columns)
        found.append(f"Table {name}: its columns ({listed}), their bounds, lists and missing values.")
    if any(promise.granularity.relation is Relation.CHANGE_ONE for promise in terms.promises):
        found.append("The number of rows, under promises where values change.")
    if about["unprotected_quantities"]:
        found.append(about["unprotected_quantities"])
    return tuple(found)


_TRUST = (
    "The custodian, the machine and the engine are trusted. Analysts are not: they choose every question "
    "after seeing all "
    "earlier answers, and share what they see."
)


def _top(balances: Sequence[Balance], facts: Sequence[Facts]) -> list[Point]:
    found = []
    for balance, fact in zip(balances, facts, strict=True):
        unit = balance.promise.granularity
        bounded = "bounded: values change" if unit.relation is Relation.CHANGE_ONE else "unbounded: added or removed"
        at = f" at δ = {short(fact.delta)}" if fact.delta else ""
        found.append(Point("What is the unit of privacy?", f"{str(unit).capitalize()} ({bounded})."))
        found.append(Point("How large are ε and δ?", f"{balance.promise.budget}; read as ε = {fact.epsilon:.4g}{at}."))
    found.append(Point("What is it spent on?", "Everything that was ever released, listed below; nothing is refunded."))
    return found


def _algorithms() -> list[Point]:
    return [
        Point(
            "Are the mechanisms proven?",
            "Each has its proof beside its code; code that changes without it fails the build.",
        ),
        Point(
            "Is the sensitivity right for what is executed?",
            "Rows are mapped into the public domain first, NULL and casts included.",
        ),
        Point(
            "Was it tested?", "`partita audit` tries to refute every claim, also of a configuration on made-up data."
        ),
    ]


def _utility(units: Sequence[Granularity]) -> list[Point]:
    capped = any(isinstance(unit.single, Users) for unit in units)
    return [
        Point("How exact are results?", "Every answer carries an error bar; the noise is public."),
        Point(
            "What biases them?", "Clamping to declared bounds" + ("; rows beyond an owner's cap." if capped else ".")
        ),
    ]


def _implementation() -> list[Point]:
    return [
        Point("Floating point?", "None in released values; noise is exact, from bits of the operating system."),
        Point(
            "Side channels?",
            "Errors, prices, order, caching and rollback are covered; response time only where a pace is set. "
            "Whether one is, the ledger does not say.",
        ),
        Point(
            "What if something fails?", "A charge is durable before data is read, and stands whatever fails after it."
        ),
    ]


def _delta(facts: Sequence[Facts], people: int | None) -> str:
    largest = max((fact.delta for fact in facts), default=0.0)
    if not largest:
        return "There is no δ."
    if people is None:
        return (
            f"δ = {short(largest)}. The custodian has not said how many people there are; it must be far below"
            " one over that."
        )
    most = 1 / (100 * people)
    word = "small enough" if largest <= most * (1 + 1e-9) else "TOO LARGE"
    return f"δ = {short(largest)} for at least {people:,} people: {word} (at most {short(most)} is advised)."
