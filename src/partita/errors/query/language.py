"""What is said of questions that cannot be answered as they are."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput, QueryRefused
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, shown, some

# --- questions as a whole --------------------------------------------------------------------------------------


def unreadable(reason: str) -> QueryRefused:
    """Text that is not SQL."""
    return QueryRefused("query.unreadable", f"This is not a SQL question that can be read: {reason}. {UNTOUCHED}")


def not_text(value: object) -> InvalidInput:
    """A question must be text."""
    return InvalidInput(
        "query.not-text", f"{shown(value)} is not a question. Give SQL text, or a question built with the builder."
    )


def truth_of_expression(text: str) -> InvalidInput:
    """An expression of the builder was used where Python wants a truth."""
    return InvalidInput(
        "query.truth-of-expression",
        f"{text} is a condition for rows and has no truth of its own. Write & for and, | for or, ~ for not, each side "
        f"in brackets, and is_between(low, high) for low <= x <= high.",
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
    """Several statements in one question."""
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
    """A file or a function where a table is needed."""
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
    """More groups than are answered: all keys of the public domain come back."""
    return QueryRefused(
        "query.too-many-groups",
        f"The keys have {groups} possible values, and every one comes back with its own noise; at most {limit} are "
        f"answered. Group by fewer columns, by BUCKET(column, width), or narrow them in WHERE. {UNTOUCHED}",
    )


def too_many_beside(groups: int, limit: int) -> QueryRefused:
    """Too many listed groups beside an open key, each of which gets a line for all of them."""
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
    """A question that computes with whom a row belongs to."""
    return QueryRefused(
        "query.owner-column",
        f"{name} says whom a row belongs to; a question cannot filter, group or compute with it. Count owners with "
        f"COUNT(DISTINCT {name}), or gather their rows: FROM (SELECT {name}, LEAST(COUNT(*), 5) AS n FROM table "
        f"GROUP BY {name}). {UNTOUCHED}",
    )


def open_column(name: str) -> QueryRefused:
    """A computation with open texts, which have no public list of values, or a condition on them across tables."""
    return QueryRefused(
        "query.open-column",
        f"{name} holds open text, so its values are not known in public. It can be a key of groups, be counted, and be "
        f"tested in WHERE, FILTER and CASE, beside joins too: {name} LIKE 'a%', LOWER({name}) = 'a'. Its length is "
        f"added up as CLAMP(LENGTH({name}), 0, 200). For anything else declare it as categories(...). {UNTOUCHED}",
    )


def not_numeric(name: str, kind: str) -> QueryRefused:
    """Arithmetic on something that is no number."""
    advice = (
        f"Take a part of it, HOUR({name}), or how far two times are apart, DATE_DIFF('minute', start, {name}) or "
        f"EPOCH({name} - start)."
        if kind == "timestamps"
        else f"Count instead: SUM(CASE WHEN {name} = ... THEN 1 ELSE 0 END), or COUNT(*) with GROUP BY {name}."
    )
    return QueryRefused(
        "query.not-numeric", f"{name} holds {kind}, not numbers, so it cannot be added up. {advice} {UNTOUCHED}"
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
    """A division by zero, or of sums whose divisor is not known to be a number."""
    return QueryRefused(
        "query.division",
        f"This divides by zero, or by what is no number of a row. Divide by a constant other than zero, or by an "
        f"expression of declared columns: rows where that is 0 count as NULL. {UNTOUCHED}",
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
    """A bound or a width that is no constant."""
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
    """A key of groups whose values are not listed in public."""
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
        f"The condition {what} is not answered. Compare declared columns with constants, or numbers, days and "
        f"categories with each other, using =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, AND, OR and NOT. {UNTOUCHED}",
    )


def question_in_condition() -> QueryRefused:
    """A condition that asks another question of the table."""
    return QueryRefused(
        "query.question-in-condition",
        f"A question inside a condition would make every row depend on all others. One that gives a single number, or "
        f"after IN a list of keys, is released first and written in: WHERE x > (SELECT AVG(x) FROM table). Ask others "
        f"first, and write their answers here; or gather rows by their owner and filter owners: "
        f"FROM (SELECT owner FROM table GROUP BY owner HAVING LEAST(COUNT(*), 2) >= 2). {UNTOUCHED}",
    )


# --- the builder -----------------------------------------------------------------------------------------------


def unknown_join(how: object, known: Iterable[str]) -> InvalidInput:
    """The builder was asked for a way of joining that there is not."""
    return InvalidInput(
        "query.unknown-join", f"how={how!r} is no way of joining. Use one of {', '.join(known)}. {UNTOUCHED}"
    )


def joined_late(table: object) -> InvalidInput:
    """A table of people was joined after other steps."""
    return InvalidInput(
        "query.joined-late",
        f"Joining {shown(table)} comes first: curator.table(...).join(...), then where, group_by and agg. {UNTOUCHED}",
    )


def joined_otherwise() -> InvalidInput:
    """Public tables are joined on one column."""
    return InvalidInput(
        "query.joined-otherwise",
        f"how= and name=, and several columns, are for tables of the same people, under pt.persons. A public table is "
        f"joined on one column: .join(table, on), with left=True where rows without facts stay. {UNTOUCHED}",
    )


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


# --- questions inside questions -------------------------------------------------------------------------------------


def recursive() -> QueryRefused:
    """A question that refers to itself."""
    return QueryRefused(
        "shape.recursive", f"WITH RECURSIVE is not answered: it would follow rows from one to the next. {UNTOUCHED}"
    )


def set_operation(word: str) -> QueryRefused:
    """INTERSECT or EXCEPT, which compare rows with each other."""
    return QueryRefused(
        "shape.set-operation",
        f"{word} is not answered: it would make one row depend on others. Two conditions in one WHERE ask of each row "
        f"by itself, which is another question. To count people who have rows of both kinds, or of one and not the "
        f"other, gather by their owner: SELECT COUNT(*) FROM (SELECT person FROM visits GROUP BY person "
        f"HAVING MAX(CASE WHEN age < 30 THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN age >= 60 THEN 1 ELSE 0 END) = 0). "
        f"{UNTOUCHED}",
    )


def not_simple(clause: str) -> QueryRefused:
    """A question in brackets that does more than select, rename and filter."""
    return QueryRefused(
        "shape.not-simple",
        f"A question in brackets may filter rows, rename and compute columns, or gather rows with GROUP BY on their "
        f"owner; {clause} in it would make one row depend on others. Leave it out, or apply it to the answer. "
        f"{UNTOUCHED}",
    )


def columns_unclear(what: str) -> QueryRefused:
    """Columns that are given other names or values without being listed."""
    return QueryRefused(
        "shape.columns-unclear",
        f"Which columns {what} leaves is not worked out. Name them one by one, SELECT a, b + 1 AS c FROM ... "
        f"{UNTOUCHED}",
    )


def name_taken(name: str) -> QueryRefused:
    """A name given by WITH that a public table has."""
    return QueryRefused(
        "shape.name-taken",
        f"{name} is the name of a public table, so a question in WITH cannot have it. Choose another name. {UNTOUCHED}",
    )


def union_of_values() -> QueryRefused:
    """UNION, which drops rows that are equal to others."""
    return QueryRefused(
        "shape.union-of-values",
        f"UNION drops rows that are equal to others, so one row would depend on others. Write UNION ALL, or one SELECT "
        f"with OR. {UNTOUCHED}",
    )


def union_of_aggregates() -> QueryRefused:
    """A union of answers."""
    return QueryRefused(
        "shape.union-of-aggregates",
        f"UNION ALL puts rows of one table together, not answers. Ask one question with GROUP BY CASE WHEN ... THEN "
        f"... END, which costs no more than one of them. {UNTOUCHED}",
    )


def union_of_tables() -> QueryRefused:
    """A union of different tables."""
    return QueryRefused(
        "shape.union-of-tables",
        f"UNION ALL is answered for filters of one protected table, without joins. Ask about each table by itself, and "
        f"add the answers. {UNTOUCHED}",
    )


def union_of_widths() -> QueryRefused:
    """Parts with different numbers of columns."""
    return QueryRefused(
        "shape.union-of-widths", f"The parts of UNION ALL have different numbers of columns. {UNTOUCHED}"
    )


def union_without_name() -> QueryRefused:
    """A computed column of a union needs a name."""
    return QueryRefused(
        "shape.union-without-name", f"Give this column a name with AS in the first part of UNION ALL. {UNTOUCHED}"
    )


def union_that_overlaps() -> QueryRefused:
    """Parts of a union that may share rows, which would count twice."""
    return QueryRefused(
        "shape.union-that-overlaps",
        f"Two parts of UNION ALL may hold the same rows, which would then count twice. Make their conditions exclude "
        f"each other, or write one SELECT with OR. {UNTOUCHED}",
    )


def too_many_sets(sets: int, limit: int) -> QueryRefused:
    """ROLLUP, CUBE or GROUPING SETS with too many groupings."""
    counted = f"{sets:,}" if sets < 10**15 else "very many"
    return QueryRefused(
        "shape.too-many-sets",
        f"ROLLUP, CUBE and GROUPING SETS ask here for {counted} groupings of the same groups; at most {limit:,} are "
        f"answered. Name fewer columns in them. {UNTOUCHED}",
    )


def margins_of_unlike() -> QueryRefused:
    """Margins of what does not add up."""
    return QueryRefused(
        "shape.margins-of-unlike",
        f"ROLLUP, CUBE and GROUPING SETS sum up the released groups, and quantiles, COUNT(DISTINCT ...) and open keys "
        f"do not add up. Ask one question for each grouping. {UNTOUCHED}",
    )


# --- rows gathered by owner --------------------------------------------------------------------------------------


def not_by_owner(owner: str | None) -> QueryRefused:
    """Rows gathered by something else than their owner."""
    how = (
        "the table declares no identifier(), so nobody's rows can be gathered"
        if owner is None
        else f"write GROUP BY {owner} in it, alone or with declared columns"
    )
    return QueryRefused(
        "shape.not-by-owner",
        f"A question in brackets that aggregates must gather the rows of one owner; {how}. A total of everybody cannot "
        f"be computed with before it is noisy: ask for the groups by themselves, choose among them with HAVING, ORDER "
        f"BY and LIMIT, and compute the rest from the answer. {UNTOUCHED}",
    )


def unbounded_gathering(what: str) -> QueryRefused:
    """A sum over an unknown number of rows."""
    return QueryRefused(
        "shape.unbounded-gathering",
        f"{what} has no bound, because an owner may have any number of rows under these promises. Write "
        f"CLAMP({what}, low, high) with the range that you expect, or ask the custodian for a promise on users. "
        f"{UNTOUCHED}",
    )


def not_gathered(what: str) -> QueryRefused:
    """Something else than an aggregate of an owner's rows."""
    return QueryRefused(
        "shape.not-gathered",
        f"{what} cannot be computed from the rows of one owner here. Write COUNT(*), COUNT(x), SUM(x), MIN(x), MAX(x) "
        f"or CLAMP of one of them, each with a name. {UNTOUCHED}",
    )


