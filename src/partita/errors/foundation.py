"""What is said at the lowest layer: of numbers that cannot be used, of too much work, and of live objects."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import final

from partita.errors.base import BadCall, InvalidInput, QueryRefused
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, shown

# --- calls ----------------------------------------------------------------------------------------------------------


def unknown_argument(name: str, argument: str, known: Sequence[str], usage: str) -> BadCall:
    """A keyword that is not one of a call's."""
    near = next((one for one in known if one.startswith(argument)), None)
    guess = f" Did you mean {near}=?" if near else meant(argument, known)
    return BadCall("call.unknown-argument", f"{name}() has no argument {argument}=.{guess} {UNTOUCHED} Write {usage}.")


def argument_by_name(name: str, most: int, value: object, names: Sequence[str]) -> BadCall:
    """A value by its place, where it has to be named."""
    plain = shown(value) if isinstance(value, int | float | str) else "..."
    places = "no argument by place" if most == 0 else f"{most} argument{'s' * (most > 1)} by place"
    say = f"say what it is, for example {names[0]}={plain}" if names else "leave the rest out"
    more = f" ({', '.join(f'{one}=' for one in names)})" if len(names) > 1 else ""
    return BadCall("call.by-name", f"{name}() takes {places}. {UNTOUCHED} Please {say}{more}.")


def argument_twice(name: str, argument: str, usage: str) -> BadCall:
    """An argument that is given by its place and by its name."""
    return BadCall("call.twice", f"{name}() was given {argument} twice. {UNTOUCHED} Write {usage}.")


def missing_arguments(name: str, lacking: Sequence[str], usage: str) -> BadCall:
    """An argument that a call cannot do without."""
    return BadCall("call.missing", f"{name}() also needs {' and '.join(lacking)}. {UNTOUCHED} Write {usage}.")


def not_listed(name: str, value: object, example: str) -> BadCall:
    """One thing where a list of them is expected."""
    kind = type(value).__name__
    return BadCall("call.not-a-list", f"{name}= takes a list, and got {kind}. {UNTOUCHED} Write {example}.")


# --- numbers --------------------------------------------------------------------------------------------------------


def not_a_number(name: str, value: object) -> InvalidInput:
    """Neither a number nor the text of one."""
    comma = " Write a point before the decimals, not a comma." if isinstance(value, str) and "," in value else ""
    return InvalidInput(
        "number.not-a-number",
        f"{name} = {shown(value)} is not a number.{comma} Give an int, a Fraction, a Decimal, a float, "
        f'or decimal text such as "0.1".',
    )


def not_finite(name: str, value: object) -> InvalidInput:
    """NaN or an infinity where a promise needs a finite number."""
    return InvalidInput(
        "number.not-finite",
        f"{name} = {shown(value)} is not finite. A privacy promise needs a finite number; nothing was done.",
    )


def negative(name: str, value: object) -> InvalidInput:
    """A negative amount of something that only grows."""
    return InvalidInput("number.negative", f"{name} = {shown(value)} is negative. Give a number that is zero or more.")


def not_positive(name: str, value: object) -> InvalidInput:
    """Zero or less where zero makes no sense."""
    return InvalidInput(
        "number.not-positive", f"{name} = {shown(value)} must be more than zero. Give a positive number."
    )


def too_large(name: str, value: object, limit: object) -> InvalidInput:
    """More than the largest value with a meaning."""
    return InvalidInput("number.too-large", f"{name} = {shown(value)} is more than {limit}. Give {limit} or less.")


def too_small(name: str, value: object, limit: object) -> InvalidInput:
    """Less than the least value with a meaning."""
    return InvalidInput("number.too-small", f"{name} = {shown(value)} is less than {limit}. Give {limit} or more.")


def too_long(name: str, value: object) -> InvalidInput:
    """Text or an exponent so long that reading it exactly would exhaust memory."""
    return InvalidInput(
        "number.too-long",
        f"{name} = {shown(value)} has too many digits or too large an exponent to be kept exactly. "
        f"Use at most 4000 digits and exponents between -5000 and 5000.",
    )


def not_whole(name: str, value: object) -> InvalidInput:
    """A fraction where only whole numbers have a meaning."""
    return InvalidInput("number.not-whole", f"{name} = {shown(value)} is not a whole number. Give an integer.")


def outside_unit_interval(name: str, value: object) -> InvalidInput:
    """A probability outside [0, 1], or at an end that makes no sense."""
    return InvalidInput(
        "number.outside-unit-interval",
        f"{name} = {shown(value)} is not a probability it could be. Give a number strictly between 0 and 1.",
    )


def out_of_range(name: str, value: object) -> InvalidInput:
    """Too large or too small to mean anything."""
    return InvalidInput(
        "number.out-of-range",
        f"{name} = {shown(value)} is beyond any promise, price or scale: give zero, or a size between 1e-75 and 1e75.",
    )


# --- effort ---------------------------------------------------------------------------------------------------------


@final
class Work(Enum):
    """What the steps were spent on when they ran out, and what to write instead."""

    WORDS = (
        "its words stand for too many others once WITH, brackets, UNION ALL and functions of functions are written out",
        "Name a question once, with WHERE and OR instead of UNION ALL",
    )
    CONDITIONS = (
        "its conditions cut the table into too many pieces",
        "Write ranges with BETWEEN and lists with IN, use fewer columns in OR and CASE, or ask several questions",
    )
    VALUES = (
        "its functions are evaluated for every value of their columns, and there are too many",
        "Compare the column itself with numbers or dates, or use fewer functions",
    )
    GROUPS = (
        "its groups are too many to be listed together",
        "Group by fewer columns, by BUCKET(column, width), or narrow them in WHERE",
    )
    COMPOSITION = (
        "its counts, rates, budgets or distances are extreme, or its releases too many of too many kinds",
        "Use less extreme numbers, a method such as zcdp, or fewer kinds of releases",
    )
    AGGREGATES = (
        "its aggregates are too many to be priced together",
        "Ask for fewer at once, in several questions",
    )


def too_much(work: Work, limit: int, *, several: bool = False) -> QueryRefused:
    """A question, a batch of several or a plan that would keep the curator busy for too long."""
    reason, advice = work.value
    if work is Work.COMPOSITION:
        return QueryRefused(
            "composition.too-much-work", f"This plan takes more than {limit:,} steps: {reason}. {advice}."
        )
    asked, fewer = ("batch", ", or put fewer questions into one batch") if several else ("question", "")
    return QueryRefused(
        "query.too-much-work",
        f"This {asked} takes more than {limit:,} steps to price: {reason}. {advice}{fewer}. {UNTOUCHED}",
    )


# --- live objects ---------------------------------------------------------------------------------------------------


def forked(what: str, instead: str) -> InvalidInput:
    """A forked process uses something of its parent's that counts or keeps private state."""
    return InvalidInput(
        "live.forked",
        f"{what} belongs to the process that made it, which goes on with it: used in a forked one too, it would be "
        f"spent twice. No data was read and nothing was charged. {instead}",
    )
