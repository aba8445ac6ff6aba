"""What is said of algorithms that cannot be run as asked: always before anything is read or spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from partita.errors.base import BudgetExceeded, InvalidInput, NotProven

UNTOUCHED = "Nothing was read and nothing was spent."


def delta_beside(name: str) -> InvalidInput:
    """A δ is part of a budget in ε only."""
    return InvalidInput(
        "algorithms.delta-beside",
        f"delta= goes with epsilon=, and {name}= was given. Leave delta= out, or give epsilon= and delta=. {UNTOUCHED}",
    )


def unknown_choice(name: str, value: object, choices: Iterable[str]) -> InvalidInput:
    """A word that is none of the choices."""
    return InvalidInput(
        "algorithms.unknown-choice", f"{name} = {value!r} is none of: {', '.join(choices)}. {UNTOUCHED}"
    )


def no_such_noise(noise: str, budget: str) -> NotProven:
    """A noise whose cost is not proven in the measure of the budget."""
    return NotProven(
        "algorithms.no-such-noise",
        f"{noise} noise has no proven cost within {budget}. Leave noise= out, or give a budget with delta=, rho= or "
        f"mu= for Gaussian noise. {UNTOUCHED}",
    )


def price_too_small(budget: str, rounds: int) -> InvalidInput:
    """A price that leaves nothing for a round."""
    return InvalidInput(
        "algorithms.price-too-small",
        f"{budget} divided over {rounds} rounds is too little to choose anything with. Give more, or fewer rounds=. "
        f"{UNTOUCHED}",
    )


def not_a_matrix(name: str, found: str) -> InvalidInput:
    """Queries that are no table of finite numbers."""
    return InvalidInput(
        "algorithms.not-a-matrix",
        f"{name} must be a table of finite numbers with a line for each query and a column for each cell, and {found} "
        f"came. {UNTOUCHED}",
    )


def not_written() -> InvalidInput:
    """A workload too large to be written out query by query."""
    return InvalidInput(
        "algorithms.not-written",
        "The workload has too many queries to list them all. Ask the estimate for the queries you want: "
        "estimate.range(low, high), estimate.answer(queries), estimate.error(confidence, queries).",
    )


def wrong_cells(what: str, wanted: int, given: int) -> InvalidInput:
    """Two things that should speak of the same cells."""
    return InvalidInput("algorithms.wrong-cells", f"{what} has {given} cells where {wanted} were declared. {UNTOUCHED}")


def not_a_pair(found: object) -> InvalidInput:
    """A range that is no pair of cells."""
    return InvalidInput(
        "algorithms.not-a-pair",
        f"A range is a pair (low, high) of cells, both included, and {found!r} came. Write for example "
        f"Workload.ranges(100, [(18, 65), (0, 17)]). {UNTOUCHED}",
    )


def bad_range(low: object, high: object, cells: int) -> InvalidInput:
    """A range outside the cells."""
    return InvalidInput(
        "algorithms.bad-range",
        f"The range from {low} to {high} does not lie within cells 0 to {cells - 1}, both ends included. {UNTOUCHED}",
    )


def too_many_cells(cells: int, most: int, instead: str) -> InvalidInput:
    """A domain that is too large for the method."""
    return InvalidInput(
        "algorithms.too-many-cells",
        f"{cells} cells are more than the {most} this method can hold. {instead} {UNTOUCHED}",
    )


def not_covered() -> InvalidInput:
    """A strategy that cannot answer the workload."""
    return InvalidInput(
        "algorithms.not-covered",
        "The strategy does not measure enough to answer every query of the workload: no combination of its lines gives "
        f"them (theory F9). Add lines, or leave strategy= out. {UNTOUCHED}",
    )


def not_bits(queries: int) -> InvalidInput:
    """Rows or queries that are not numbers from 0 to 1, or do not match in length."""
    return InvalidInput(
        "algorithms.not-bits",
        "values must be a flat list of numbers from 0 to 1, one for each row (0 and 1 only for randomised response), "
        f"and queries a table of 0 and 1 with {queries} lines and a column for each row. {UNTOUCHED}",
    )


def no_axes() -> InvalidInput:
    """Columns with their numbers of values are needed."""
    return InvalidInput(
        "algorithms.no-axes",
        f'Give the columns with their numbers of values, such as {{"sex": 2, "region": 4}}. {UNTOUCHED}',
    )


def unknown_axis(name: str, names: Iterable[str]) -> InvalidInput:
    """A column that is none of the axes."""
    return InvalidInput("algorithms.unknown-axis", f"{name!r} is none of the columns {', '.join(names)}. {UNTOUCHED}")


def not_codes(names: Iterable[str]) -> InvalidInput:
    """Rows that are no codes of the axes."""
    return InvalidInput(
        "algorithms.not-codes",
        f"Rows must be whole numbers in a table with the columns {', '.join(names)}, each from 0 to its number of "
        f"values less one. {UNTOUCHED}",
    )


def other_axes(table: str, sizes: Mapping[str, int]) -> InvalidInput:
    """Axes that are not those of the curator's table."""
    listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
    return InvalidInput(
        "algorithms.other-axes",
        f"The columns of {table} have other numbers of values, OTHER and NULL included: {listed}. "
        f"Make the axes with axes_of(curator, {table!r}, columns). {UNTOUCHED}",
    )


