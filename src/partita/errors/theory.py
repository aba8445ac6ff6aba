"""What is said of losses, distances and conversions that have no theorem, and of laws that cannot be built."""

from __future__ import annotations

from partita.errors.base import InvalidInput, NotProven


def beyond_numerics(name: str) -> InvalidInput:
    """The value is so large or so small that no finite bound could be computed."""
    return InvalidInput(
        "theory.beyond-numerics",
        f"{name} has no finite bound that can be computed from these values. Use less extreme parameters.",
    )


def additive_secrecy(kind: str, delta: object) -> InvalidInput:
    """Delta without epsilon: closed under everything, and protects nobody (theory B25)."""
    return InvalidInput(
        "theory.additive-secrecy",
        f"{kind} = 0 with δ = {delta} is not accepted. A mechanism that publishes each person's record with "
        f"probability δ satisfies it, and whoever is published has no protection at all (name and shame). "
        f"Give {kind} > 0, and δ far below one over the number of people.",
    )


def delta_too_large(delta: object) -> InvalidInput:
    """Delta of one or more promises nothing."""
    return InvalidInput(
        "theory.delta-too-large",
        f"δ = {delta} promises nothing: it must be below 1, and far below 1/n in practice.",
    )


def unlike_losses(first: str, second: str) -> InvalidInput:
    """Two losses of different measures are never added silently."""
    return InvalidInput(
        "theory.unlike-losses",
        f"A loss in {first} and a loss in {second} cannot be added or compared. "
        f"Convert one of them first: pt.convert(loss, to=...).",
    )


def not_a_loss(name: str, value: object) -> InvalidInput:
    """Something that is not a loss stands where one is needed."""
    return InvalidInput(
        "theory.not-a-loss",
        f"{name} = {value!r} is not a privacy loss. Give pt.Pure(epsilon=...), pt.Approximate(epsilon=..., "
        f"delta=...), pt.ZCDP(rho=...), pt.GDP(mu=...) or another measure.",
    )


def no_conversion(source: str, target: str, reason: str) -> NotProven:
    """The direction has no theorem; the reason says why."""
    return NotProven("theory.no-conversion", f"{source} does not give {target}: {reason}")


def too_many_places(limit: int) -> NotProven:
    """An integral that would take more memory and time than there is: noise or a rate that is tiny."""
    return NotProven(
        "theory.too-many-places",
        f"The law of this release on a sample takes more than {limit:,} places to integrate: its noise is far "
        'below the distance, or its rate is tiny. Add noise, sample more, or compose by another rule: method="renyi".',
    )


def needs_delta(source: str) -> InvalidInput:
    """Neither ε nor δ was given for a reading in (ε, δ)."""
    return InvalidInput(
        "theory.needs-delta",
        f"{source} gives one (ε, δ) for every δ. Say which: convert(..., delta=...) or convert(..., epsilon=...).",
    )


def delta_unreachable(source: str, delta: object, floor: object) -> NotProven:
    """The loss already carries more delta than was asked for."""
    return NotProven(
        "theory.delta-unreachable",
        f"{source} already carries δ = {floor}, so no ε reaches δ = {delta}. Ask for a larger δ.",
    )


def no_group_rule(kind: str, reason: str) -> NotProven:
    """Group privacy has no clean rule in this measure."""
    return NotProven("theory.no-group-rule", f"{kind} has no rule for groups: {reason}")


def group_too_large(kind: str, steps: int, delta: str) -> NotProven:
    """By the rule for groups nothing is left of the promise."""
    return NotProven(
        "theory.group-too-large",
        f"{kind} promises nothing to {steps} together: by the rule for groups the δ grows to {delta}, and from 1 "
        f"on it is no promise.",
    )


def unknown_order(order: object, orders: object) -> InvalidInput:
    """A Rényi order at or below one, or outside the grid."""
    return InvalidInput(
        "theory.unknown-order",
        f"The Rényi order {order} cannot be used: orders must be greater than 1 ({orders}).",
    )


