"""What is said of learning algorithms, surveys and selections used wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput, NotProven


def no_bounds(what: str, example: str) -> InvalidInput:
    """Without public bounds one row could move a sum without limit."""
    return InvalidInput(
        "learning.no-bounds",
        f"{what} has no bounds, so one row could move the result without limit. Nothing was spent. Say in public what "
        f"the values lie between: {example}. Bounds taken from the rows themselves would give those rows away.",
    )


def bad_bounds(name: str, value: object) -> InvalidInput:
    """Bounds that are not finite pairs in the right order."""
    return InvalidInput(
        "learning.bad-bounds",
        f"{name} = {value!r} cannot be used. Nothing was spent. Give two finite numbers, the lower one first, or two "
        f"lists with one number a feature: {name}=(-1, 1) or {name}=([0, 0], [120, 20000]).",
    )


def other_features(name: str, given: int, needed: int) -> InvalidInput:
    """As many bounds as features are needed."""
    return InvalidInput(
        "learning.other-features",
        f"{name} names {given} features and the rows have {needed}. Nothing was spent. Give one bound a feature, or "
        f"one pair for all.",
    )


def too_wide(features: int, most: int) -> InvalidInput:
    """So many features leave the numbers that floats hold exactly."""
    return InvalidInput(
        "learning.too-wide",
        f"Rows have {features} features, and at most {most} can be summed exactly. Nothing was spent. Leave out some "
        f"features, or project the rows on fewer directions that are public.",
    )


def not_numbers(found: str) -> InvalidInput:
    """Rows must be numbers; the type is named, never a value."""
    return InvalidInput(
        "learning.not-numbers",
        f"Rows must be numbers, and {found} was given. Nothing was spent. Give a table of numbers, one row a record.",
    )


def fewer_rows(rows: str, clusters: int) -> InvalidInput:
    """There are not as many rows as clusters."""
    return InvalidInput(
        "learning.fewer-rows",
        f"n_clusters = {clusters} is more than the number of rows ({rows}). Nothing was spent. Ask for fewer clusters.",
    )


def no_classes() -> InvalidInput:
    """Which labels there are must be public."""
    return InvalidInput(
        "learning.no-classes",
        "classes are not declared. Nothing was spent. Which labels occur is itself a fact about the rows, so say in "
        'public which there can be: classes=["no", "yes"]. Where the labels that occur are public anyway, write '
        'classes="from labels".',
    )


def few_classes(classes: Sequence[object]) -> InvalidInput:
    """One class needs no model."""
    return InvalidInput(
        "learning.few-classes",
        f"classes = {list(classes)!r} has one class or names one twice, and a classifier needs at least two. Nothing "
        f"was spent. Declare every label that can occur, once.",
    )


def unknown_label() -> InvalidInput:
    """A label that was not declared; which one is not said."""
    return InvalidInput(
        "learning.unknown-label",
        "A label is not among the declared classes. Nothing was spent. Declare every label that can occur, or map the "
        "others to one that is declared, row by row.",
    )


def one_of(name: str, value: object, choices: Sequence[str]) -> InvalidInput:
    """A word that is not in a short list."""
    listed = ", ".join(repr(choice) for choice in choices)
    return InvalidInput("learning.one-of", f"{name} = {value!r} is not one of {listed}. Nothing was spent.")


def from_data(what: str, instead: str) -> NotProven:
    """A variant that takes something from the rows without paying for it (theory F1)."""
    return NotProven(
        "learning.from-data",
        f"{what} would be taken from the rows without noise, and no theorem covers that. Nothing was spent. {instead}",
    )


def needs_delta(what: str) -> InvalidInput:
    """Gaussian noise and sampling need a δ or a ρ."""
    return InvalidInput(
        "learning.needs-delta",
        f"{what} needs a price with a δ: epsilon= with delta=, rho= or mu=. Nothing was spent.",
    )


def bad_start(what: str) -> InvalidInput:
    """Centres to start from that cannot be used."""
    return InvalidInput(
        "learning.bad-start",
        f"init has {what}. Nothing was spent. Give one public centre a cluster, each with one finite number a feature.",
    )


def needs_scikit_learn() -> InvalidInput:
    """The estimators stand on scikit-learn, which is an extra."""
    return InvalidInput(
        "learning.needs-scikit-learn",
        "This is a scikit-learn estimator and scikit-learn is not installed. Nothing was spent. "
        "Install it with: pip install 'partita[learn]'.",
    )


def rows_refused(problem: str) -> InvalidInput:
    """What scikit-learn says of rows that are no table of finite numbers."""
    return InvalidInput("learning.rows-refused", f"{problem.strip()} Nothing was spent.")


def not_a_number_column(name: str, kind: str) -> InvalidInput:
    """A column that holds no numbers cannot be a feature."""
    return InvalidInput(
        "learning.not-a-number-column",
        f"Column {name!r} is declared as {kind}, and features must be numbers. Nothing was spent. Use columns declared "
        f"with integers, decimals, dates or booleans.",
    )


def no_target() -> InvalidInput:
    """A classifier or a regression needs a column to learn."""
    return InvalidInput(
        "learning.no-target",
        "There is no target to learn. Nothing was spent. Name the column: fit_from(curator, ..., target='outcome').",
    )


def too_many_components(wanted: int, features: int) -> InvalidInput:
    """More directions than features."""
    return InvalidInput(
        "learning.too-many-components",
        f"n_components = {wanted} is more than the number of features ({features}). Nothing was spent.",
    )


def sample_of_groups(rows: int) -> NotProven:
    """What a secret sample hides is proven for one row, not for several of one person."""
    return NotProven(
        "learning.sample-of-groups",
        f"What a Poisson sample hides is proven for one row, and here {rows} rows belong together. Nothing was spent. "
        f"Use batches='disjoint', or all rows in every step.",
    )


def other_plan() -> InvalidInput:
    """Models that were learnt differently have no common sums."""
    return InvalidInput(
        "learning.other-plan",
        "The models were fitted with other features, bounds or prices, so their sums do not add up. Nothing was spent. "
        "Fit all of them with the same parameters on columns that are declared alike.",
    )


def radius_elsewhere() -> InvalidInput:
    """Only Lloyd's algorithm has a ball."""
    return InvalidInput(
        "learning.radius-elsewhere",
        "radius= is for algorithm='lloyd': the grid covers the whole box of the bounds. Nothing was spent. Leave "
        "one of them out.",
    )


