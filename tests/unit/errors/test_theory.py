from __future__ import annotations

import pytest

from partita.errors import theory

TEXTS = {
    "theory.beyond-numerics": (
        theory.beyond_numerics("e^epsilon"),
        "e^epsilon has no finite bound that can be computed from these values. Use less extreme parameters.",
    ),
    "theory.additive-secrecy": (
        theory.additive_secrecy("ε", 0.01),
        (
            "ε = 0 with δ = 0.01 is not accepted. A mechanism that publishes each person's record with probability δ "
            "satisfies it, and whoever is published has no protection at all (name and shame). "
            "Give ε > 0, and δ far below one over the number of people."
        ),
    ),
    "theory.delta-too-large": (
        theory.delta_too_large(1.0),
        "δ = 1.0 promises nothing: it must be below 1, and far below 1/n in practice.",
    ),
    "theory.unlike-losses": (
        theory.unlike_losses("ε", "ρ"),
        "A loss in ε and a loss in ρ cannot be added or compared. Convert one of them first: pt.convert(loss, to=...).",
    ),
    "theory.not-a-loss": (
        theory.not_a_loss("loss", 1),
        (
            "loss = 1 is not a privacy loss. Give pt.Pure(epsilon=...), pt.Approximate(epsilon=..., delta=...), "
            "pt.ZCDP(rho=...), pt.GDP(mu=...) or another measure."
        ),
    ),
    "theory.no-conversion": (theory.no_conversion("ρ", "μ", "why."), "ρ does not give μ: why."),
    "theory.needs-delta": (
        theory.needs_delta("ρ"),
        "ρ gives one (ε, δ) for every δ. Say which: convert(..., delta=...) or convert(..., epsilon=...).",
    ),
    "theory.delta-unreachable": (
        theory.delta_unreachable("ρ = 1", 0, 0.1),
        "ρ = 1 already carries δ = 0.1, so no ε reaches δ = 0. Ask for a larger δ.",
    ),
    "theory.no-group-rule": (theory.no_group_rule("ρ", "why."), "ρ has no rule for groups: why."),
    "theory.unknown-order": (
        theory.unknown_order(1.0, "in increasing order"),
        "The Rényi order 1.0 cannot be used: orders must be greater than 1 (in increasing order).",
    ),
    "theory.not-additive": (
        theory.not_additive("profile"),
        (
            "A profile is a curve, not a sum: adding curves is proven only for a plan fixed beforehand, and "
            "recomputing the total for an adaptive analyst understates it. Use pt.compose for a fixed plan, "
            "pt.Slots for exact composition of adaptive questions, or a budget in ρ, μ or ε."
        ),
    ),
    "theory.ill-formed-curve": (
        theory.ill_formed_curve(2, 1),
        (
            "A Rényi curve needs one τ for each order: 2 orders and 1 values were given. "
            "Write Renyi(order=8, tau=0.5), or Renyi(orders=[...], taus=[...])."
        ),
    ),
    "theory.unlike-orders": (
        theory.unlike_orders(3, 4),
        (
            "Two Rényi curves on different grids (3 and 4 orders) cannot be added. "
            "Put both on common orders first: curve.on([...])."
        ),
    ),
    "theory.not-a-measure": (
        theory.not_a_measure(3),
        "to = 3 is not a measure. Give pt.Pure, pt.Approximate, pt.ZCDP, pt.Renyi, pt.GDP or pt.Profile.",
    ),
    "theory.needless-delta": (
        theory.needless_delta("ρ"),
        "A conversion to ρ takes neither delta nor epsilon; only a conversion to pt.Approximate does.",
    ),
    "theory.not-points": (
        theory.not_points(5),
        "5 are not points of a profile. Give pairs (epsilon, delta), for example [(0, 0.2), (1, 0)].",
    ),
    "theory.unknown-norm": (
        theory.unknown_norm("l3"),
        "norm = 'l3' is not known. Write pt.l1(...), pt.l2(...) or pt.linf(...).",
    ),
    "theory.empty-budget": (
        theory.empty_budget("one row"),
        "A promise of no loss at all for [one row] admits no question. Give a budget above zero.",
    ),
    "theory.both-epsilon-and-delta": (
        theory.both_epsilon_and_delta(),
        "Give delta or epsilon, not both: the loss determines the other one.",
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_text_is_exactly_this(code: str) -> None:
    error, text = TEXTS[code]
    assert (error.code, error.message) == (code, text)
