from __future__ import annotations

import inspect

import pytest

from partita.errors import InvalidInput, NotProven
from partita.errors import learning as refuse

CASES = [
    (
        refuse.no_bounds("The data", "bounds=(-1, 1)"),
        InvalidInput,
        "learning.no-bounds",
        (
            "The data has no bounds, so one row could move the result without limit. Nothing was spent. Say in "
            "public what the values lie between: bounds=(-1, 1). Bounds taken from the rows themselves would give"
            " those rows away."
        ),
    ),
    (
        refuse.bad_bounds("bounds", (1, 0)),
        InvalidInput,
        "learning.bad-bounds",
        (
            "bounds = (1, 0) cannot be used. Nothing was spent. Give two finite numbers, the lower one first, or "
            "two lists with one number a feature: bounds=(-1, 1) or bounds=([0, 0], [120, 20000])."
        ),
    ),
    (
        refuse.other_features("bounds", 2, 3),
        InvalidInput,
        "learning.other-features",
        (
            "bounds names 2 features and the rows have 3. Nothing was spent. Give one bound a feature, or one "
            "pair for all."
        ),
    ),
    (
        refuse.too_wide(2000, 1024),
        InvalidInput,
        "learning.too-wide",
        (
            "Rows have 2000 features, and at most 1024 can be summed exactly. Nothing was spent. Leave out some "
            "features, or project the rows on fewer directions that are public."
        ),
    ),
    (
        refuse.not_numbers("<U5"),
        InvalidInput,
        "learning.not-numbers",
        ("Rows must be numbers, and <U5 was given. Nothing was spent. Give a table of numbers, one row a record."),
    ),
    (
        refuse.fewer_rows("2", 3),
        InvalidInput,
        "learning.fewer-rows",
        ("n_clusters = 3 is more than the number of rows (2). Nothing was spent. Ask for fewer clusters."),
    ),
    (
        refuse.no_classes(),
        InvalidInput,
        "learning.no-classes",
        (
            "classes are not declared. Nothing was spent. Which labels occur is itself a fact about the rows, so "
            'say in public which there can be: classes=["no", "yes"]. Where the labels that occur are public '
            'anyway, write classes="from labels".'
        ),
    ),
    (
        refuse.few_classes(["a"]),
        InvalidInput,
        "learning.few-classes",
        (
            "classes = ['a'] has one class or names one twice, and a classifier needs at least two. Nothing was "
            "spent. Declare every label that can occur, once."
        ),
    ),
    (
        refuse.unknown_label(),
        InvalidInput,
        "learning.unknown-label",
        (
            "A label is not among the declared classes. Nothing was spent. Declare every label that can occur, or"
            " map the others to one that is declared, row by row."
        ),
    ),
    (
        refuse.one_of("solver", "magic", ("auto", "objective")),
        InvalidInput,
        "learning.one-of",
        ("solver = 'magic' is not one of 'auto', 'objective'. Nothing was spent."),
    ),
    (
        refuse.from_data("The bounds", "Declare them: bounds=(-1, 1)."),
        NotProven,
        "learning.from-data",
        (
            "The bounds would be taken from the rows without noise, and no theorem covers that. Nothing was "
            "spent. Declare them: bounds=(-1, 1)."
        ),
    ),
    (
        refuse.needs_delta("A Poisson sample"),
        InvalidInput,
        "learning.needs-delta",
        ("A Poisson sample needs a price with a δ: epsilon= with delta=, rho= or mu=. Nothing was spent."),
    ),
    (
        refuse.bad_start("centres, and the grid finds its own"),
        InvalidInput,
        "learning.bad-start",
        (
            "init has centres, and the grid finds its own. Nothing was spent. Give one public centre a cluster, "
            "each with one finite number a feature."
        ),
    ),
    (
        refuse.needs_scikit_learn(),
        InvalidInput,
        "learning.needs-scikit-learn",
        (
            "This is a scikit-learn estimator and scikit-learn is not installed. Nothing was spent. Install it "
            "with: pip install 'partita[learn]'."
        ),
    ),
    (
        refuse.rows_refused("Input X contains NaN."),
        InvalidInput,
        "learning.rows-refused",
        ("Input X contains NaN. Nothing was spent."),
    ),
    (
        refuse.not_a_number_column("sex", "categories"),
        InvalidInput,
        "learning.not-a-number-column",
        (
            "Column 'sex' is declared as categories, and features must be numbers. Nothing was spent. Use columns"
            " declared with integers, decimals, dates or booleans."
        ),
    ),
    (
        refuse.no_target(),
        InvalidInput,
        "learning.no-target",
        ("There is no target to learn. Nothing was spent. Name the column: fit_from(curator, ..., target='outcome')."),
    ),
    (
        refuse.too_many_components(5, 2),
        InvalidInput,
        "learning.too-many-components",
        ("n_components = 5 is more than the number of features (2). Nothing was spent."),
    ),
    (
        refuse.sample_of_groups(3),
        NotProven,
        "learning.sample-of-groups",
        (
            "What a Poisson sample hides is proven for one row, and here 3 rows belong together. Nothing was "
            "spent. Use batches='disjoint', or all rows in every step."
        ),
    ),
    (
        refuse.other_plan(),
        InvalidInput,
        "learning.other-plan",
        (
            "The models were fitted with other features, bounds or prices, so their sums do not add up. Nothing "
            "was spent. Fit all of them with the same parameters on columns that are declared alike."
        ),
    ),
    (
        refuse.radius_elsewhere(),
        InvalidInput,
        "learning.radius-elsewhere",
        (
            "radius= is for algorithm='lloyd': the grid covers the whole box of the bounds. Nothing was spent. Leave "
            "one of them out."
        ),
    ),
    (
        refuse.batches_elsewhere("poisson", "objective"),
        InvalidInput,
        "learning.batches-elsewhere",
        (
            "batches = 'poisson' is for solver='descent', and solver = 'objective' looks at all rows. Nothing was "
            "spent. Leave one of them out."
        ),
    ),
    (
        refuse.no_custodians("north"),
        InvalidInput,
        "learning.no-custodians",
        (
            "curators = 'north' is not a list of curators. Nothing was spent. Pass one curator or session a custodian: "
            "fit_across([north, south], ...), or use fit_from for a single one."
        ),
    ),
    (
        refuse.same_custodian(0, 2),
        InvalidInput,
        "learning.same-custodian",
        (
            "The custodians at 0 and 2 have the same table, so its rows would count twice and the model would look "
            "more exact than it is. Nothing was spent. Pass each custodian once."
        ),
    ),
    (
        refuse.unknown_custodian([3], 2),
        InvalidInput,
        "learning.unknown-custodian",
        "at = [3] names a custodian that the model does not have: there are 2, and the first is 0. Nothing was spent.",
    ),
    (
        refuse.rounds_without_delta(),
        InvalidInput,
        "learning.rounds-without-delta",
        (
            "Rounds are charged one by one as they come, and at a price in (ε, δ) each would take the whole δ. Nothing "
            "was spent. Say the price as rho= or mu=, or as epsilon= alone."
        ),
    ),
    (
        refuse.no_columns("age"),
        InvalidInput,
        "learning.no-columns",
        ("columns = 'age' is not a list of column names. Nothing was spent. Name at least one: columns=['age']."),
    ),
    (
        refuse.not_a_curator(7),
        InvalidInput,
        "learning.not-a-curator",
        (
            "curator = 7 is not a curator. Nothing was spent. Pass a pt.Curator or a session of one, or use fit "
            "on rows you hold."
        ),
    ),
]


@pytest.mark.parametrize(("error", "kind", "code", "text"), CASES, ids=[case[2] for case in CASES])
def test_the_words_are_exactly_these(error, kind, code, text):
    assert type(error) is kind
    assert error.code == code
    assert str(error) == text


def test_every_message_is_here():
    made = {name for name, thing in vars(refuse).items() if inspect.isfunction(thing)}
    codes = {case[2] for case in CASES}
    assert len(codes) == len(CASES) == len(made)