def no_tables() -> InvalidInput:
    """No table was asked for."""
    return InvalidInput("algorithms.no-tables", f"Name at least one table, as a list of its columns. {UNTOUCHED}")


def not_measured(columns: Iterable[str], tables: Iterable[Iterable[str]]) -> InvalidInput:
    """A table that was not part of the release."""
    listed = "; ".join(", ".join(table) for table in tables)
    return InvalidInput(
        "algorithms.not-measured",
        f"The table of {', '.join(columns)} lies in none of those released: {listed}. A new release can measure it.",
    )


def too_many_events(most: int) -> InvalidInput:
    """More events in one step than a stream counts; the number itself is not repeated."""
    return InvalidInput(
        "algorithms.too-many-events",
        f"A step of a stream can have at most {most:,} events. Nothing was released for this step; check the unit of "
        "the count, or divide the step.",
    )


def too_many_steps(steps: int, most: int) -> InvalidInput:
    """A stream that is too long for the method."""
    return InvalidInput(
        "algorithms.too-many-steps",
        f'{steps} steps are more than the {most} this method can hold. Use method="tree". {UNTOUCHED}',
    )


def no_stream_unit(unit: str) -> InvalidInput:
    """Who is protected cannot be counted in rows of a stream."""
    return InvalidInput(
        "algorithms.no-stream-unit",
        f"{unit} is not made of a known number of events. Give unit=pt.rows(), pt.users(..., rows=m), "
        f"pt.windows(..., width=w), pt.groups(k) or pt.replace(). {UNTOUCHED}",
    )


def stream_over(steps: int) -> BudgetExceeded:
    """The declared number of steps is reached."""
    return BudgetExceeded(
        "algorithms.stream-over",
        f"The stream was declared with {steps} steps, and all of them were counted. Its cost was for that many: open a "
        "new counter, which costs anew.",
    )


def bad_step(step: int, steps: int) -> InvalidInput:
    """A step that is not there."""
    return InvalidInput(
        "algorithms.bad-step", f"There is no step {step}: steps are counted from 0, and there are {steps}."
    )


def unsound_variant(name: str, known: Mapping[str, str]) -> NotProven:
    """A variant that is known to lose more than it says, or that nobody has proven."""
    why = known.get(name, "no proof of it is known")
    return NotProven(
        "algorithms.unsound-variant",
        f"variant = {name!r} is not private at the price it would claim: {why} (theory C12). Leave variant= out. "
        f"{UNTOUCHED}",
    )


def not_a_counting_query(cells: int, unit: int) -> InvalidInput:
    """A query that does not weigh every cell by a whole number in range."""
    return InvalidInput(
        "algorithms.not-a-counting-query",
        f"A query needs a whole number from 0 to {unit} for each of the {cells} cells. Nothing was used up.",
    )


def conversation_over(updates: int, queries: int) -> BudgetExceeded:
    """A session has given all answers that were paid for."""
    return BudgetExceeded(
        "algorithms.conversation-over",
        f"The session was charged for {updates} noisy answers among {queries} queries, and one of the two is used up. "
        "Its histogram can still be used for free; a new session costs anew.",
    )


def no_error_of_a_session() -> NotProven:
    """A session as a whole has no single error."""
    return NotProven(
        "algorithms.no-error-of-a-session",
        "A filtered session has no error of its own: each of its releases has one. Ask the result for its error.",
    )


def bad_synthetic_question(why: str) -> InvalidInput:
    """SQL about synthetic rows that the database does not understand."""
    return InvalidInput(
        "algorithms.bad-synthetic-question",
        f"The database did not understand the question about synthetic rows: {why}. The rows are public; nothing was "
        "spent.",
    )


def no_mbi() -> InvalidInput:
    """The inference needs mbi, an extra that is not installed."""
    return InvalidInput(
        "algorithms.no-mbi",
        'inference="mbi" needs the mbi package. Install it with: pip install mbi (the extra synth). Or leave '
        f"inference= out to use the built-in inference. {UNTOUCHED}",
    )


def no_pandas() -> InvalidInput:
    """A frame of made-up rows needs pandas, an extra that is not installed."""
    return InvalidInput(
        "algorithms.no-pandas",
        "pandas is not installed, so the made-up rows cannot be turned into one of its frames. Install it with: pip "
        "install pandas (the extra pandas), or use to_arrow() or records. They cost nothing more.",
    )


