"""The exact words of every refusal about prices."""

from __future__ import annotations

import pytest

from partita.errors import prices as refuse

WORDS = [
    (
        refuse.no_price(),
        "query.no-price",
        'The question has no price. Give one of epsilon=, rho= or mu=, for example rho="0.01".',
    ),
    (
        refuse.several_prices(["epsilon", "rho"]),
        "query.several-prices",
        "Give one price, not epsilon and rho.",
    ),
    (
        refuse.price_not_in_measure("ρ = 0.1", "ε", "epsilon="),
        "query.price-not-in-measure",
        (
            "The promise is kept in ε, and ρ = 0.1 has no proven cost in it. Give epsilon=. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.delta_without_use("ρ"),
        "query.delta-without-use",
        (
            "delta= is only for a promise in (ε, δ); this one is kept in ρ. Leave it out. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.unknown_noise("uniform"),
        "query.unknown-noise",
        'noise = \'uniform\' is unknown. Give "laplace" or "gaussian", or leave it out.',
    ),
    (
        refuse.noise_not_in_measure("Gaussian", "ε"),
        "query.noise-not-in-measure",
        (
            "Gaussian noise has no finite cost in ε at this price. Use the other noise, or leave the choice open."
            " Nothing was read and nothing was charged."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
