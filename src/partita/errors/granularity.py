"""What is said of neighbouring relations."""

from __future__ import annotations

from partita.errors.base import InvalidInput, NotProven


def not_a_granularity(name: str, value: object) -> InvalidInput:
    """Something that is not a relation stands where one is needed."""
    return InvalidInput(
        "granularity.not-a-granularity",
        f"{name} = {value!r} does not say who is protected. Give pt.rows(), pt.replace(), pt.groups(k), "
        f"pt.users(column, rows=m), pt.windows(column, width=w) or pt.metric(column, unit=u).",
    )


def no_guarantee(source: str, target: str) -> NotProven:
    """No number of steps of one relation makes a step of the other (theory A9)."""
    return NotProven(
        "granularity.no-guarantee",
        f"A guarantee for [{source}] says nothing about [{target}]: no number of steps of the first makes one step of "
        f"the second, so the loss could be infinite. Nothing was converted. Ask for a mechanism whose guarantee is "
        f"stated for [{target}].",
    )


def no_owner_column(value: object) -> InvalidInput:
    """Users need the column that names the owner."""
    return InvalidInput(
        "granularity.no-owner-column",
        f"users(column={value!r}) does not name the column that says whose row it is. "
        f'Write pt.users("patient", rows=10).',
    )


def no_time_column(value: object) -> InvalidInput:
    """Windows need the column of steps."""
    return InvalidInput(
        "granularity.no-time-column",
        f'windows(column={value!r}) does not name the column of time steps. Write pt.windows("day", width=7).',
    )


def no_metric_column(value: object) -> InvalidInput:
    """A metric needs the column it measures."""
    return InvalidInput(
        "granularity.no-metric-column",
        f'metric(column={value!r}) does not name a column. Write pt.metric("income", unit=1000).',
    )


def no_part_column(value: object) -> InvalidInput:
    """The parts of an owner are named by a column."""
    return InvalidInput(
        "granularity.no-part-column",
        f'users(per={value!r}) does not name the column that divides an owner. Write per="day".',
    )


def not_a_switch(name: str, value: object) -> InvalidInput:
    """Only True and False switch."""
    return InvalidInput("granularity.not-a-switch", f"{name} = {value!r} is neither True nor False. Give one of them.")
