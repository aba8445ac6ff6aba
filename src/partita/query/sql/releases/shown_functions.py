"""Which functions a statement may use on released numbers: steady ones that read nothing else and make nothing huge."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import TokenType

from partita.errors.query import presenting as refuse_shown

# Texts and lists get longer by these alone, so they stand in the outermost SELECT, where none is made of another.
_GROWING: Final = (exp.DPipe, exp.Concat, exp.ConcatWs, exp.GroupConcat, exp.ArrayAgg, exp.List)
_MOST_GROWING: Final = 32
_BUILT: Final = (exp.Array, exp.Struct, exp.Map, exp.Lambda, exp.Comprehension, exp.Unnest, exp.Lateral, exp.Explode)

_WORDS: Final = """
    select from where having by group order qualify window over partition filter within union all except intersect any
    some exists in not and or on using as with join cross left right full inner outer natural lateral values case when
    then else end between like ilike is distinct pivot unpivot for exclude materialized limit offset cast try_cast
    interval extract decimal numeric varchar
"""
_WINDOWS: Final = """
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value first last
"""
_AGGREGATES: Final = """
    count count_if countif sum avg mean min max median mode mad product geomean geometric_mean entropy skewness kurtosis
    kurtosis_pop stddev stddev_samp stddev_pop variance var_samp var_pop corr covar_pop covar_samp regr_slope
    regr_intercept regr_r2 regr_count regr_avgx regr_avgy regr_sxx regr_syy regr_sxy quantile quantile_cont
    quantile_disc percentile_cont percentile_disc bool_and bool_or any_value arg_max arg_min max_by min_by
    approx_count_distinct approx_quantile string_agg group_concat listagg list array_agg histogram fsum favg kahan_sum
    grouping grouping_id logical_or logical_and
"""
_NUMBERS: Final = """
    abs ceil ceiling floor round trunc sign sqrt cbrt ln log log2 log10 exp pow power greatest least coalesce nullif
    ifnull if mod fmod divide degrees radians pi sin cos tan asin acos atan atan2 isnan isinf isfinite round_even add
    subtract multiply xor
"""
_TEXTS: Final = """
    upper lower left right substring substr length len strlen trim ltrim rtrim split_part starts_with ends_with contains
    strpos position instr reverse concat concat_ws ascii prefix suffix
"""
_DATES: Final = """
    date_trunc datetrunc date_part datepart year month day quarter week dayofweek isodow isoyear dayname monthname
    strftime date_diff datediff date_sub datesub date_add last_day make_date epoch century decade weekofyear yearweek
    weekday dayofmonth dayofyear hour minute second date age to_days to_weeks to_months to_years
"""
_KNOWN: Final = frozenset(f"{_WORDS} {_WINDOWS} {_AGGREGATES} {_NUMBERS} {_TEXTS} {_DATES}".split())


def check_functions(outer: exp.Expr) -> None:
    """Refuse a statement over released numbers that uses anything but functions that are known to be harmless.

    What the engine will be given is looked at, word by word: whatever stands before a bracket must be known.

    >>> from sqlglot import parse_one
    >>> check_functions(parse_one("SELECT n / SUM(n) OVER () FROM r", dialect="duckdb"))
    >>> check_functions(parse_one("SELECT REPEAT('x', n) FROM r", dialect="duckdb"))
    Traceback (most recent call last):
        ...
    partita.errors.base.QueryRefused: REPEAT is no function of released numbers alone, ...
    """
    tokens = DuckDB().tokenize(outer.sql(dialect="duckdb", comments=False))
    for one, following in pairwise(tokens):
        called = following.token_type is TokenType.L_PAREN and re.match(r"\w", one.text) is not None
        # After AS, JOIN and FROM stand names, and columns of a name may stand in brackets behind it.
        # Some words are one with the next: GROUP BY (, ORDER BY (.
        word = one.text.lower().split(" ")[-1] if one.token_type is not TokenType.IDENTIFIER else one.text.lower()
        if called and word not in _KNOWN and not _names(outer, one.text):
            raise refuse_shown.function_not_presented(one.text.upper())
    for node in outer.walk():
        if isinstance(node, _BUILT) and not isinstance(node.parent, exp.In) and not _short_list(node, outer):
            raise refuse_shown.function_not_presented(node.key.upper())
    grown = [node for node in outer.walk() if isinstance(node, _GROWING)]
    inside = [node for node in grown if _around(node, outer)]
    # Of lines that a join multiplied, a list would be as long as they are many.
    inside += [node for node in grown if isinstance(node, exp.AggFunc) and outer.find(exp.Join) is not None]
    if inside or sum(max(1, len(node.expressions)) for node in grown) > _MOST_GROWING:
        raise refuse_shown.text_not_presented()


def _short_list(node: exp.Expr, outer: exp.Expr) -> bool:
    """Whether a node is a list of a few numbers in the outermost SELECT: several quantiles."""
    if not isinstance(node, exp.Array) or not 1 <= len(node.expressions) <= _MOST_GROWING:
        return False
    return all(one.find(*_GROWING, *_BUILT) is None for one in node.expressions) and not _around(node, outer)


def _names(outer: exp.Expr, word: str) -> bool:
    """Whether a word is a name with a list of columns behind it, as in WITH t(a, b) AS."""
    return any(alias.name == word and alias.columns for alias in outer.find_all(exp.TableAlias))


def _around(node: exp.Expr, outer: exp.Expr) -> bool:
    """Whether a node stands in a question inside the outermost one, or behind what selects from it."""
    select: exp.Expr | None = node.find_ancestor(exp.Select)
    while select is not None and isinstance(select.parent, exp.SetOperation):
        select = select.parent
    return select is not outer
