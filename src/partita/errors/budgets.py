"""What is said of budgets that change over time: schedules, ceilings, raises and lowerings."""

from __future__ import annotations

from partita.errors.base import InvalidInput
from partita.errors.wording import UNREAD, shown


def bad_schedule(value: object) -> InvalidInput:
    """A schedule that is no mapping from days to budgets."""
    return InvalidInput(
        "budget.bad-schedule",
        f"schedule = {shown(value)} does not say which budget holds from which day on. {UNREAD} Write "
        f'schedule={{"2027-01-01": "1.0"}}: days as YYYY-MM-DD, and budgets in the measure of the promise.',
    )


def decreasing(day: str, before: str, after: str) -> InvalidInput:
    """A schedule whose budgets go down."""
    return InvalidInput(
        "budget.decreasing",
        f"The schedule goes down on {day}, from {before} to {after}: what was lost before cannot be taken back. "
        f"{UNREAD} Give budgets that never decrease; a custodian may lower a budget later, at any time.",
    )


def other_measure(name: str, value: object, budget: str) -> InvalidInput:
    """A budget in another measure than the promise's, or in none."""
    return InvalidInput(
        "budget.other-measure",
        f"{name} = {shown(value)} is no budget like {budget}, which is promised. {UNREAD} Give a budget in the same "
        f"measure, or a number for its first part.",
    )


def low_ceiling(ceiling: str, largest: str) -> InvalidInput:
    """A ceiling below what the schedule comes to."""
    return InvalidInput(
        "budget.low-ceiling",
        f"The ceiling {ceiling} is below {largest}, to which the budget comes by itself. {UNREAD} Give a higher "
        f"ceiling, or none.",
    )


def no_ceiling(unit: str) -> InvalidInput:
    """A raise of a budget for which no ceiling was declared (theory I13)."""
    return InvalidInput(
        "budget.no-ceiling",
        f"The budget for [{unit}] cannot be raised: no ceiling was declared when the ledger was born, and a raise that "
        f"was decided after answers were seen is covered by nothing else. {UNREAD} Declare ceiling= in the promise of "
        f"a new ledger; its budget adds to what this one has spent on the same people.",
    )


def above_ceiling(to: str, ceiling: str) -> InvalidInput:
    """A raise above the ceiling of the birth."""
    return InvalidInput(
        "budget.above-ceiling",
        f"The budget cannot be raised to {to}: the ceiling declared when the ledger was born is {ceiling}. {UNREAD} "
        f"Raise it to at most that.",
    )


def not_raised(to: str, budget: str) -> InvalidInput:
    """A raise to no more than there is."""
    return InvalidInput(
        "budget.not-raised",
        f"{to} is not a raise of {budget}, which is in force. {UNREAD} Give a budget that is larger, and nowhere "
        f"smaller.",
    )


def not_lowered(to: str, budget: str) -> InvalidInput:
    """A lowering to no less than there is, or to nothing."""
    return InvalidInput(
        "budget.not-lowered",
        f"{to} does not lower {budget}, which is in force, to a budget that is left. {UNREAD} Give one that is "
        f"smaller, nowhere larger, and not zero.",
    )


def unexplained(name: str) -> InvalidInput:
    """A change of a budget without who decided it, or why."""
    return InvalidInput(
        "budget.unexplained",
        f"A budget is changed by somebody, for a reason, and both stand in the ledger: {name} is missing. {UNREAD} Say "
        f"who= decided it and why=.",
    )
