from __future__ import annotations

import pytest

from partita.errors import PartitaError
from partita.errors import composition as refuse

TEXTS = [
    (
        refuse.no_group("Subsampled", 3),
        "composition.no-group",
        (
            "Subsampled has no proven total for 3 rows at once: a larger distance does not price a group that is "
            "sampled row by row. Nothing was composed. Compose for one row, then use pt.group_privacy(total, 3), at a "
            "larger δ."
        ),
    ),
    (
        refuse.account_copied("Filter"),
        "composition.account-copied",
        (
            "A live Filter cannot be copied or pickled: the copy would be spent a second time. Nothing was charged. "
            "Hand on the Filter itself, or make a new one with a budget of its own."
        ),
    ),
    (
        refuse.owned("Filter"),
        "composition.owned",
        (
            "This Filter counts for another account, which must see every release. Nothing was run and nothing was "
            "charged. Charge that account, or make a Filter of your own."
        ),
    ),
    (
        refuse.interleaved("The interactive release 'b'"),
        "composition.interleaved",
        (
            "The interactive release 'b' cannot be opened: older ones were already interleaved, and with this one in "
            "the account that is not proven (theory D3). Nothing was run and nothing was charged. Use a child that "
            "costs ε and δ like the others, or another account."
        ),
    ),
    (
        refuse.too_many_slots(10, 5),
        "composition.too-many-slots",
        (
            "10 slots are more than 5, the most that are kept one by one. Nothing was declared. Use a filter, which "
            "keeps sums."
        ),
    ),
    (
        refuse.unknown_parameters("Laplace", ["foo", "bar"]),
        "composition.unknown-parameters",
        "Laplace cannot be calibrated with the parameters bar, foo. Leave them out.",
    ),
    (
        refuse.bare_law("GaussianLoss"),
        "composition.bare-law",
        (
            "A GaussianLoss alone is the loss of one direction only. Give both: Pair(remove, add), or Pair.of(law) "
            "where both directions are known to have this law."
        ),
    ),
    (
        refuse.not_certified("pld", 0.5, 1e-6),
        "composition.not-certified",
        (
            "The method 'pld' found ε = 0.5 at δ = 1e-06, but its own curve does not confirm it. Nothing is "
            "promised. Ask for a larger δ, or use another method."
        ),
    ),
    (
        refuse.only_approximation("A guarantee for groups"),
        "composition.only-approximation",
        (
            "A guarantee for groups needs a proven total, and a central-limit approximation may be below the truth. "
            "Compose with method='best' instead."
        ),
    ),
    (
        refuse.not_an_event(3),
        "composition.not-an-event",
        (
            "3 is not an event of a plan. Give a mechanism such as pt.Laplace(epsilon=0.1), a pair (mechanism, "
            "count), mechanism.at(distance), or a loss such as pt.Pure(epsilon=0.1)."
        ),
    ),
    (
        refuse.not_a_plan("laplace"),
        "composition.not-a-plan",
        "'laplace' is not a plan. Give a list of events, such as [(pt.Laplace(epsilon=0.1), 100)].",
    ),
    (
        refuse.too_many(2**60, 2**50),
        "composition.too-many",
        "count = 1152921504606846976 is more than 1125899906842624 and cannot be counted exactly.",
    ),
    (
        refuse.unknown_method("magic", ["best", "basic"]),
        "composition.unknown-method",
        "There is no method 'magic'. Methods: best, basic.",
    ),
    (
        refuse.unknown_relation("x"),
        "composition.unknown-relation",
        "'x' is not a relation. Give 'add/remove', 'change-one', or a granularity such as pt.rows().",
    ),
    (
        refuse.not_under_relation("RandomizedResponse(epsilon=1)", "add/remove", ["change-one"]),
        "composition.not-under-relation",
        (
            "RandomizedResponse(epsilon=1) is not proven under the relation add/remove; it is under change-one. "
            "Nothing was composed. Ask for that relation, or use a mechanism whose distance was measured under "
            "add/remove."
        ),
    ),
    (
        refuse.unlike_relations("A", "B"),
        "composition.unlike-relations",
        (
            "A and B are proven under different relations, and losses under unlike relations are never summed. "
            "Convert one of them first (theory A9), or leave it out."
        ),
    ),
    (
        refuse.directions_mix("A"),
        "composition.directions-mix",
        (
            "A loses differently when a record enters and when one leaves. A change or a group of rows may do both in "
            "one plan, so one pair must dominate both directions (theory B6). Give a symmetric pair."
        ),
    ),
    (
        refuse.needs_delta("zcdp"),
        "composition.needs-delta",
        "The total by zcdp has one ε for every δ > 0 and none for δ = 0. Say which: compose(..., delta=1e-6).",
    ),
    (
        refuse.delta_out_of_range(2),
        "composition.delta-out-of-range",
        "δ = 2 cannot be used: it must be at least 0 and below 1, and far below 1/n in practice.",
    ),
    (
        refuse.delta_taken(1e-6, 1e-5),
        "composition.delta-taken",
        (
            "The events of this plan already carry δ = 1e-05 together, so no ε reaches δ = 1e-06. Ask for a "
            "larger δ, or give the events a smaller one."
        ),
    ),
    (
        refuse.no_total("A", "gdp", "it is not Gaussian."),
        "composition.no-total",
        (
            "A cannot be composed by the method 'gdp': it is not Gaussian. Use method='best', which takes the "
            "least of everything that is proven."
        ),
    ),
    (
        refuse.filter_refuses("ρ = 0.4", "ρ = 0.2", "ρ = 0.1", "ρ = 0.5"),
        "composition.filter-refuses",
        (
            "The budget of ρ = 0.5 cannot pay ρ = 0.2: ρ = 0.4 is spent, and at most ρ = 0.1 would fit. Nothing "
            "was run and nothing was charged; smaller questions are still answered."
        ),
    ),
    (
        refuse.not_a_filter("δ(ε)", "curves cross."),
        "composition.not-a-filter",
        (
            "No filter is proven for a budget in δ(ε): curves cross. Give a budget in ε, (ε, δ), ρ, τ or μ, or "
            "declare the releases beforehand with pt.Slots."
        ),
    ),
    (
        refuse.cost_not_for_filter("ρ = 1", "(ε, δ)"),
        "composition.cost-not-for-filter",
        "A filter with a budget of (ε, δ) cannot take a cost of ρ = 1. Price the release in the measure of the budget.",
    ),
    (
        refuse.no_slot("A", 2),
        "composition.no-slot",
        (
            "No free slot covers A; 2 other slots are free. Nothing was run and nothing was charged. Use a "
            "release with at least as much noise as a free slot, or declare more slots beforehand."
        ),
    ),
    (
        refuse.locked("The interactive release 'first'"),
        "composition.locked",
        (
            "The interactive release 'first' was opened before a newer one and is locked: interleaving is not "
            "proven under ρ with δ > 0 (theory D3). Nothing was run. Finish one child before opening the next, "
            "or book children in ε and δ."
        ),
    ),
    (
        refuse.cannot_calibrate("Laplace", "ε is too small."),
        "composition.cannot-calibrate",
        "No Laplace meets this target: ε is too small.",
    ),
    (
        refuse.not_calibratable(int, ["Laplace"]),
        "composition.not-calibratable",
        "<class 'int'> has no amount of noise that can be solved for. Give one of Laplace.",
    ),
    (
        refuse.bad_weights("there are none"),
        "composition.bad-weights",
        "These shares cannot be used: there are none. Give positive numbers; only their ratio counts.",
    ),
    (
        refuse.bad_document("events[0]", "an event must be an object."),
        "composition.bad-document",
        "This plan cannot be read at events[0]: an event must be an object.",
    ),
    (
        refuse.unwritable("A", "it has no such mechanism."),
        "composition.unwritable",
        "A has no counterpart in that vocabulary: it has no such mechanism.",
    ),
]


@pytest.mark.parametrize(("error", "code", "text"), TEXTS, ids=[code for _, code, _ in TEXTS])
def test_the_words_of_an_error_are_these(error: PartitaError, code: str, text: str) -> None:
    assert error.code == code
    assert str(error) == text


def test_every_error_of_composition_has_its_words_tested() -> None:
    made = {name for name, thing in vars(refuse).items() if callable(thing) and thing.__module__ == refuse.__name__}
    assert len(made - {"_shown"}) == sum(code.startswith("composition.") for _, code, _ in TEXTS)


def test_long_values_are_cut() -> None:
    assert len(str(refuse.not_an_event("x" * 500))) < 400
