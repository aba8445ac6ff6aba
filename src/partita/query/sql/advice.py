"""What to write instead of functions and clauses that are not answered."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from partita.query.sql.places import written
from partita.query.sql.spelling import Entropy

CLAUSES: Final[dict[str, tuple[str, str]]] = {
    "qualify": ("QUALIFY", "Choose among the groups with HAVING, ORDER BY and LIMIT."),
    "windows": ("WINDOW", "It would make one row depend on others. Use GROUP BY."),
    "laterals": ("LATERAL", "A question reads one table as it is."),
    "pivots": ("PIVOT", "Use GROUP BY, and turn the answer afterwards; or write COUNT(*) FILTER (WHERE ...) AS name."),
    "sample": ("TABLESAMPLE", "Every question reads all rows, and noise protects them. Leave it out."),
    "into": ("INTO", "A question changes nothing."),
    "locks": ("FOR UPDATE", "A question changes nothing."),
}
BOUNDED: Final = (
    "Expressions are made of declared columns, constants, + - *, CASE, COALESCE and CLAMP(x, low, high); other "
    "functions only of one column that has few values."
)
RELEASED: Final = (
    "Answers are combined with + - * /, ROUND, FLOOR, CEIL, ABS, SQRT, LN, EXP, COALESCE, NULLIF, GREATEST, LEAST and "
    "CASE."
)
_CLAMPED: Final = "Write CLAMP(x, low, high) with the least and the greatest value you want to keep."
_CAST: Final = "Declared columns already have the right type; leave the cast out."
_EXPRESSIONS: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.Greatest: ("GREATEST", _CLAMPED),
    exp.Least: ("LEAST", _CLAMPED),
    exp.Mod: ("%", "Group by BUCKET(column, width) instead."),
    exp.IntDiv: ("//", "Group by BUCKET(column, width), or multiply by a constant fraction."),
    exp.Cast: ("CAST", _CAST),
    exp.TryCast: ("TRY_CAST", _CAST),
    exp.Window: ("A window function", "It would make one row depend on others. Use GROUP BY."),
    exp.Subquery: ("A query inside a query", "Ask it as a question of its own."),
}
_ONE_ROW: Final = "It would tell the value of one row. Write AVG(x), MEDIAN(x) or QUANTILE(x, 0.9)."
_LISTED: Final = "It would list the rows. Write SELECT x, COUNT(*) AS n FROM table GROUP BY x."
_AGGREGATES: Final[dict[type[exp.Expr], str]] = {
    exp.Mode: "Write SELECT x, COUNT(*) AS n FROM table GROUP BY x ORDER BY n DESC LIMIT 1.",
    Entropy: "Write SELECT x, COUNT(*) AS n FROM table GROUP BY x, and compute it from the counts.",
    exp.ArrayAgg: _LISTED,
    exp.GroupConcat: _LISTED,
    exp.First: _ONE_ROW,
    exp.Last: _ONE_ROW,
    exp.AnyValue: _ONE_ROW,
    exp.ArgMax: _ONE_ROW,
    exp.ArgMin: _ONE_ROW,
}
_CALLED: Final = {
    "histogram": (
        "Write SELECT x, COUNT(*) AS n FROM table GROUP BY x; for n buckets of equal width, WIDTH_BUCKET(x, low, high, "
        "n) for x. Where buckets of equal mass end is told by QUANTILE_CONT(x, [0.25, 0.5, 0.75])."
    ),
    "string_agg": _LISTED,
    "list": _LISTED,
    "product": "Write EXP(SUM(LN(x))).",
    **dict.fromkeys(
        ("regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy"),
        "Write COUNT(*), AVG(x), VAR_POP(x) or COVAR_POP(y, x) with FILTER (WHERE x IS NOT NULL AND y IS NOT NULL).",
    ),
    "mad": "Ask for MEDIAN(x) first; then write MEDIAN(ABS(x - m)) with the number it gave for m.",
}
ANSWERED: Final = (
    "Answered are COUNT, SUM, AVG, VARIANCE, STDDEV, SKEWNESS, KURTOSIS, GEOMEAN, COVAR_POP, CORR, MEDIAN, QUANTILE, "
    "MIN, MAX, BOOL_AND and BOOL_OR."
)
DISTINCT: Final = (
    "Owners, and the values of one declared or open column, are counted so. For the values that occur, write "
    "SELECT x, COUNT(*) AS n FROM table GROUP BY x HAVING COUNT(*) > 20, with a number above the error bar."
)
_OF_GROUPS: Final = (
    "Ask for the groups, and compute shares, ranks and running totals from the answer: that costs nothing more. "
    "GROUP BY ROLLUP (...) has the total beside the groups."
)
_OF_ROWS: Final = (
    "It makes one row depend on others. Use GROUP BY, or gather the rows of each owner: "
    "FROM (SELECT owner, LEAST(COUNT(*), 5) AS n FROM table GROUP BY owner)."
)
_OF_RANKS: Final = (
    "It makes one row depend on others. Where parts of equal size end is told by "
    "SELECT QUANTILE_CONT(x, [0.25, 0.5, 0.75]) AS q FROM table; rows are then counted between such numbers."
)
_RANKS: Final = (exp.Ntile, exp.PercentRank, exp.CumeDist)
DIFFERENT: Final = (
    "Write SELECT {name}(x) AS value FROM (SELECT x, COUNT(*) AS n FROM table GROUP BY x HAVING COUNT(*) > 20) AS t, "
    "with a number above the error bar: each value that occurs counts once."
)


def called(text: str, node: exp.Expr) -> str:
    """What a function is called in a question.

    >>> from sqlglot import parse_one
    >>> called("SELECT bool_or(x)", parse_one("SELECT bool_or(x)", dialect="duckdb").expressions[0])
    'BOOL_OR'
    """
    found = re.match(r"(\w+)\s*\(", written(text, node)) if isinstance(node, exp.Func) else None
    if found is not None:
        return found[1].upper()
    if isinstance(node, exp.Anonymous):
        return node.name.upper()
    shown = node.sql_name() if isinstance(node, exp.Func) else node.sql(dialect="duckdb")
    return shown if len(shown) <= 60 else shown[:57] + "..."


def for_expression(text: str, node: exp.Expr) -> tuple[str, str]:
    """What stands in an expression over columns and cannot, and what to write there."""
    for kind, (name, advice) in _EXPRESSIONS.items():
        if isinstance(node, kind):
            return name, advice
    if isinstance(node, exp.AggFunc):
        return "An aggregate inside an aggregate", "Aggregate once."
    return called(text, node), BOUNDED


def for_aggregate(text: str, node: exp.Expr) -> tuple[str, str]:
    """An aggregate that is not answered, and what to write for it."""
    name = called(text, node)
    said = next((said for kind, said in _AGGREGATES.items() if isinstance(node, kind)), ANSWERED)
    return name, _CALLED.get(name.lower(), said)


def for_window(node: exp.Expr) -> tuple[str, str]:
    """A window function, over released groups or over rows."""
    windows = [node] if isinstance(node, exp.Window) else list(node.find_all(exp.Window))
    grouped = any(
        inner.find_ancestor(exp.Window) is window and inner is not window.this
        for window in windows
        for inner in window.find_all(exp.AggFunc)
    )
    ranked = any(isinstance(window.this, _RANKS) for window in windows)
    return "A window function", _OF_GROUPS if grouped else _OF_RANKS if ranked else _OF_ROWS


def for_select(word: str) -> str | None:
    """What to do instead of a statement that is no question."""
    match word.upper():
        case "EXPLAIN":
            return (
                "A quote says what a question would cost and how exact it would be: curator.quote(...), partita quote."
            )
        case "SHOW" | "DESCRIBE" | "DESC" | "PRAGMA":
            return "What may be asked about is declared: print(curator)."
        case "PIVOT":
            return CLAUSES["pivots"][1]
        case _:
            return None


def why(text: str, said: str) -> str:
    """Why a text is no SQL, from what the parser says and what people often write.

    >>> why("SELECT TOP 3 a FROM t", "Invalid expression / Unexpected token")
    'TOP is not written here, write LIMIT 3 at the end'
    """
    for pattern, advice in _SLIPS:
        found = re.search(pattern, text, re.IGNORECASE)
        if found is not None:
            return advice.format(*found.groups())
    missing = re.match(r"Required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>", said)
    if missing is not None:
        return f"{missing[1].upper()} lacks something it needs"
    if "Token" in said:
        return "a name is missing here"
    plain = {"": "it does not parse", "Invalid expression / Unexpected token": "this word is not expected here"}
    said = plain.get(said.rstrip("."), said.rstrip("."))
    return said[:1].lower() + said[1:]


_SLIPS: Final = (
    (r"\bSELECT\s+TOP\s+\(?(\d+)", "TOP is not written here, write LIMIT {0} at the end"),
    (r"`([^`]*)`", 'names are written in double quotes, "{0}"'),
    (r"\[([A-Za-z_][\w ]*)\]", 'names are written in double quotes, "{0}"'),
    (r"%\(\w+\)s|%s|\{{?\w*\}}?", "a place for a value was left open; write the value itself, text in single quotes"),
    (r"^\s*(?!SELECT\b|WITH\b|FROM\b|\(|--|/\*)(\w+)", "it begins with {0}, and a question begins with SELECT or WITH"),
)