def caps_of_gathered() -> QueryRefused:
    """Caps on groups and open keys beside gathered rows."""
    return QueryRefused(
        "shape.caps-of-gathered",
        f"groups_per_user=, rows_per_group= and open keys are not answered beside rows gathered by owner. "
        f"rows_per_user= limits what is gathered, and CLAMP(SUM(x), low, high) what one owner adds. {UNTOUCHED}",
    )


def gathered_twice() -> QueryRefused:
    """Rows that were gathered are gathered again."""
    return QueryRefused(
        "shape.gathered-twice",
        f"Rows are gathered once, by their owner; this gathers what was gathered. Ask for the inner question by "
        f"itself. {UNTOUCHED}",
    )


def join_of_gathered() -> QueryRefused:
    """A join behind the brackets in which rows are gathered."""
    return QueryRefused(
        "shape.join-of-gathered",
        f"Rows gathered by their owner are not joined afterwards. Join the public table inside the brackets, before "
        f"rows are gathered. {UNTOUCHED}",
    )


def too_wide_gathering(what: str) -> QueryRefused:
    """A range of totals too long to list or to add."""
    return QueryRefused(
        "shape.too-wide-gathering",
        f"{what} may become too large to be added up exactly. Write CLAMP({what}, low, high). {UNTOUCHED}",
    )


