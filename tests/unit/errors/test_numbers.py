from __future__ import annotations

import pickle

import pytest

from partita.errors import InvalidInput, numbers

TEXTS = {
    "number.not-a-number": (
        numbers.not_a_number("epsilon", "abc"),
        (
            "epsilon = 'abc' is not a number. Give an int, a Fraction, a Decimal, a float, "
            'or decimal text such as "0.1".'
        ),
    ),
    "number.not-finite": (
        numbers.not_finite("epsilon", float("nan")),
        "epsilon = nan is not finite. A privacy promise needs a finite number; nothing was done.",
    ),
    "number.negative": (numbers.negative("rho", -1), "rho = -1 is negative. Give a number that is zero or more."),
    "number.not-positive": (
        numbers.not_positive("scale", 0),
        "scale = 0 must be more than zero. Give a positive number.",
    ),
    "number.too-large": (numbers.too_large("fpr", 2, 1), "fpr = 2 is more than 1. Give 1 or less."),
    "number.too-small": (numbers.too_small("k", 0, 1), "k = 0 is less than 1. Give 1 or more."),
    "number.too-long": (
        numbers.too_long("rho", "1e9999"),
        (
            "rho = '1e9999' has too many digits or too large an exponent to be kept exactly. "
            "Use at most 4000 digits and exponents between -5000 and 5000."
        ),
    ),
    "number.out-of-range": (
        numbers.out_of_range("epsilon", 10**400),
        (
            "epsilon = a number of 1329 bits is beyond any promise, price or scale: give zero, or a size between 1e-75 "
            "and 1e75."
        ),
    ),
    "number.not-whole": (numbers.not_whole("k", 2.5), "k = 2.5 is not a whole number. Give an integer."),
    "number.outside-unit-interval": (
        numbers.outside_unit_interval("confidence", 1),
        "confidence = 1 is not a probability it could be. Give a number strictly between 0 and 1.",
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_text_is_exactly_this(code: str) -> None:
    error, text = TEXTS[code]
    assert (error.code, error.message, str(error)) == (code, text, text)


def test_a_long_value_is_cut_and_an_error_survives_pickling() -> None:
    error = numbers.not_a_number("x", "y" * 500)
    assert len(error.message) < 200
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, InvalidInput)
    assert (again.code, again.message) == (error.code, error.message)