def batches_elsewhere(batches: object, solver: str) -> InvalidInput:
    """Only plain descent looks at batches."""
    return InvalidInput(
        "learning.batches-elsewhere",
        f"batches = {batches!r} is for solver='descent', and solver = {solver!r} looks at all rows. Nothing was spent. "
        f"Leave one of them out.",
    )


def no_custodians(value: object) -> InvalidInput:
    """A model of several custodians needs them in a list."""
    return InvalidInput(
        "learning.no-custodians",
        f"curators = {value!r} is not a list of curators. Nothing was spent. Pass one curator or session a custodian: "
        f"fit_across([north, south], ...), or use fit_from for a single one.",
    )


def same_custodian(first: int, again: int) -> InvalidInput:
    """Rows that are counted twice, with the same noise, would make the errors of a model look small."""
    return InvalidInput(
        "learning.same-custodian",
        f"The custodians at {first} and {again} have the same table, so its rows would count twice and the model would "
        f"look more exact than it is. Nothing was spent. Pass each custodian once.",
    )


def unknown_custodian(places: Sequence[int], many: int) -> InvalidInput:
    """Custodians are named by their places in the list that was fitted."""
    return InvalidInput(
        "learning.unknown-custodian",
        f"at = {list(places)!r} names a custodian that the model does not have: there are {many}, and the first is 0. "
        f"Nothing was spent.",
    )


def rounds_without_delta() -> InvalidInput:
    """Rounds are booked one by one, so their price must be one that adds up."""
    return InvalidInput(
        "learning.rounds-without-delta",
        "Rounds are charged one by one as they come, and at a price in (ε, δ) each would take the whole δ. Nothing was "
        "spent. Say the price as rho= or mu=, or as epsilon= alone.",
    )


def no_columns(columns: object) -> InvalidInput:
    """Which columns are features must be said as a list of names."""
    return InvalidInput(
        "learning.no-columns",
        f"columns = {columns!r} is not a list of column names. Nothing was spent. Name at least one: columns=['age'].",
    )


def not_a_curator(value: object) -> InvalidInput:
    """Something else where a curator is needed."""
    return InvalidInput(
        "learning.not-a-curator",
        f"curator = {value!r} is not a curator. Nothing was spent. Pass a pt.Curator or a session of one, or use fit "
        f"on rows you hold.",
    )
