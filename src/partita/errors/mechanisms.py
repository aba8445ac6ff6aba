"""What is said of mechanisms used wrongly."""

from __future__ import annotations

from partita.errors.base import BudgetExceeded, InvalidInput, NotProven


def other_norm(kind: str, needed: str, given: str) -> InvalidInput:
    """The mechanism is calibrated in another norm than the distance."""
    return InvalidInput(
        "mechanisms.other-norm",
        f"{kind} noise is calibrated to a distance in {needed}, and {given} was given. "
        f"Say how far neighbours move the result in {needed}: pt.{needed}(...).",
    )


def not_a_distance(value: object) -> InvalidInput:
    """A bare number does not say in which norm it is measured."""
    return InvalidInput(
        "mechanisms.not-a-distance",
        f"distance = {value!r} does not say in which norm. Write pt.l1(1) or pt.l2(1).",
    )


def no_cost(kind: str, measure: str) -> NotProven:
    """No theorem prices this mechanism in this measure."""
    return NotProven(
        "mechanisms.no-cost",
        f"No theorem gives the cost of {kind} in {measure}. Use another measure, or pt.compose with its exact curve.",
    )


def needs_delta(kind: str) -> InvalidInput:
    """The mechanism has one ε for every δ, and no δ was given."""
    return InvalidInput(
        "mechanisms.needs-delta",
        f"{kind} has one (ε, δ) for every δ. Say which: cost(distance, pt.Approximate, delta=...).",
    )


def scale_or_epsilon(kind: str) -> InvalidInput:
    """The amount of noise was given twice, or not at all."""
    return InvalidInput(
        "mechanisms.scale-or-epsilon",
        f"{kind} noise needs scale=... or epsilon=... (the loss at distance 1), and exactly one of the two.",
    )


def not_integers(found: str) -> InvalidInput:
    """Something else where exact integers are needed; the type is named, never the value."""
    return InvalidInput(
        "mechanisms.not-integers",
        f"Exact integers are needed, and {found} was given. Nothing was drawn. Scale the values to integers in units "
        f"of a public step (cents for money), release those, and multiply the answer by the step: noise on floats "
        f"leaks through their low bits.",
    )


def not_flat(dimensions: int) -> InvalidInput:
    """A choice needs one list of scores."""
    return InvalidInput(
        "mechanisms.not-flat",
        f"One flat list of integers is needed, and an array with {dimensions} dimensions was given. Nothing was drawn.",
    )


def nothing_to_choose() -> InvalidInput:
    """A choice among nothing."""
    return InvalidInput(
        "mechanisms.nothing-to-choose",
        "There is nothing to choose from: the list is empty. Nothing was drawn. Give at least one candidate.",
    )


def nothing_to_hide() -> InvalidInput:
    """A distance of zero needs no noise, so none can be calibrated."""
    return InvalidInput(
        "mechanisms.nothing-to-hide",
        "The distance is 0: no neighbour moves the result, so it needs no noise. Check the distance.",
    )


def no_noise_fits(kind: str, budget: str) -> NotProven:
    """No amount of this noise keeps a budget of this kind."""
    return NotProven(
        "mechanisms.no-noise-fits",
        f"No amount of {kind} noise keeps {budget}. Its loss is unbounded, so it needs a budget in ρ, μ, τ(α), "
        f"or (ε, δ) with δ > 0, and more than zero of it.",
    )


def not_a_budget(value: object) -> InvalidInput:
    """Something that is not a loss stands where a budget is needed."""
    return InvalidInput(
        "mechanisms.not-a-budget",
        f"budget = {value!r} is not a privacy loss. Give pt.Approximate(epsilon=..., delta=...), pt.ZCDP(rho=...) "
        f"or another measure.",
    )


def outside_answers(values: int) -> InvalidInput:
    """A report outside the declared answers; the value itself is not shown."""
    return InvalidInput(
        "mechanisms.outside-answers",
        f"Randomised response has the answers 0 to {values - 1}, and another value was given. Nothing was drawn. "
        f"Number the answers from 0.",
    )


def no_reports() -> InvalidInput:
    """An estimate from nothing."""
    return InvalidInput(
        "mechanisms.no-reports",
        "There are no reports to estimate from. Give at least one.",
    )


def not_a_switch(name: str, value: object) -> InvalidInput:
    """Something else where True or False is needed."""
    return InvalidInput("mechanisms.not-a-switch", f"{name} = {value!r} is neither True nor False.")


def no_exact_curve(kind: str, where: str) -> NotProven:
    """The exact curve is known for fewer cases than were asked for."""
    return NotProven(
        "mechanisms.no-exact-curve",
        f"The exact curve of {kind} noise is not known for {where}. Its ρ holds there; pt.GaussianNoise, rounded real "
        f"noise with the same ρ, has an exact curve everywhere.",
    )


