"""The exact words of every refusal about laws of the privacy loss."""

from __future__ import annotations

import pytest

from partita.errors import losses as refuse

WORDS = [
    (
        refuse.bad_parameter("μ", -1),
        "losses.bad-parameter",
        "A privacy loss with μ = -1 does not exist. Give a finite number in its range.",
    ),
    (
        refuse.not_a_distribution("the sums are 1 and 0.9"),
        "losses.not-a-distribution",
        (
            "These numbers are not a pair of distributions: the sums are 1 and 0.9. Give non-negative "
            "probabilities, one for each outcome in both lists, each list with the sum 1."
        ),
    ),
    (
        refuse.not_a_profile("it has no points"),
        "losses.not-a-profile",
        (
            "This table is not a privacy profile: it has no points. Give points (ε, δ) with strictly growing ε "
            "and δ between 0 and 1 that never grows."
        ),
    ),
    (
        refuse.too_many_atoms(3, 2),
        "losses.too-many-atoms",
        (
            "This law has 3 outcomes, more than 2. Merge outcomes with nearly equal losses upwards, or use "
            "continuous noise rounded to the lattice (pt.GaussianNoise, pt.Laplace), which needs no table."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
