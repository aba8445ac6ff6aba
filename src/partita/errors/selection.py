"""What is said of open keys and of caps on what one person adds to an answer."""

from __future__ import annotations

from partita.errors.base import InvalidInput, QueryRefused
from partita.errors.wording import UNTOUCHED


def no_delta(symbol: str) -> QueryRefused:
    """Naming keys that nobody listed costs a δ."""
    return QueryRefused(
        "selection.no-delta",
        f"Keys of a text_keys() column can only be named with a δ, and this promise in {symbol} has none to give, or "
        f"the question was given none. {UNTOUCHED} Make the promise in ε and δ or in ρ and δ, and ask with delta=, "
        f'for example delta="1e-8"; or declare the keys as categories(...).',
    )


def caps_need_owners(reason: str) -> QueryRefused:
    """Only a promise on users knows whose rows are whose."""
    return QueryRefused(
        "selection.caps-need-owners",
        f"rows_per_user= and groups_per_user= bound what one owner adds to an answer, and {reason}. {UNTOUCHED} Leave "
        f"them out, or make all promises on users: pt.users(column, rows=...).",
    )


def bad_cap(name: str, value: object) -> InvalidInput:
    """A cap must let something through."""
    return InvalidInput(
        "selection.bad-cap", f"{name} = {value!r} is not a cap. {UNTOUCHED} Give a whole number of at least 1."
    )


def price_of_caps() -> InvalidInput:
    """Looking for caps costs something, and the price is divided among several counts."""
    return InvalidInput(
        "selection.price-of-caps",
        f"Caps are suggested from noisy counts, which cost something. {UNTOUCHED} Give one price, epsilon= or rho=: it "
        f"is divided among the counts.",
    )