def not_alone(kind: str) -> InvalidInput:
    """Noise declared for one number was given several."""
    return InvalidInput(
        "mechanisms.not-alone",
        f"This {kind} noise was declared for one number (alone=True), and several were given. Nothing was drawn. "
        f"Leave alone=True out: its cost in ρ is the same.",
    )


def not_one_number(name: str) -> InvalidInput:
    """Several values where one is asked for."""
    return InvalidInput(
        "mechanisms.not-one-number", f"{name} must be one integer, and several were given. Nothing was drawn."
    )


def session_over(positives: int) -> BudgetExceeded:
    """The last positive answer of a session was given."""
    return BudgetExceeded(
        "mechanisms.session-over",
        f"This session has given its {positives} positive answers and is over. Nothing was drawn and nothing was "
        f"charged. Open a new session, at its full cost.",
    )


def not_noise(value: object) -> InvalidInput:
    """Something else where additive noise is needed."""
    return InvalidInput(
        "mechanisms.not-noise",
        f"noise = {value!r} is not noise that can be added to counts. Give pt.Laplace(...), pt.GaussianNoise(...), "
        f"pt.Geometric(...) or pt.DiscreteGaussian(...).",
    )


def not_a_relation(value: object) -> InvalidInput:
    """Something else where a neighbouring relation is needed."""
    return InvalidInput(
        "mechanisms.not-a-relation",
        f'relation = {value!r} is not a neighbouring relation. Give "add/remove" or "change-one".',
    )


def not_counts(found: str) -> InvalidInput:
    """Key selection needs a count for each key."""
    return InvalidInput(
        "mechanisms.not-counts",
        f"A mapping from keys to counts is needed, and {found} was given. Nothing was drawn. "
        f"Give a dict such as {{key: number of people, ...}}.",
    )


def negative_count() -> InvalidInput:
    """A count below zero; the value itself is not shown."""
    return InvalidInput(
        "mechanisms.negative-count",
        "A count is negative, and counts never are. Nothing was drawn. Check how it is made.",
    )


def unordered_key(found: str) -> InvalidInput:
    """A key that has no canonical place among others."""
    return InvalidInput(
        "mechanisms.unordered-key",
        f"A key is a {found}, which has no place in a canonical order, so the order of the answer could leak the order "
        f"of the rows. Nothing was drawn. Use text, integers, dates, booleans, None, or tuples of them.",
    )


def no_threshold_fits(delta: object) -> InvalidInput:
    """No threshold keeps the delta that was asked for."""
    return InvalidInput(
        "mechanisms.no-threshold-fits",
        f"δ = {delta} is outside (0, 1), so no threshold keeps it. Give a small positive δ.",
    )


def threshold_takes_more(delta: object, leak: object) -> NotProven:
    """The threshold alone needs more delta than was asked for."""
    return NotProven(
        "mechanisms.threshold-takes-more",
        f"The threshold alone needs δ = {leak}, so no ε reaches δ = {delta}. Ask for a larger δ, or raise the "
        f"threshold.",
    )


def not_a_mechanism(value: object) -> InvalidInput:
    """Something else where a mechanism is needed."""
    return InvalidInput(
        "mechanisms.not-a-mechanism",
        f"mechanism = {value!r} is not a mechanism. Give one, such as pt.GaussianNoise(sigma=1).",
    )


def unknown_scheme(value: object) -> InvalidInput:
    """A way of sampling without a theorem."""
    return InvalidInput(
        "mechanisms.unknown-scheme",
        f'scheme = {value!r} is not a way of sampling that is known. Give "poisson" or "without_replacement".',
    )


def rate_too_large(value: object) -> InvalidInput:
    """A sampling rate above one."""
    return InvalidInput(
        "mechanisms.rate-too-large",
        f"rate = {value} is more than 1. Give the share of records that are sampled, more than 0 and at most 1.",
    )


def sampling_not_proven(scheme: str, relation: str, valid: str) -> NotProven:
    """This way of sampling protects under another relation (theory C14)."""
    return NotProven(
        "mechanisms.sampling-not-proven",
        f"Sampling by {scheme} has no theorem under {relation}; it amplifies under {valid}. Change the scheme or the "
        f"relation.",
    )


def needs_presence() -> InvalidInput:
    """Poisson sampling under change-one needs the loss under both relations (theory C14c)."""
    return InvalidInput(
        "mechanisms.needs-presence",
        "Poisson sampling under change-one needs to know also how far one record that is there or not moves the "
        "result: a sampled record may meet a neighbour whose record is not sampled. Give presence=pt.l2(...), in the "
        "norm of the mechanism.",
    )


