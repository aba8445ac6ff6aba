"""What is said of plans, totals, filters, slots and calibrations that cannot be had."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import BudgetExceeded, InvalidInput, NotProven
from partita.errors.wording import shown


def not_an_event(value: object) -> InvalidInput:
    """Something in a plan that releases nothing we know of."""
    return InvalidInput(
        "composition.not-an-event",
        f"{shown(value)} is not an event of a plan. Give a mechanism such as pt.Laplace(epsilon=0.1), a pair "
        f"(mechanism, count), mechanism.at(distance), or a loss such as pt.Pure(epsilon=0.1).",
    )


def bare_law(kind: str) -> InvalidInput:
    """A law of one direction, with nothing said of the other."""
    return InvalidInput(
        "composition.bare-law",
        f"A {kind} alone is the loss of one direction only. Give both: Pair(remove, add), or Pair.of(law) where both "
        f"directions are known to have this law.",
    )


def not_certified(method: str, epsilon: float, delta: float) -> NotProven:
    """A figure that its own curve does not confirm."""
    return NotProven(
        "composition.not-certified",
        f"The method {method!r} found ε = {epsilon:.6g} at δ = {delta:.6g}, but its own curve does not confirm it. "
        f"Nothing is promised. Ask for a larger δ, or use another method.",
    )


def only_approximation(what: str) -> NotProven:
    """A figure that no theorem proves, where a proven one is needed."""
    return NotProven(
        "composition.only-approximation",
        f"{what} needs a proven total, and a central-limit approximation may be below the truth. Compose with "
        f"method='best' instead.",
    )


def not_a_plan(value: object) -> InvalidInput:
    """A plan that is no list of events."""
    return InvalidInput(
        "composition.not-a-plan",
        f"{shown(value)} is not a plan. Give a list of events, such as [(pt.Laplace(epsilon=0.1), 100)].",
    )


def too_many(count: object, limit: int) -> InvalidInput:
    """A count beyond what is counted exactly."""
    return InvalidInput(
        "composition.too-many", f"count = {shown(count)} is more than {limit} and cannot be counted exactly."
    )


def unknown_method(method: object, known: Iterable[str]) -> InvalidInput:
    """A method of composition that does not exist."""
    return InvalidInput(
        "composition.unknown-method", f"There is no method {shown(method)}. Methods: {', '.join(known)}."
    )


def unknown_relation(relation: object) -> InvalidInput:
    """A relation that is neither of the two shapes."""
    return InvalidInput(
        "composition.unknown-relation",
        f"{shown(relation)} is not a relation. Give 'add/remove', 'change-one', or a granularity such as pt.rows().",
    )


def not_under_relation(event: str, relation: str, valid: Iterable[str]) -> NotProven:
    """The event has no guarantee under the relation asked for."""
    return NotProven(
        "composition.not-under-relation",
        f"{event} is not proven under the relation {relation}; it is under {' and '.join(sorted(valid))}. Nothing was "
        f"composed. Ask for that relation, or use a mechanism whose distance was measured under {relation}.",
    )


def unlike_relations(first: str, second: str) -> NotProven:
    """Two events with no relation in common."""
    return NotProven(
        "composition.unlike-relations",
        f"{first} and {second} are proven under different relations, and losses under unlike relations are never "
        f"summed. Convert one of them first (theory A9), or leave it out.",
    )


def directions_mix(event: str) -> NotProven:
    """A change, or a group of rows, may go up in one release and down in another."""
    return NotProven(
        "composition.directions-mix",
        f"{event} loses differently when a record enters and when one leaves. A change or a group of rows may do "
        f"both in one plan, so one pair must dominate both directions (theory B6). Give a symmetric pair.",
    )


def needs_delta(method: str) -> InvalidInput:
    """The total has an ε for every δ, and no δ was given."""
    return InvalidInput(
        "composition.needs-delta",
        f"The total by {method} has one ε for every δ > 0 and none for δ = 0. Say which: compose(..., delta=1e-6).",
    )


def delta_out_of_range(delta: object) -> InvalidInput:
    """Delta that is no probability, or promises nothing."""
    return InvalidInput(
        "composition.delta-out-of-range",
        f"δ = {shown(delta)} cannot be used: it must be at least 0 and below 1, and far below 1/n in practice.",
    )


def delta_taken(delta: object, carried: float) -> NotProven:
    """The events already carry more delta than the total may."""
    return NotProven(
        "composition.delta-taken",
        f"The events of this plan already carry δ = {carried:.6g} together, so no ε reaches δ = {shown(delta)}. Ask "
        f"for a larger δ, or give the events a smaller one.",
    )


def no_total(event: str, method: str, reason: str) -> NotProven:
    """The method has no theorem for an event."""
    return NotProven(
        "composition.no-total",
        f"{event} cannot be composed by the method {method!r}: {reason} Use method='best', which takes the least of "
        f"everything that is proven.",
    )


def no_group(event: str, steps: int) -> NotProven:
    """A mechanism on a sample: each record of a group is drawn by itself (theory C14)."""
    return NotProven(
        "composition.no-group",
        f"{event} has no proven total for {steps} rows at once: a larger distance does not price a group that is "
        f"sampled row by row. Nothing was composed. Compose for one row, then use "
        f"pt.group_privacy(total, {steps}), at a larger δ.",
    )


def filter_refuses(spent: str, asked: str, fits: str, budget: str) -> BudgetExceeded:
    """A filter says no before anything runs."""
    return BudgetExceeded(
        "composition.filter-refuses",
        f"The budget of {budget} cannot pay {asked}: {spent} is spent, and at most {fits} would fit. Nothing was run "
        f"and nothing was charged; smaller questions are still answered.",
    )


def not_a_filter(kind: str, reason: str) -> NotProven:
    """A budget for which no fully adaptive filter is proven."""
    return NotProven(
        "composition.not-a-filter",
        f"No filter is proven for a budget in {kind}: {reason} Give a budget in ε, (ε, δ), ρ, τ or μ, or declare the "
        f"releases beforehand with pt.Slots.",
    )


def cost_not_for_filter(cost: str, budget: str) -> InvalidInput:
    """The cost is in a measure that the filter cannot read."""
    return InvalidInput(
        "composition.cost-not-for-filter",
        f"A filter with a budget of {budget} cannot take a cost of {cost}. Price the release in the measure of the "
        f"budget.",
    )


def no_slot(event: str, left: int) -> BudgetExceeded:
    """No free slot dominates the release."""
    return BudgetExceeded(
        "composition.no-slot",
        f"No free slot covers {event}; {left} other slots are free. Nothing was run and nothing was charged. Use a "
        f"release with at least as much noise as a free slot, or declare more slots beforehand.",
    )


def locked(child: str) -> BudgetExceeded:
    """An older child under approximate zCDP."""
    return BudgetExceeded(
        "composition.locked",
        f"{child} was opened before a newer one and is locked: interleaving is not proven under ρ with δ > 0 (theory "
        f"D3). Nothing was run. Finish one child before opening the next, or book children in ε and δ.",
    )


def account_copied(kind: str) -> InvalidInput:
    """A copy or a pickle of something that counts."""
    return InvalidInput(
        "composition.account-copied",
        f"A live {kind} cannot be copied or pickled: the copy would be spent a second time. Nothing was charged. Hand "
        f"on the {kind} itself, or make a new one with a budget of its own.",
    )


def owned(kind: str) -> InvalidInput:
    """An account that another one counts for."""
    return InvalidInput(
        "composition.owned",
        f"This {kind} counts for another account, which must see every release. Nothing was run and nothing was "
        f"charged. Charge that account, or make a {kind} of your own.",
    )


def spent_before(kind: str, spent: str) -> InvalidInput:
    """A filter with a past joins others that did not count it."""
    return InvalidInput(
        "composition.spent-before",
        f"This {kind} has already counted {spent}, which the other filters did not: once it is exceeded nobody would. "
        f"Nothing was run and nothing was charged. Give filters that nothing was charged to.",
    )


def one_of_several(kind: str) -> NotProven:
    """One of several filters is asked what it promises alone."""
    return NotProven(
        "composition.one-of-several",
        f"This {kind} is one of several of which one is enough: releases may run that it does not count, so that it "
        f"promises nothing alone. Ask the either-or filter what is certified.",
    )


def interleaved(child: str) -> BudgetExceeded:
    """A child under approximate zCDP after others were interleaved."""
    return BudgetExceeded(
        "composition.interleaved",
        f"{child} cannot be opened: older ones were already interleaved, and with this one in the account that is not "
        f"proven (theory D3). Nothing was run and nothing was charged. Use a child that costs ε and δ like the others, "
        f"or another account.",
    )


def too_many_slots(count: int, limit: int) -> InvalidInput:
    """More slots than are kept one by one."""
    return InvalidInput(
        "composition.too-many-slots",
        f"{count} slots are more than {limit}, the most that are kept one by one. Nothing was declared. Use a filter, "
        f"which keeps sums.",
    )


def unknown_parameters(mechanism: str, names: Iterable[str]) -> InvalidInput:
    """Parameters that a mechanism does not take, or that are solved for."""
    return InvalidInput(
        "composition.unknown-parameters",
        f"{mechanism} cannot be calibrated with the parameters {', '.join(sorted(names))}. Leave them out.",
    )


def cannot_calibrate(mechanism: str, reason: str) -> NotProven:
    """No amount of noise meets the target."""
    return NotProven("composition.cannot-calibrate", f"No {mechanism} meets this target: {reason}")


def not_calibratable(mechanism: object, known: Iterable[str]) -> InvalidInput:
    """A mechanism without one knob to turn."""
    return InvalidInput(
        "composition.not-calibratable",
        f"{shown(mechanism)} has no amount of noise that can be solved for. Give one of {', '.join(known)}.",
    )


def bad_weights(reason: str) -> InvalidInput:
    """Shares of a budget that are no shares."""
    return InvalidInput(
        "composition.bad-weights",
        f"These shares cannot be used: {reason}. Give positive numbers; only their ratio counts.",
    )


def no_dp_accounting() -> InvalidInput:
    """A plan in the objects of dp_accounting needs that library, which is not installed."""
    return InvalidInput(
        "composition.no-dp-accounting",
        "dp_accounting is not installed, so the plan cannot be turned into one of its events. Install it with: pip "
        "install dp-accounting, or use interchange.to_document(). Nothing was computed.",
    )


def bad_document(where: str, reason: str) -> InvalidInput:
    """A JSON plan that cannot be read."""
    return InvalidInput("composition.bad-document", f"This plan cannot be read at {where}: {reason}")


def unwritable(event: str, reason: str) -> NotProven:
    """An event that the other vocabulary has no word for."""
    return NotProven("composition.unwritable", f"{event} has no counterpart in that vocabulary: {reason}")
