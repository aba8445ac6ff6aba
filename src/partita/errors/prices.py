"""What is said of prices and noises that a question cannot have."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput
from partita.errors.wording import UNTOUCHED, shown


def no_price() -> InvalidInput:
    """A question needs a price."""
    return InvalidInput(
        "query.no-price", 'The question has no price. Give one of epsilon=, rho= or mu=, for example rho="0.01".'
    )


def several_prices(names: Iterable[str]) -> InvalidInput:
    """One price, or it is not clear which holds."""
    return InvalidInput("query.several-prices", f"Give one price, not {' and '.join(names)}.")


def price_not_in_measure(price: str, symbol: str, usable: str) -> InvalidInput:
    """A price in one measure that a promise in another cannot be charged with."""
    return InvalidInput(
        "query.price-not-in-measure",
        f"The promise is kept in {symbol}, and {price} has no proven cost in it. Give {usable}. {UNTOUCHED}",
    )


def delta_without_use(symbol: str) -> InvalidInput:
    """Only an (ε, δ) promise takes a δ beside ε."""
    return InvalidInput(
        "query.delta-without-use",
        f"delta= is only for a promise in (ε, δ); this one is kept in {symbol}. Leave it out. {UNTOUCHED}",
    )


def unknown_noise(value: object) -> InvalidInput:
    """The noise is Laplace, Gaussian, or the planner's choice."""
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