# --- words that mean nothing in a question which is charged once and answered for ever ------------------------------


def question_in_answer() -> QueryRefused:
    """Something shown that asks another question."""
    return QueryRefused(
        "words.question-in-answer",
        f"A question inside another one's answer is not answered. Ask it by itself, and compute with both answers; the "
        f"total of all groups is in the same answer with GROUP BY ROLLUP (...). {UNTOUCHED}",
    )


def by_the_clock(what: str) -> QueryRefused:
    """A question whose meaning changes with the day it is asked."""
    return QueryRefused(
        "words.by-the-clock",
        f"{what} changes with the day, so the same words would be another question tomorrow and cost anew. Write the "
        f"day itself, for example DATE '2025-06-01' - INTERVAL 30 DAY. {UNTOUCHED}",
    )


def by_chance(what: str) -> QueryRefused:
    """A question that would draw rows by lot."""
    return QueryRefused(
        "words.by-chance",
        f"{what} would choose rows by lot. Every question reads all rows, and noise protects them: leave it out. "
        f"{UNTOUCHED}",
    )


def left_open(what: str) -> QueryRefused:
    """A place for a value that nobody filled in."""
    return QueryRefused(
        "words.left-open",
        f"{what} stands for a value that is not here. Write the value itself, text in single quotes. {UNTOUCHED}",
    )


def uneven_list(columns: int) -> QueryRefused:
    """Combinations that do not fit the columns they are compared with."""
    return QueryRefused(
        "words.uneven-list",
        f"{columns} columns in brackets are compared with combinations of {columns} values each, for example "
        f"(age, sex) IN ((30, 'F'), (40, 'M')). {UNTOUCHED}",
    )


# --- quantiles ------------------------------------------------------------------------------------------------------


def filtered_before_outer(words: str) -> QueryRefused:
    """A question in brackets that filters one side of an outer join."""
    return QueryRefused(
        "query.filtered-before-outer",
        f"A {words} keeps rows that the WHERE in brackets would drop, so it cannot be moved outside. Write the "
        f"condition in the ON of the join, or put the filtered table second and write LEFT JOIN. {UNTOUCHED}",
    )
