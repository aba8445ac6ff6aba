from __future__ import annotations

import re
from pathlib import Path

import pytest

from partita.errors import BudgetExceeded, InvalidInput, NotProven
from partita.errors import mechanisms as refuse

CASES = [
    (
        refuse.other_norm("laplace", "l1", "l2"),
        InvalidInput,
        "mechanisms.other-norm",
        (
            "laplace noise is calibrated to a distance in l1, and l2 was given. Say how far neighbours move the "
            "result in l1: pt.l1(...)."
        ),
    ),
    (
        refuse.not_a_distance(7),
        InvalidInput,
        "mechanisms.not-a-distance",
        "distance = 7 does not say in which norm. Write pt.l1(1) or pt.l2(1).",
    ),
    (
        refuse.no_cost("laplace", "μ"),
        NotProven,
        "mechanisms.no-cost",
        "No theorem gives the cost of laplace in μ. Use another measure, or pt.compose with its exact curve.",
    ),
    (
        refuse.needs_delta("laplace"),
        InvalidInput,
        "mechanisms.needs-delta",
        "laplace has one (ε, δ) for every δ. Say which: cost(distance, pt.Approximate, delta=...).",
    ),
    (
        refuse.scale_or_epsilon("laplace"),
        InvalidInput,
        "mechanisms.scale-or-epsilon",
        "laplace noise needs scale=... or epsilon=... (the loss at distance 1), and exactly one of the two.",
    ),
    (
        refuse.not_integers("float64"),
        InvalidInput,
        "mechanisms.not-integers",
        (
            "Exact integers are needed, and float64 was given. Nothing was drawn. Scale the values to integers in"
            " units of a public step (cents for money), release those, and multiply the answer by the step: noise"
            " on floats leaks through their low bits."
        ),
    ),
    (
        refuse.not_flat(2),
        InvalidInput,
        "mechanisms.not-flat",
        "One flat list of integers is needed, and an array with 2 dimensions was given. Nothing was drawn.",
    ),
    (
        refuse.nothing_to_choose(),
        InvalidInput,
        "mechanisms.nothing-to-choose",
        "There is nothing to choose from: the list is empty. Nothing was drawn. Give at least one candidate.",
    ),
    (
        refuse.nothing_to_hide(),
        InvalidInput,
        "mechanisms.nothing-to-hide",
        "The distance is 0: no neighbour moves the result, so it needs no noise. Check the distance.",
    ),
    (
        refuse.no_noise_fits("laplace", "ε = 1"),
        NotProven,
        "mechanisms.no-noise-fits",
        (
            "No amount of laplace noise keeps ε = 1. Its loss is unbounded, so it needs a budget in ρ, μ, τ(α), "
            "or (ε, δ) with δ > 0, and more than zero of it."
        ),
    ),
    (
        refuse.not_a_budget(7),
        InvalidInput,
        "mechanisms.not-a-budget",
        (
            "budget = 7 is not a privacy loss. Give pt.Approximate(epsilon=..., delta=...), pt.ZCDP(rho=...) or "
            "another measure."
        ),
    ),
    (
        refuse.outside_answers(3),
        InvalidInput,
        "mechanisms.outside-answers",
        (
            "Randomised response has the answers 0 to 2, and another value was given. Nothing was drawn. Number "
            "the answers from 0."
        ),
    ),
    (
        refuse.no_reports(),
        InvalidInput,
        "mechanisms.no-reports",
        "There are no reports to estimate from. Give at least one.",
    ),
    (
        refuse.not_a_switch("monotone", 7),
        InvalidInput,
        "mechanisms.not-a-switch",
        "monotone = 7 is neither True nor False.",
    ),
    (
        refuse.no_exact_curve("laplace", "a variance above 100"),
        NotProven,
        "mechanisms.no-exact-curve",
        (
            "The exact curve of laplace noise is not known for a variance above 100. Its ρ holds there; "
            "pt.GaussianNoise, rounded real noise with the same ρ, has an exact curve everywhere."
        ),
    ),
    (
        refuse.not_alone("laplace"),
        InvalidInput,
        "mechanisms.not-alone",
        (
            "This laplace noise was declared for one number (alone=True), and several were given. Nothing was "
            "drawn. Leave alone=True out: its cost in ρ is the same."
        ),
    ),
    (
        refuse.not_one_number("monotone"),
        InvalidInput,
        "mechanisms.not-one-number",
        "monotone must be one integer, and several were given. Nothing was drawn.",
    ),
    (
        refuse.session_over(2),
        BudgetExceeded,
        "mechanisms.session-over",
        (
            "This session has given its 2 positive answers and is over. Nothing was drawn and nothing was "
            "charged. Open a new session, at its full cost."
        ),
    ),
    (
        refuse.not_noise(7),
        InvalidInput,
        "mechanisms.not-noise",
        (
            "noise = 7 is not noise that can be added to counts. Give pt.Laplace(...), pt.GaussianNoise(...), "
            "pt.Geometric(...) or pt.DiscreteGaussian(...)."
        ),
    ),
    (
        refuse.not_a_relation(7),
        InvalidInput,
        "mechanisms.not-a-relation",
        'relation = 7 is not a neighbouring relation. Give "add/remove" or "change-one".',
    ),
    (
        refuse.not_counts("float64"),
        InvalidInput,
        "mechanisms.not-counts",
        (
            "A mapping from keys to counts is needed, and float64 was given. Nothing was drawn. Give a dict such "
            "as {key: number of people, ...}."
        ),
    ),
    (
        refuse.negative_count(),
        InvalidInput,
        "mechanisms.negative-count",
        "A count is negative, and counts never are. Nothing was drawn. Check how it is made.",
    ),
    (
        refuse.unordered_key("float64"),
        InvalidInput,
        "mechanisms.unordered-key",
        (
            "A key is a float64, which has no place in a canonical order, so the order of the answer could leak "
            "the order of the rows. Nothing was drawn. Use text, integers, dates, booleans, None, or tuples of "
            "them."
        ),
    ),
    (
        refuse.no_threshold_fits(0.0),
        InvalidInput,
        "mechanisms.no-threshold-fits",
        "δ = 0.0 is outside (0, 1), so no threshold keeps it. Give a small positive δ.",
    ),
    (
        refuse.threshold_takes_more(0.0, 1e-06),
        NotProven,
        "mechanisms.threshold-takes-more",
        ("The threshold alone needs δ = 1e-06, so no ε reaches δ = 0.0. Ask for a larger δ, or raise the threshold."),
    ),
    (
        refuse.not_a_mechanism(7),
        InvalidInput,
        "mechanisms.not-a-mechanism",
        "mechanism = 7 is not a mechanism. Give one, such as pt.GaussianNoise(sigma=1).",
    ),
    (
        refuse.unknown_scheme(7),
        InvalidInput,
        "mechanisms.unknown-scheme",
        'scheme = 7 is not a way of sampling that is known. Give "poisson" or "without_replacement".',
    ),
    (
        refuse.rate_too_large(7),
        InvalidInput,
        "mechanisms.rate-too-large",
        "rate = 7 is more than 1. Give the share of records that are sampled, more than 0 and at most 1.",
    ),
    (
        refuse.sampling_not_proven("poisson", "add/remove", "change-one"),
        NotProven,
        "mechanisms.sampling-not-proven",
        (
            "Sampling by poisson has no theorem under add/remove; it amplifies under change-one. Change the "
            "scheme or the relation."
        ),
    ),
    (
        refuse.needs_presence(),
        InvalidInput,
        "mechanisms.needs-presence",
        (
            "Poisson sampling under change-one needs to know also how far one record that is there or not moves "
            "the result: a sampled record may meet a neighbour whose record is not sampled. Give "
            "presence=pt.l2(...), in the norm of the mechanism."
        ),
    ),
    (
        refuse.needless_presence(),
        InvalidInput,
        "mechanisms.needless-presence",
        "presence=... is used by Poisson sampling under change-one only. Leave it out.",
    ),
    (
        refuse.base_not_valid("laplace", "add/remove"),
        NotProven,
        "mechanisms.base-not-valid",
        ("laplace promises nothing under add/remove, so neither does its release on a sample. Use one that does."),
    ),
    (
        refuse.sample_not_whole("1/4", 10),
        InvalidInput,
        "mechanisms.sample-not-whole",
        (
            "A share of 1/4 of 10 records is not a whole number of records. Nothing was drawn. Give the rate as "
            "sample size over number of records."
        ),
    ),
    (
        refuse.sample_of_sample(),
        NotProven,
        "mechanisms.sample-of-sample",
        "A sample of a sample is not priced step by step. Use one sample at the product of the rates.",
    ),
    (
        refuse.session_copied(),
        InvalidInput,
        "mechanisms.session-copied",
        (
            "A session cannot be copied or pickled: each copy would go on answering for the price of one. "
            "Open another session, and charge it."
        ),
    ),
    (
        refuse.objective_out_of_range(1e-6, 6.1e-5, 8, 1024),
        InvalidInput,
        "mechanisms.objective-out-of-range",
        (
            "An objective with 8 weights and ε = 1e-06 for its slope cannot be minimised with a certified error: at "
            "most 1024 weights, at least ε = 6.1e-05, and rows whose gradients are at most 4 long can. Nothing was "
            "drawn. Learn by noisy gradients."
        ),
    ),
    (
        refuse.slope_without_shape("l1"),
        InvalidInput,
        "mechanisms.slope-without-shape",
        (
            "shape = 'l1' is not a norm that slopes can have. Nothing was drawn. Write Norm.L2 for gradients in a "
            "ball, or Norm.LINF for gradients in a cube."
        ),
    ),
    (
        refuse.too_many_answers(10**12, 1 << 24),
        InvalidInput,
        "mechanisms.too-many-answers",
        (
            "There are 1000000000000 possible answers, and at most 16777216 are listed with an estimate each. Name "
            "those you want to know about: estimate(reports, answers=[...])."
        ),
    ),
    (
        refuse.not_bit_reports(4),
        InvalidInput,
        "mechanisms.not-bit-reports",
        (
            "Reports of unary encoding are a table with one row of 4 bits a person, each 0 or 1. Pass the rows that "
            "release returned."
        ),
    ),
]


@pytest.mark.parametrize(("error", "kind", "code", "message"), CASES, ids=[case[2] for case in CASES])
def test_a_refusal_says_what_failed_and_what_to_do(error, kind, code, message):
    assert type(error) is kind
    assert error.code == code
    assert str(error) == message


def test_every_refusal_is_tested():
    wording = Path(refuse.__file__).read_text(encoding="utf-8")
    assert {case[2] for case in CASES} == set(re.findall(r'"(mechanisms\.[a-z-]+)"', wording))