def needless_presence() -> InvalidInput:
    """Only Poisson sampling under change-one looks at the second distance."""
    return InvalidInput(
        "mechanisms.needless-presence",
        "presence=... is used by Poisson sampling under change-one only. Leave it out.",
    )


def base_not_valid(kind: str, relation: str) -> NotProven:
    """The mechanism itself promises nothing under the relation."""
    return NotProven(
        "mechanisms.base-not-valid",
        f"{kind} promises nothing under {relation}, so neither does its release on a sample. Use one that does.",
    )


def sample_not_whole(rate: object, records: int) -> InvalidInput:
    """A sample of a fixed size must be a whole number of records."""
    return InvalidInput(
        "mechanisms.sample-not-whole",
        f"A share of {rate} of {records} records is not a whole number of records. Nothing was drawn. "
        f"Give the rate as sample size over number of records.",
    )


def sample_of_sample() -> NotProven:
    """A sample of a sample is one sample at the product of the rates."""
    return NotProven(
        "mechanisms.sample-of-sample",
        "A sample of a sample is not priced step by step. Use one sample at the product of the rates.",
    )


def one_loss_of_a_run() -> InvalidInput:
    """What one of several runs loses was given twice, or not at all."""
    return InvalidInput(
        "mechanisms.one-loss-of-a-run",
        "Repeated needs what one run loses, its score included: epsilon=... or rho=..., and exactly one of the two.",
    )


def stop_too_large(stop: object) -> InvalidInput:
    """The chance that a run is the last is a probability."""
    return InvalidInput(
        "mechanisms.stop-too-large",
        f"stop = {stop} is more than 1; it is the chance that a run is the last. For about 100 runs: stop='1/100'.",
    )


def shape_too_small(shape: object) -> InvalidInput:
    """The law of the number of runs needs a shape of more than minus one."""
    return InvalidInput(
        "mechanisms.shape-too-small",
        f"shape = {shape} is not more than -1. Write shape=1 for runs that each may be the last, shape=0 for a lower "
        f"price and a number of runs that varies more.",
    )


def not_local(kind: str) -> NotProven:
    """What is shuffled must be reports of single people, each with a pure loss (theory C18)."""
    return NotProven(
        "mechanisms.not-local",
        f"{kind} is not a report that one person makes by themselves with a pure ε, so nothing is proven for shuffled "
        f"ones. Shuffle RandomizedResponse, UnaryEncoding, Laplace or Geometric.",
    )


def other_number_of_people(people: int, given: int) -> InvalidInput:
    """The loss was computed for another number of reports."""
    return InvalidInput(
        "mechanisms.other-number-of-people",
        f"The loss is that of {people} shuffled reports, and {given} were given. Nothing was drawn. Say the true "
        f"number as people=...: fewer reports hide less.",
    )


def session_copied() -> InvalidInput:
    """Two copies of a session would share one charge."""
    return InvalidInput(
        "mechanisms.session-copied",
        "A session cannot be copied or pickled: each copy would go on answering for the price of one. "
        "Open another session, and charge it.",
    )


def objective_out_of_range(slope: float, least: float, weights: int, most: int) -> InvalidInput:
    """A slope so wide, or so many weights, that the minimiser cannot be certified in floats."""
    return InvalidInput(
        "mechanisms.objective-out-of-range",
        f"An objective with {weights} weights and ε = {slope:g} for its slope cannot be minimised with a certified "
        f"error: at most {most} weights, at least ε = {least:g}, and rows whose gradients are at most 4 long can. "
        f"Nothing was drawn. Learn by noisy gradients.",
    )


def slope_without_shape(shape: object) -> InvalidInput:
    """A slope has the shape of a ball or of a cube."""
    return InvalidInput(
        "mechanisms.slope-without-shape",
        f"shape = {shape!r} is not a norm that slopes can have. Nothing was drawn. Write Norm.L2 for gradients in a "
        f"ball, or Norm.LINF for gradients in a cube.",
    )


def too_many_answers(values: int, most: int) -> InvalidInput:
    """A list with an estimate for each of so many answers would not fit."""
    return InvalidInput(
        "mechanisms.too-many-answers",
        f"There are {values} possible answers, and at most {most} are listed with an estimate each. Name those you "
        f"want to know about: estimate(reports, answers=[...]).",
    )


def not_bit_reports(values: int) -> InvalidInput:
    """Reports of unary encoding are rows of bits."""
    return InvalidInput(
        "mechanisms.not-bit-reports",
        f"Reports of unary encoding are a table with one row of {values} bits a person, each 0 or 1. Pass the rows "
        f"that release returned.",
    )
