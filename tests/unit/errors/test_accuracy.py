"""The exact words of every refusal about accuracies, batches, plans and reuse."""

from __future__ import annotations

import pytest

from partita.errors import accuracy as refuse

UNTOUCHED = "Nothing was read and nothing was charged."
WORDS = [
    (
        refuse.no_accuracy(),
        "accuracy.no-accuracy",
        'within= names no column. Give one number for all of them, within=50, or one for each: within={"n": 50}.',
    ),
    (
        refuse.no_such_column("m", ["n", "mean"]),
        "accuracy.no-such-column",
        "The answer has no noisy column 'm', so no accuracy can be wished for it. It has: n, mean.",
    ),
    (
        refuse.needs_rows("mean"),
        "accuracy.needs-rows",
        (
            "How exact mean is depends on how many rows its group has, and that is not public. Say for groups of which "
            f"size the accuracy shall hold: rows=1000. {UNTOUCHED}"
        ),
    ),
    (
        refuse.error_not_foreseen("median"),
        "accuracy.error-not-foreseen",
        (
            "How exact median will be depends on the data, so no accuracy can be promised beforehand. Ask by price: "
            f"epsilon= or rho=. {UNTOUCHED}"
        ),
    ),
    (
        refuse.error_not_foreseen("r", "SELECT COVAR_POP(x, y) AS part_1 FROM t"),
        "accuracy.error-not-foreseen",
        (
            "How exact r will be depends on the data, so no accuracy can be promised beforehand. Ask by price: "
            "epsilon= or rho=. The accuracy of its parts can be promised: SELECT COVAR_POP(x, y) AS part_1 FROM t. "
            f"{UNTOUCHED}"
        ),
    ),
    (
        refuse.needs_floor("total"),
        "accuracy.needs-floor",
        (
            "A percentage of total has no meaning for values near zero, and how large they are is not public. Say from "
            f"which size on it shall hold, in the units of the column: floor={{'total': 1000}}. {UNTOUCHED}"
        ),
    ),
    (
        refuse.quantile_in_values("half"),
        "accuracy.quantile-in-values",
        (
            "half is a quantile: how far off it is in value depends on how densely the rows lie, and that is not "
            "public. Say how many rows may lie between it and the answer: within={'half': '20 rows'}, or within='1%' "
            f"with floor=2000 for groups of at least so many rows. {UNTOUCHED}"
        ),
    ),
    (
        refuse.rows_of_no_quantile("n"),
        "accuracy.rows-of-no-quantile",
        (
            "n is not a quantile, so rows do not measure it. Give its accuracy in the units of the column, or as a "
            f"percentage: within={{'n': 50}}. {UNTOUCHED}"
        ),
    ),
    (
        refuse.too_exact(1.6789),
        "accuracy.too-exact",
        (
            "No price reaches this accuracy: noisy numbers are whole, and rounding alone makes the error bar 1.68 "
            f"times as long as asked. Allow a wider one. {UNTOUCHED}"
        ),
    ),
    (
        refuse.price_and_accuracy("rho"),
        "accuracy.price-and-accuracy",
        "Give rho= or within=, not both: a price decides the accuracy, and an accuracy decides the price.",
    ),
    (
        refuse.wish_without_accuracy("rows"),
        "accuracy.wish-without-accuracy",
        "rows= belongs to within=, which was not given. Add within=, or leave it out.",
    ),
    (
        refuse.over_budget("It does not fit.", {"n": "71.04", "mean": "2.5"}),
        "accuracy.over-budget",
        "It does not fit. The same question fits with longer error bars: within={'n': 71.04, 'mean': 2.5}.",
    ),
    (
        refuse.no_questions(),
        "accuracy.no-questions",
        "There are no questions to price together. Give a list of them.",
    ),
    (
        refuse.weights_of_batch(1, 2),
        "accuracy.weights-of-batch",
        "weights= has 1 entries and there are 2 questions. Give one each.",
    ),
    (
        refuse.several_tables_planned(["doctors", "visits"]),
        "accuracy.several-tables-planned",
        (
            "A plan is charged to one table, and these questions are about doctors and visits. Make one plan for each "
            f"table. {UNTOUCHED}"
        ),
    ),
    (
        refuse.no_plan_for("any 3 days", "a reason"),
        "accuracy.no-plan-for",
        f"A plan cannot be charged to a promise to any 3 days: a reason. Ask its questions one by one. {UNTOUCHED}",
    ),
    (
        refuse.not_planned("SELECT 1", 2),
        "accuracy.not-planned",
        (
            "'SELECT 1' is none of the 2 questions of this plan. Give the place of one, from 0 to 1, or its SQL as it "
            "was planned. Nothing new was charged."
        ),
    ),
    (
        refuse.batch_in_measure("Rényi"),
        "accuracy.batch-in-measure",
        f"A batch under a budget in Rényi is priced in rho=. {UNTOUCHED}",
    ),
    (
        refuse.not_nested(),
        "accuracy.not-nested",
        (
            "These answers cannot be made to agree: none of them is so fine that the groups of all the others are sums "
            "of its groups, over the same rows. Ask for a table by all their keys, or adjust fewer answers."
        ),
    ),
    (
        refuse.too_many_to_adjust(3000, 2000),
        "accuracy.too-many-to-adjust",
        (
            "One of these answers has 3000 groups, and at most 2000 are adjusted at once. Adjust answers about fewer "
            "groups."
        ),
    ),
    (
        refuse.same_noise(),
        "accuracy.same-noise",
        (
            "One of these answers was made from earlier answers, or is there twice, so its noise is not its own and "
            "the error bars would be too short. Adjust the answers it was made from, or ask with reuse=False. Answers "
            "of one batch agree already, but for the rounding of counts."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
