"""What is said of algorithms that cannot be run as asked: always before anything is read or spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    """Rows of numbers from 0 to 1 and queries of zeros and ones, of matching lengths."""
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
    """At least one table must be asked for."""
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
    """All that was paid for was said."""
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
    """The extra is not installed."""
    return InvalidInput(
        "algorithms.no-mbi",
        'inference="mbi" needs the mbi package, an extra: pip install "partita[synth]". Leave inference= out to use '
        f"the built-in inference. {UNTOUCHED}",
    )
