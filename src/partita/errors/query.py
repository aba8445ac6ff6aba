"""What is said of questions that cannot be answered as they are."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput, QueryRefused
from partita.errors.wording import UNTOUCHED, meant, shown, some

# --- questions as a whole --------------------------------------------------------------------------------------


def unreadable(reason: str) -> QueryRefused:
    """Text that is not SQL."""
    return QueryRefused("query.unreadable", f"This is not a SQL question that can be read: {reason}. {UNTOUCHED}")


def not_text(value: object) -> InvalidInput:
    """A question must be text."""
    return InvalidInput(
        "query.not-text", f"{shown(value)} is not a question. Give SQL text, or a question built with the builder."
    )


def too_long(length: int, limit: int) -> QueryRefused:
    """More text than any sensible question has."""
    return QueryRefused(
        "query.too-long", f"The question has {length} characters; at most {limit} are read. {UNTOUCHED}"
    )


def too_deep() -> QueryRefused:
    """Nested more deeply than can be followed."""
    return QueryRefused(
        "query.too-deep", f"The question is nested too deeply. Write it with fewer brackets. {UNTOUCHED}"
    )


def several_statements(count: int) -> QueryRefused:
    """One question at a time."""
    return QueryRefused(
        "query.several-statements",
        f"These are {count} statements; a question is one SELECT. Ask them one by one. {UNTOUCHED}",
    )


def not_a_select(kind: str, advice: str = "Write SELECT COUNT(*) AS n FROM table WHERE ....") -> QueryRefused:
    """Only questions are answered; nothing can be changed."""
    return QueryRefused(
        "query.not-a-select",
        f"A question is one SELECT with aggregates; {kind} is not answered. {advice} {UNTOUCHED}",
    )


def no_table() -> QueryRefused:
    """A question about nothing."""
    return QueryRefused(
        "query.no-table", f"The question names no table. Write SELECT COUNT(*) AS n FROM table. {UNTOUCHED}"
    )


def unknown_table(name: str, known: Iterable[str]) -> QueryRefused:
    """A table that the curator does not hold."""
    return QueryRefused("query.unknown-table", f"There is no table {name!r}. There is {some(known)}. {UNTOUCHED}")


def not_a_table(kind: str) -> QueryRefused:
    """Files and functions are not tables."""
    return QueryRefused(
        "query.not-a-table", f"{kind} cannot stand after FROM. Name one of the curator's tables. {UNTOUCHED}"
    )


def clause_not_answered(clause: str, advice: str) -> QueryRefused:
    """A clause outside the language."""
    return QueryRefused("query.clause-not-answered", f"{clause} is not answered. {advice} {UNTOUCHED}")


def rows_themselves(what: str) -> QueryRefused:
    """A question for the rows, not for aggregates."""
    return QueryRefused(
        "query.rows-themselves",
        f"{what} asks for the rows themselves, and only aggregates are answered. Write COUNT(*), SUM(...) or AVG(...), "
        f"and GROUP BY what you want to compare. {UNTOUCHED}",
    )


def not_grouped(name: str) -> QueryRefused:
    """A column shown without being a key."""
    return QueryRefused(
        "query.not-grouped",
        f"{name} is neither aggregated nor in GROUP BY. Write GROUP BY {name}, or put it into an aggregate such as "
        f"COUNT({name}). {UNTOUCHED}",
    )


def repeated_name(name: str) -> QueryRefused:
    """Two columns of the answer with one name."""
    return QueryRefused(
        "query.repeated-name",
        f"Two columns of the answer are called {name!r}. Give each its own name with AS. {UNTOUCHED}",
    )


def no_aggregate() -> QueryRefused:
    """A question that computes nothing."""
    return QueryRefused(
        "query.no-aggregate", f"The question computes nothing. Write at least one of COUNT, SUM and AVG. {UNTOUCHED}"
    )


def too_many_groups(groups: int, limit: int) -> QueryRefused:
    """All keys of the public domain come back, so their number must be sensible."""
    return QueryRefused(
        "query.too-many-groups",
        f"The keys have {groups} possible values, and every one comes back with its own noise; at most {limit} are "
        f"answered. Group by fewer columns, by BUCKET(column, width), or narrow them in WHERE. {UNTOUCHED}",
    )


def too_many_beside(groups: int, limit: int) -> QueryRefused:
    """Every open key that occurs gets a line for each listed group before keys are named, so these must be few."""
    return QueryRefused(
        "query.too-many-beside",
        f"Beside an open key the other keys have {groups} possible values; at most {limit} are answered there, because "
        f"otherwise the time of an answer would tell how many open keys occur. Group by fewer columns, or by "
        f"BUCKET(column, width). {UNTOUCHED}",
    )


# --- columns and expressions -----------------------------------------------------------------------------------


def unknown_column(name: str, table: str, known: Iterable[str], *, quoted: bool = False) -> QueryRefused:
    """A column that was not declared; in double quotes it may have been meant as text."""
    listed = tuple(known)
    text = f" If it is text, write it in single quotes: '{name}'." if quoted else ""
    return QueryRefused(
        "query.unknown-column",
        f"Table {table} declares no column {name!r}.{meant(name, listed)}{text} It declares {some(listed)}. "
        f"{UNTOUCHED}",
    )


def owner_column(name: str) -> QueryRefused:
    """Whom a row belongs to is never computed with."""
    return QueryRefused(
        "query.owner-column",
        f"{name} says whom a row belongs to; a question cannot filter, group or compute with it. Count owners with "
        f"COUNT(DISTINCT {name}), or gather their rows: FROM (SELECT {name}, LEAST(COUNT(*), 5) AS n FROM table "
        f"GROUP BY {name}). {UNTOUCHED}",
    )


def open_column(name: str) -> QueryRefused:
    """Open keys have no public list of values."""
    return QueryRefused(
        "query.open-column",
        f"{name} holds open text, so its values are not known in public. Declare it as categories(...) to filter or "
        f"group by it. {UNTOUCHED}",
    )


def not_numeric(name: str, kind: str) -> QueryRefused:
    """Arithmetic on something that is no number."""
    return QueryRefused(
        "query.not-numeric",
        f"{name} holds {kind}, not numbers, so it cannot be added up. Count instead: "
        f"SUM(CASE WHEN {name} = ... THEN 1 ELSE 0 END), or COUNT(*) with GROUP BY {name}. {UNTOUCHED}",
    )


def not_a_number(what: str) -> QueryRefused:
    """A text or date where a number is needed."""
    return QueryRefused("query.not-a-number", f"{what} is not a number, and only numbers are added up. {UNTOUCHED}")


def function_not_answered(name: str, advice: str) -> QueryRefused:
    """A function outside the language."""
    return QueryRefused("query.function-not-answered", f"{name} is not answered. {advice} {UNTOUCHED}")


def not_an_order(what: str) -> QueryRefused:
    """An ORDER BY that says nothing about the lines."""
    return QueryRefused(
        "query.not-an-order",
        f"Lines cannot be ordered by {what}. Order by a key, by an aggregate, or by the name of a column of the "
        f"answer. {UNTOUCHED}",
    )


def division() -> QueryRefused:
    """Only division by a constant is bounded and cannot fail."""
    return QueryRefused(
        "query.division",
        f"Only division by a constant other than zero is answered: dividing by a column has no bound and can fail on "
        f"one row. Ask for the two sums, and divide the answers. {UNTOUCHED}",
    )


def too_wide(what: str) -> QueryRefused:
    """Numbers beyond what integers of the engine hold."""
    return QueryRefused(
        "query.too-wide",
        f"{what} can become too large to be added up exactly. Multiply fewer columns, declare a coarser step, or write "
        f"CLAMP(..., low, high). {UNTOUCHED}",
    )


def too_many_operations(what: str, most: int, deep: int) -> QueryRefused:
    """More operations than an engine should be given for one number."""
    shown = what if len(what) <= 200 else what[:197] + "..."
    return QueryRefused(
        "query.too-many-operations",
        f"{shown} takes more than {most} operations, or more than {deep} inside each other. Write fewer terms, and "
        f"fewer CASE and CLAMP inside each other. {UNTOUCHED}",
    )


def bad_clamp(low: object, high: object) -> QueryRefused:
    """A clamp whose ends are the wrong way round."""
    return QueryRefused(
        "query.bad-clamp", f"CLAMP(..., {low}, {high}): {low} is above {high}. Give the smaller end first. {UNTOUCHED}"
    )


def needs_constant(function: str, what: str) -> QueryRefused:
    """Bounds and widths are public constants."""
    return QueryRefused("query.needs-constant", f"{function} needs {what} as a constant number. {UNTOUCHED}")


def wrong_arguments(function: str, usage: str) -> QueryRefused:
    """A function called with too few or too many arguments."""
    return QueryRefused("query.wrong-arguments", f"{function} is written {usage}. {UNTOUCHED}")


def uneven_bucket(column: str, width: object, step: object) -> QueryRefused:
    """A bucket must hold whole steps of its column."""
    return QueryRefused(
        "query.uneven-bucket",
        f"BUCKET({column}, {width}): the width is not a positive multiple of the column's step {step}. "
        f"Take a multiple of {step}. {UNTOUCHED}",
    )


def not_a_date(column: str, kind: str) -> QueryRefused:
    """Only dates have months."""
    return QueryRefused(
        "query.not-a-date",
        f"DATE_TRUNC needs a column of dates, and {column} holds {kind}. Use BUCKET({column}, width). {UNTOUCHED}",
    )


def unknown_unit(unit: str, known: Iterable[str]) -> QueryRefused:
    """A unit of time that dates are not grouped by."""
    return QueryRefused("query.unknown-unit", f"DATE_TRUNC does not know {unit!r}. Use {some(known)}. {UNTOUCHED}")


def not_a_key(what: str) -> QueryRefused:
    """Groups need keys that are known in public."""
    return QueryRefused(
        "query.not-a-key",
        f"{what} cannot be grouped by: its possible values are not listed in public. Group by declared columns, by "
        f"BUCKET(column, width), by DATE_TRUNC('month', column) or by CASE WHEN ... THEN 'name' END; to combine "
        f"columns, group by each of them. {UNTOUCHED}",
    )


def not_a_condition(what: str) -> QueryRefused:
    """A condition outside the language."""
    return QueryRefused(
        "query.not-a-condition",
        f"The condition {what} is not answered. Compare declared columns with constants or with each other, using "
        f"=, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, AND, OR and NOT. {UNTOUCHED}",
    )


def question_in_condition() -> QueryRefused:
    """A condition that asks another question of the table."""
    return QueryRefused(
        "query.question-in-condition",
        f"A question inside a condition would make every row depend on all others. Ask it first, and write its answer "
        f"here as a number; or gather rows by their owner and filter owners: "
        f"FROM (SELECT owner FROM table GROUP BY owner HAVING LEAST(COUNT(*), 2) >= 2). {UNTOUCHED}",
    )


# --- the builder -----------------------------------------------------------------------------------------------


def unnamed_aggregate() -> InvalidInput:
    """An aggregate of the builder without a name for its column."""
    return InvalidInput(
        "query.unnamed-aggregate",
        f'Every aggregate needs a name for its column. Write .agg(n=pt.count(), mean=pt.avg("cost")). {UNTOUCHED}',
    )


def not_an_aggregate(name: str, value: object) -> InvalidInput:
    """The builder was given something else to compute."""
    return InvalidInput(
        "query.not-an-aggregate",
        f'{name} = {shown(value)} is not an aggregate. Write agg(n=pt.count(), total=pt.sum("cost"), '
        f'mean=pt.avg("cost")).',
    )
