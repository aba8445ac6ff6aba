"""What is said of prices, noises, accuracies, batches, plans and caps that a question cannot have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from partita.errors.base import BudgetExceeded, InvalidInput, QueryRefused
from partita.errors.wording import UNTOUCHED, shown


def no_price() -> InvalidInput:
    """A question needs a price."""
    return InvalidInput(
        "query.no-price", 'The question has no price. Give one of epsilon=, rho= or mu=, for example rho="0.01".'
    )


def several_prices(names: Iterable[str]) -> InvalidInput:
    """Several prices for one question."""
    return InvalidInput("query.several-prices", f"Give one price, not {' and '.join(names)}.")


def price_not_in_measure(price: str, symbol: str, usable: str) -> InvalidInput:
    """A price in one measure that a promise in another cannot be charged with."""
    return InvalidInput(
        "query.price-not-in-measure",
        f"The promise is kept in {symbol}, and {price} has no proven cost in it. Give {usable}. {UNTOUCHED}",
    )


def delta_without_use(symbol: str) -> InvalidInput:
    """A δ beside a price that buys nothing: this question names no open keys, and the promise takes no δ with noise."""
    return InvalidInput(
        "query.delta-without-use",
        f"delta= buys nothing here. Under a promise kept in {symbol} it only pays for naming the keys of a text_keys() "
        f"column, which this question does not do; beside epsilon= it is for a promise in (ε, δ). Leave it out. "
        f"{UNTOUCHED}",
    )


def unknown_noise(value: object) -> InvalidInput:
    """A noise that is neither Laplace nor Gaussian."""
    return InvalidInput(
        "query.unknown-noise", f'noise = {shown(value)} is unknown. Give "laplace" or "gaussian", or leave it out.'
    )


def noise_not_in_measure(noise: str, symbol: str) -> InvalidInput:
    """A noise without a finite cost in the measure."""
    return InvalidInput(
        "query.noise-not-in-measure",
        f"{noise} noise has no finite cost in {symbol} at this price. Use the other noise, or leave the "
        f"choice open. {UNTOUCHED}",
    )


# --- accuracies -----------------------------------------------------------------------------------------------------


def no_accuracy() -> InvalidInput:
    """An accuracy was asked for of no column."""
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
    """The error of a quotient depends on how many rows it is of, which was not said."""
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
    """A percentage was asked for without the size from which on it shall hold."""
    return InvalidInput(
        "accuracy.needs-floor",
        f"A percentage of {name} has no meaning for values near zero, and how large they are is not public. Say from "
        f"which size on it shall hold, in the units of the column: floor={{{name!r}: 1000}}. {UNTOUCHED}",
    )


def quantile_in_values(name: str) -> InvalidInput:
    """An accuracy in value was asked for of a quantile, which depends on where the rows lie."""
    return InvalidInput(
        "accuracy.quantile-in-values",
        f"{name} is a quantile: how far off it is in value depends on how densely the rows lie, and that is not "
        f"public. Say how many rows may lie between it and the answer: within={{{name!r}: '20 rows'}}, or within='1%' "
        f"with floor=2000 for groups of at least so many rows. {UNTOUCHED}",
    )


def rows_of_no_quantile(name: str) -> InvalidInput:
    """An accuracy in rows was asked for of something else than a quantile."""
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
    """Both a price and an accuracy were given, and one follows from the other."""
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


def too_patient(patience: int, most: int) -> InvalidInput:
    """More work than anybody waits for."""
    return InvalidInput(
        "accuracy.too-patient",
        f"patience = {patience:,} would take so many times the usual work to decide whether a question fits. Give at "
        f"most {most:,}; more of it changes what is refused, and never what is kept secret.",
    )


# --- batches and plans -----------------------------------------------------------------------------------------


def no_questions() -> InvalidInput:
    """A batch of nothing."""
    return InvalidInput("accuracy.no-questions", "There are no questions to price together. Give a list of them.")


def weights_of_batch(given: int, questions: int) -> InvalidInput:
    """Another number of weights than of questions."""
    return InvalidInput(
        "accuracy.weights-of-batch", f"weights= has {given} entries and there are {questions} questions. Give one each."
    )


def several_tables_planned(names: Iterable[str]) -> InvalidInput:
    """A plan with questions about several tables; it is one charge, to one table."""
    return InvalidInput(
        "accuracy.several-tables-planned",
        f"A plan is charged to one table, and these questions are about {' and '.join(names)}. Make one plan for each "
        f"table. {UNTOUCHED}",
    )


def no_plan_for(unit: str, reason: str) -> InvalidInput:
    """A plan under a promise for which it has no proof, or would be dearer than its questions."""
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
    """A batch under a budget whose measure has no price that can be divided."""
    return InvalidInput(
        "accuracy.batch-in-measure",
        f"A batch under a budget in {symbol} is priced in rho=. {UNTOUCHED}",
    )


def shared_naming() -> InvalidInput:
    """A batch at one price in which keys are named: a δ that is shared has no rule."""
    return InvalidInput(
        "accuracy.shared-naming",
        "Questions that name the keys of a text_keys() column do not share one price with others: each needs a δ of "
        f"its own. {UNTOUCHED} Price each by itself: [curator.quote(question, rho=..., delta=...), ...].",
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
    """Answers with too many groups to be adjusted to each other."""
    return InvalidInput(
        "accuracy.too-many-to-adjust",
        f"One of these answers has {groups} groups, and at most {most} are adjusted at once. Adjust answers about "
        f"fewer groups.",
    )


def same_noise() -> InvalidInput:
    """Answers that share their noise were to be adjusted to each other."""
    return InvalidInput(
        "accuracy.same-noise",
        "One of these answers was made from earlier answers, or is there twice, so its noise is not its own and the "
        "error bars would be too short. Adjust the answers it was made from, or ask with reuse=False. Answers of one "
        "batch agree already, but for the rounding of counts.",
    )


# --- open keys, and caps on what one person adds --------------------------------------------------------------------


def no_delta(symbol: str) -> QueryRefused:
    """Keys that nobody listed are named at the price of a δ, and none was given."""
    return QueryRefused(
        "selection.no-delta",
        f"Keys of a text_keys() column can only be named with a δ, and this promise in {symbol} has none to give, or "
        f"the question was given none. {UNTOUCHED} Make the promise in ε and δ or in ρ and δ, and ask with delta=, "
        f'for example delta="1e-8"; or declare the keys as categories(...).',
    )


def caps_need_owners(reason: str) -> QueryRefused:
    """Caps on what an owner adds, without promises on users."""
    return QueryRefused(
        "selection.caps-need-owners",
        f"rows_per_user=, groups_per_user= and rows_per_group= bound what one owner adds to an answer, and {reason}. "
        f"{UNTOUCHED} Leave them out, or make all promises on users: pt.users(column, rows=...).",
    )


def bad_cap(name: str, value: object) -> InvalidInput:
    """A cap that is no whole number of at least 1."""
    return InvalidInput(
        "selection.bad-cap", f"{name} = {value!r} is not a cap. {UNTOUCHED} Give a whole number of at least 1."
    )


def price_of_caps() -> InvalidInput:
    """Caps were to be suggested without one price, which is divided among several counts."""
    return InvalidInput(
        "selection.price-of-caps",
        f"Caps are suggested from noisy counts, which cost something. {UNTOUCHED} Give one price, epsilon= or rho=: it "
        f"is divided among the counts.",
    )