def not_additive(kind: str) -> NotProven:
    """A profile is no vector of sums: exact curves compose only for plans fixed beforehand (theory D8)."""
    return NotProven(
        "theory.not-additive",
        f"A {kind} is a curve, not a sum: adding curves is proven only for a plan fixed beforehand, and recomputing "
        f"the total for an adaptive analyst understates it. Use pt.compose for a fixed plan, pt.Slots for exact "
        f"composition of adaptive questions, or a budget in ρ, μ or ε.",
    )


def ill_formed_curve(orders: int, values: int) -> InvalidInput:
    """A Rényi curve needs one τ for each order."""
    return InvalidInput(
        "theory.ill-formed-curve",
        f"A Rényi curve needs one τ for each order: {orders} orders and {values} values were given. "
        f"Write Renyi(order=8, tau=0.5), or Renyi(orders=[...], taus=[...]).",
    )


def unlike_orders(first: int, second: int) -> InvalidInput:
    """Two Rényi curves on different grids have no common vector."""
    return InvalidInput(
        "theory.unlike-orders",
        f"Two Rényi curves on different grids ({first} and {second} orders) cannot be added. "
        f"Put both on common orders first: curve.on([...]).",
    )


def not_a_measure(value: object) -> InvalidInput:
    """The target of a conversion is no measure."""
    return InvalidInput(
        "theory.not-a-measure",
        f"to = {value!r} is not a measure. Give pt.Pure, pt.Approximate, pt.ZCDP, pt.Renyi, pt.GDP or pt.Profile.",
    )


def needless_delta(target: str) -> InvalidInput:
    """Only an (ε, δ) reading takes a δ or an ε."""
    return InvalidInput(
        "theory.needless-delta",
        f"A conversion to {target} takes neither delta nor epsilon; only a conversion to pt.Approximate does.",
    )


def both_epsilon_and_delta() -> InvalidInput:
    """Both ε and δ were given, and one of them determines the other."""
    return InvalidInput(
        "theory.both-epsilon-and-delta",
        "Give delta or epsilon, not both: the loss determines the other one.",
    )


def empty_budget(unit: str) -> InvalidInput:
    """A budget of zero admits nothing."""
    return InvalidInput(
        "theory.empty-budget",
        f"A promise of no loss at all for [{unit}] admits no question. Give a budget above zero.",
    )


def not_points(points: object) -> InvalidInput:
    """A profile is made from pairs of numbers."""
    return InvalidInput(
        "theory.not-points",
        f"{points!r} are not points of a profile. Give pairs (epsilon, delta), for example [(0, 0.2), (1, 0)].",
    )


def unknown_norm(norm: object) -> InvalidInput:
    """A distance is measured in one of three norms."""
    return InvalidInput(
        "theory.unknown-norm", f"norm = {norm!r} is not known. Write pt.l1(...), pt.l2(...) or pt.linf(...)."
    )


# --- laws of the privacy loss ---------------------------------------------------------------------------------------


def bad_parameter(name: str, value: object) -> InvalidInput:
    """A parameter of a law outside its range."""
    return InvalidInput(
        "losses.bad-parameter",
        f"A privacy loss with {name} = {value} does not exist. Give a finite number in its range.",
    )


def not_a_distribution(reason: str) -> InvalidInput:
    """Probabilities that are negative, do not sum to one, or do not match."""
    return InvalidInput(
        "losses.not-a-distribution",
        f"These numbers are not a pair of distributions: {reason}. Give non-negative probabilities, one for each "
        f"outcome in both lists, each list with the sum 1.",
    )


def not_a_profile(reason: str) -> InvalidInput:
    """A table of (epsilon, delta) points that no pair could have."""
    return InvalidInput(
        "losses.not-a-profile",
        f"This table is not a privacy profile: {reason}. Give points (ε, δ) with strictly growing ε and δ between "
        f"0 and 1 that never grows.",
    )


def too_many_atoms(atoms: int, limit: int) -> InvalidInput:
    """A discrete law with more outcomes than can be handled."""
    return InvalidInput(
        "losses.too-many-atoms",
        f"This law has {atoms} outcomes, more than {limit}. Merge outcomes with nearly equal losses upwards, or use "
        f"continuous noise rounded to the lattice (pt.GaussianNoise, pt.Laplace), which needs no table.",
    )
