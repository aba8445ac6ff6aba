"""What is said of a number that cannot be used."""

from __future__ import annotations

from partita.errors.base import InvalidInput
from partita.errors.wording import shown


def not_a_number(name: str, value: object) -> InvalidInput:
    """Neither a number nor the text of one."""
    return InvalidInput(
        "number.not-a-number",
        f"{name} = {shown(value)} is not a number. Give an int, a Fraction, a Decimal, a float, "
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