# --- learning -------------------------------------------------------------------------------------------------------


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
    """Another number of bounds than of features."""
    return InvalidInput(
        "learning.other-features",
        f"{name} names {given} features and the rows have {needed}. Nothing was spent. Give one bound a feature, or "
        f"one pair for all.",
    )


def too_wide(features: int, most: int) -> InvalidInput:
    """More features than can be summed exactly."""
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
    """The classes were not declared; which labels there are must be public."""
    return InvalidInput(
        "learning.no-classes",
        "classes are not declared. Nothing was spent. Which labels occur is itself a fact about the rows, so say in "
        'public which there can be: classes=["no", "yes"]. Where the labels that occur are public anyway, write '
        'classes="from labels".',
    )


def few_classes(classes: Sequence[object]) -> InvalidInput:
    """Fewer than two classes, or one class twice."""
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
    """The estimators need scikit-learn, an extra that is not installed."""
    return InvalidInput(
        "learning.needs-scikit-learn",
        "This is a scikit-learn estimator and scikit-learn is not installed. Nothing was spent. "
        "Install it with: pip install scikit-learn (the extra learn).",
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
    """Models that were learnt differently, so that their sums do not add up."""
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
    """A custodian at a place that the list which was fitted does not have."""
    return InvalidInput(
        "learning.unknown-custodian",
        f"at = {list(places)!r} names a custodian that the model does not have: there are {many}, and the first is 0. "
        f"Nothing was spent.",
    )


def rounds_without_delta() -> InvalidInput:
    """Rounds at a price in (ε, δ); they are booked one by one, at a price that adds up."""
    return InvalidInput(
        "learning.rounds-without-delta",
        "Rounds are charged one by one as they come, and at a price in (ε, δ) each would take the whole δ. Nothing was "
        "spent. Say the price as rho= or mu=, or as epsilon= alone.",
    )


def no_columns(columns: object) -> InvalidInput:
    """The columns of the features are not a list of names."""
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


# --- surveys and choosing -------------------------------------------------------------------------------------------


def few_answers(answers: Sequence[object]) -> InvalidInput:
    """Fewer than two answers to choose from, or one answer twice."""
    return InvalidInput(
        "surveys.few-answers",
        f"answers = {list(answers)!r} has fewer than two answers or names one twice. Nobody was asked. List every "
        f"answer that people can give, once.",
    )


def unknown_answer() -> InvalidInput:
    """An answer that is not on the list; which one is not said."""
    return InvalidInput(
        "surveys.unknown-answer",
        "An answer is not on the survey's list. Nothing was reported. List every answer that people can give, or add "
        "one for all others.",
    )


def unknown_encoding(encoding: object, known: Sequence[str]) -> InvalidInput:
    """A way to report that there is not."""
    listed = ", ".join(repr(name) for name in known)
    return InvalidInput("surveys.unknown-encoding", f"encoding = {encoding!r} is not one of {listed}.")


def foreign_reports() -> InvalidInput:
    """Reports that this survey cannot have made."""
    return InvalidInput(
        "surveys.foreign-reports",
        "The reports are not of the kind that this survey collects. Pass what collect returned, of this survey alone.",
    )


def no_delta() -> InvalidInput:
    """Values that nobody listed cannot be named without a δ."""
    return InvalidInput(
        "surveys.no-delta",
        "Values that are not listed beforehand can be named only at a price with a δ: whatever is named shows that "
        "somebody has it. Nothing was drawn. Write epsilon= with delta=, or rho= with delta=, say delta='1e-6'; or "
        "count over a public list of values.",
    )


def bad_counts(found: str) -> InvalidInput:
    """Counts that are not whole numbers by item."""
    return InvalidInput(
        "surveys.bad-counts",
        f"Exact counts by item are needed, such as {{'a': 3}} or a list of whole numbers, and {found} was given. "
        f"Nothing was drawn.",
    )


def too_many_chosen(wanted: int, items: int) -> InvalidInput:
    """More is to be chosen than there is."""
    return InvalidInput(
        "surveys.too-many-chosen",
        f"k = {wanted} is more than the number of items ({items}). Nothing was drawn. Ask for fewer.",
    )


def unknown_method(method: object, known: Sequence[str]) -> InvalidInput:
    """A way to choose that there is not."""
    listed = ", ".join(repr(name) for name in known)
    return InvalidInput("surveys.unknown-method", f"method = {method!r} is not one of {listed}. Nothing was drawn.")


def bad_quantile(quantile: object) -> InvalidInput:
    """A quantile that is not between zero and one."""
    return InvalidInput(
        "surveys.bad-quantile", f"quantile = {quantile!r} is not between 0 and 1. Nothing was drawn. The median is 1/2."
    )
