"""What is said of accuracies, batches, plans and reuse that cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from partita.errors.base import BudgetExceeded, InvalidInput
from partita.errors.wording import UNTOUCHED


def no_accuracy() -> InvalidInput:
    """An empty wish says nothing."""
    return InvalidInput(
        "accuracy.no-accuracy",
        'within= names no column. Give one number for all of them, within=50, or one for each: within={"n": 50}.',
    )


def no_such_column(name: str, known: Iterable[str]) -> InvalidInput:
    """A wish for a column that the answer does not have."""
    return InvalidInput(
        "accuracy.no-such-column",
        f"The answer has no noisy column {name!r}, so no accuracy can be wished for it. It has: {', '.join(known)}.",
    )


def needs_rows(name: str) -> InvalidInput:
    """The error of a quotient depends on how many rows it is of."""
    return InvalidInput(
        "accuracy.needs-rows",
        f"How exact {name} is depends on how many rows its group has, and that is not public. Say for groups of which "
        f"size the accuracy shall hold: rows=1000. {UNTOUCHED}",
    )


def error_not_foreseen(name: str, parts: str | None = None) -> InvalidInput:
    """Some errors depend on the data and cannot be promised; those of the parts often can."""
    instead = "" if parts is None else f" The accuracy of its parts can be promised: {parts}."
    return InvalidInput(
        "accuracy.error-not-foreseen",
        f"How exact {name} will be depends on the data, so no accuracy can be promised beforehand. Ask by price: "
        f"epsilon= or rho=.{instead} {UNTOUCHED}",
    )


def needs_floor(name: str) -> InvalidInput:
    """A percentage of nothing is nothing."""
    return InvalidInput(
        "accuracy.needs-floor",
        f"A percentage of {name} has no meaning for values near zero, and how large they are is not public. Say from "
        f"which size on it shall hold, in the units of the column: floor={{{name!r}: 1000}}. {UNTOUCHED}",
    )


def quantile_in_values(name: str) -> InvalidInput:
    """How far off a quantile is in value depends on where the rows lie."""
    return InvalidInput(
        "accuracy.quantile-in-values",
        f"{name} is a quantile: how far off it is in value depends on how densely the rows lie, and that is not "
        f"public. Say how many rows may lie between it and the answer: within={{{name!r}: '20 rows'}}, or within='1%' "
        f"with floor=2000 for groups of at least so many rows. {UNTOUCHED}",
    )


def rows_of_no_quantile(name: str) -> InvalidInput:
    """Rows are what quantiles are counted in."""
    return InvalidInput(
        "accuracy.rows-of-no-quantile",
        f"{name} is not a quantile, so rows do not measure it. Give its accuracy in the units of the column, or as a "
        f"percentage: within={{{name!r}: 50}}. {UNTOUCHED}",
    )


def too_exact(missed: float) -> InvalidInput:
    """No price reaches an accuracy below the rounding to whole units."""
    return InvalidInput(
        "accuracy.too-exact",
        f"No price reaches this accuracy: noisy numbers are whole, and rounding alone makes the error bar {missed:.3g} "
        f"times as long as asked. Allow a wider one. {UNTOUCHED}",
    )


def price_and_accuracy(name: str) -> InvalidInput:
    """Either the price is given and the accuracy follows, or the other way round."""
    return InvalidInput(
        "accuracy.price-and-accuracy",
        f"Give {name}= or within=, not both: a price decides the accuracy, and an accuracy decides the price.",
    )


def wish_without_accuracy(name: str) -> InvalidInput:
    """Details of an accuracy that was not asked for."""
    return InvalidInput(
        "accuracy.wish-without-accuracy",
        f"{name}= belongs to within=, which was not given. Add within=, or leave it out.",
    )


def over_budget(refusal: str, bars: Mapping[str, str]) -> BudgetExceeded:
    """What was asked for by accuracy does not fit; something less exact does."""
    fits = ", ".join(f"{name!r}: {half}" for name, half in bars.items())
    return BudgetExceeded(
        "accuracy.over-budget", f"{refusal} The same question fits with longer error bars: within={{{fits}}}."
    )


# --- batches and plans -----------------------------------------------------------------------------------------


def no_questions() -> InvalidInput:
    """A batch of nothing."""
    return InvalidInput("accuracy.no-questions", "There are no questions to price together. Give a list of them.")


def weights_of_batch(given: int, questions: int) -> InvalidInput:
    """One weight for each question."""
    return InvalidInput(
        "accuracy.weights-of-batch", f"weights= has {given} entries and there are {questions} questions. Give one each."
    )


def several_tables_planned(names: Iterable[str]) -> InvalidInput:
    """A plan is one charge, and a charge is to one table."""
    return InvalidInput(
        "accuracy.several-tables-planned",
        f"A plan is charged to one table, and these questions are about {' and '.join(names)}. Make one plan for each "
        f"table. {UNTOUCHED}",
    )


def no_plan_for(unit: str, reason: str) -> InvalidInput:
    """Granularities for which a plan has no proof, or would be dearer than its questions."""
    return InvalidInput(
        "accuracy.no-plan-for",
        f"A plan cannot be charged to a promise to {unit}: {reason}. Ask its questions one by one. {UNTOUCHED}",
    )


def not_planned(question: object, count: int) -> InvalidInput:
    """A question that the plan does not have."""
    return InvalidInput(
        "accuracy.not-planned",
        f"{question!r} is none of the {count} questions of this plan. Give the place of one, from 0 to {count - 1}, or "
        f"its SQL as it was planned. Nothing new was charged.",
    )


def batch_in_measure(symbol: str) -> InvalidInput:
    """Measures whose price cannot be divided."""
    return InvalidInput(
        "accuracy.batch-in-measure",
        f"A batch under a budget in {symbol} is priced in rho=. {UNTOUCHED}",
    )


# --- consistency -----------------------------------------------------------------------------------------------


def not_nested() -> InvalidInput:
    """Tables that are not margins of one another."""
    return InvalidInput(
        "accuracy.not-nested",
        "These answers cannot be made to agree: none of them is so fine that the groups of all the others are sums of "
        "its groups, over the same rows. Ask for a table by all their keys, or adjust fewer answers.",
    )


def too_many_to_adjust(groups: int, most: int) -> InvalidInput:
    """Least squares over very many groups at once."""
    return InvalidInput(
        "accuracy.too-many-to-adjust",
        f"One of these answers has {groups} groups, and at most {most} are adjusted at once. Adjust answers about "
        f"fewer groups.",
    )


def same_noise() -> InvalidInput:
    """Answers that share their noise are not two accounts of one thing."""
    return InvalidInput(
        "accuracy.same-noise",
        "One of these answers was made from earlier answers, or is there twice, so its noise is not its own and the "
        "error bars would be too short. Adjust the answers it was made from, or ask with reuse=False. Answers of one "
        "batch agree already, but for the rounding of counts.",
    )
