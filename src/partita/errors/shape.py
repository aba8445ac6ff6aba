"""What is said of questions inside questions that cannot be taken apart."""

from __future__ import annotations

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


def recursive() -> QueryRefused:
    """A question that refers to itself."""
    return QueryRefused(
        "shape.recursive", f"WITH RECURSIVE is not answered: it would follow rows from one to the next. {UNTOUCHED}"
    )


def set_operation(word: str) -> QueryRefused:
    """INTERSECT and EXCEPT compare rows with each other."""
    return QueryRefused(
        "shape.set-operation",
        f"{word} is not answered: it would make one row depend on others. Put both conditions into one WHERE, with AND "
        f"or NOT. {UNTOUCHED}",
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
    """UNION drops rows that are equal."""
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
    """Parts that share rows would count them twice."""
    return QueryRefused(
        "shape.union-that-overlaps",
        f"Two parts of UNION ALL may hold the same rows, which would then count twice. Make their conditions exclude "
        f"each other, or write one SELECT with OR. {UNTOUCHED}",
    )


def too_many_sets(sets: int, limit: int) -> QueryRefused:
    """CUBE doubles with every column."""
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
    """Rows are gathered by their owner only."""
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
        f"groups_per_user= and open keys are not answered beside rows gathered by owner. rows_per_user= limits what is "
        f"gathered, and CLAMP(SUM(x), low, high) what one owner adds. {UNTOUCHED}",
    )


def gathered_twice() -> QueryRefused:
    """Only one level of gathering."""
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
