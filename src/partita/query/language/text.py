"""Plans as text: SQL that people read, and the canonical form that is fingerprinted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from partita.exact import number
from partita.query.language.conditions import Condition, Versus
from partita.query.language.expressions import (
    Case,
    Clamp,
    Curved,
    Expression,
    Extreme,
    First,
    Months,
    Number,
    Plus,
    Quotient,
    Ratio,
    Remainder,
    Times,
    Value,
)
from partita.query.language.joined import Joined, Link, joined_of
from partita.query.language.keys import Bucket, Cases, Each, Key, Mapped, Opened, Truncated, Valued
from partita.query.language.worded import Worded
from partita.region.codes import Codes
from partita.region.columns import Bounded, Timestamps
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, Or, Predicate
from partita.region.region import Region

if TYPE_CHECKING:
    from partita.query.language.aggregates import Aggregate
    from partita.query.language.per_user import PerUser
    from partita.query.language.plan import Plan
    from partita.query.tables.schema import Table

Written = Callable[[Region], str]


def canonical(region: Region) -> str:
    """A region as its boxes of codes: cheap, and the same for the same boxes."""
    return repr(region.boxes)


def readable(region: Region) -> str:
    """A region as a SQL condition on the columns as people know them: decimals in their own units.

    >>> from partita.region.columns import decimals
    >>> readable(Region.where("cost > 2.5", Domain({"cost": decimals(0, 9, step="0.5")})))
    'cost >= 3'
    """
    if region.empty or region.whole:
        return "FALSE" if region.empty else "TRUE"
    terms = []
    for box in region.boxes:
        named = zip(region.domain.axes, region.domain.bounded, box, region.domain.everything, strict=True)
        parts = [_narrowed(name, column, codes) for name, column, codes, full in named if codes != full]
        terms.append(" AND ".join(parts if len(parts) == 1 else map(_bracketed, parts)))
    return terms[0] if len(terms) == 1 else " OR ".join(f"({term})" for term in terms)


@lru_cache(maxsize=256)
def _narrowed(name: str, column: Bounded, codes: Codes) -> str:
    """One column of a condition; what reads a column several times has the same conditions again and again."""
    from sqlglot import exp

    quotes = quoted(name) != name
    condition = column.condition(exp.column(name, quoted=quotes), codes)
    if isinstance(column, Timestamps):
        for literal in list(condition.find_all(exp.Literal)):
            whole = literal.parent if isinstance(literal.parent, exp.Neg) else literal
            units = -int(literal.name) if whole is not literal else int(literal.name)
            time = column.value(units - column.low)
            whole.replace(exp.Literal.string("" if time is None else time.isoformat(" ")))
    elif isinstance(column, Stepped) and column.step != 1:
        # Sanitised decimals count steps; people count in the column's own unit.
        for literal in list(condition.find_all(exp.Literal)):
            literal.set("this", number(Fraction(literal.name) * column.step))
        for negative in list(condition.find_all(exp.Neg)):
            negative.replace(exp.Literal.number(f"-{negative.this.name}"))
    return condition.sql(dialect="duckdb")


def _bracketed(text: str) -> str:
    return f"({text})" if " OR " in text else text


def shown_expression(expression: Expression, written: Written = readable) -> str:
    """An expression as SQL.

    >>> shown_expression(Plus((Value("age"), Number(Fraction(1, 2)))))
    'age + 0.5'
    """
    match expression:
        case Value(name):
            return f"COUNTED({quoted(name)})" if expression.timed else quoted(name)
        case Number(value):
            return "NULL" if value is None else number(value)
        case Plus(parts):
            return " + ".join(shown_expression(part, written) for part in parts)
        case Times(parts):
            return " * ".join(_inner(part, written) for part in parts)
        case Clamp(part, low, high):
            return f"CLAMP({shown_expression(part, written)}, {number(low)}, {number(high)})"
        case Quotient(part, width):
            return f"QUOTIENT({shown_expression(part, written)}, {number(width)})"
        case Months(part):
            return f"MONTHS({shown_expression(part, written)})"
        case Remainder(part, width):
            return f"REMAINDER({shown_expression(part, written)}, {number(width)})"
        case Extreme(parts, greatest):
            listed = ", ".join(shown_expression(part, written) for part in parts)
            return f"{'GREATEST' if greatest else 'LEAST'}({listed})"
        case Ratio(part, divisor, step):
            over = f"{shown_expression(part, written)}, {shown_expression(divisor, written)}"
            return f"RATIO({over}, {number(step)})"
        case Curved(name, part, low, high, unit, step):
            ends = ", ".join(map(number, (low, high, unit, step)))
            return f"CURVE('{name}', {shown_expression(part, written)}, {ends})"
        case First(parts):
            return f"COALESCE({', '.join(shown_expression(part, written) for part in parts)})"
        case Case(branches, otherwise):
            whens = " ".join(
                f"WHEN {shown_condition(condition, written)} THEN {shown_expression(value, written)}"
                for condition, value in branches
            )
            return f"CASE {whens} ELSE {shown_expression(otherwise, written)} END"
        case _:
            assert_never(expression)


def shown_condition(condition: Condition, written: Written = canonical) -> str:
    """A condition as SQL, or in its canonical form."""
    domain = condition.region.domain
    tests = sorted(truth(test, domain, written) for test in condition.tests)
    if not tests:
        return written(condition.region)
    return " AND ".join([f"({written(condition.region)})", *(f"({test})" for test in tests)])


def truth(predicate: Predicate, domain: Domain, written: Written = readable, *, wanted: bool = True) -> str:
    """Text that is true exactly where the predicate is true (or false), in three-valued logic."""
    match predicate:
        case Versus(left, operator, right):
            sign = operator if wanted else operator.negated()
            return f"{shown_expression(left, written)} {sign.value} {shown_expression(right, written)}"
        case Not(part):
            return truth(part, domain, written, wanted=not wanted)
        case And(parts) | Or(parts):
            word = " AND " if isinstance(predicate, And) is wanted else " OR "
            return word.join(sorted(f"({truth(part, domain, written, wanted=wanted)})" for part in parts))
        case IsTrue(part):
            inner = truth(part, domain, written)
            return inner if wanted else f"({inner}) IS NOT TRUE"
        case Known(value):
            return "TRUE" if value is wanted else "FALSE"
        case Worded(sql=sql):
            return sql if wanted else f"NOT ({sql})"
        case _:
            reach = predicate.reach(domain)
            return written(reach.true if wanted else reach.false)


def shown_key(key: Key) -> str:
    """A key as SQL."""
    match key:
        case Opened(name, function):
            return quoted(name) if function is None else function
        case Each(name):
            return quoted(name)
        case Bucket(name, width):
            return f"BUCKET({quoted(name)}, {number(width)})"
        case Truncated(name, unit):
            return f"DATE_TRUNC('{unit}', {quoted(name)})"
        case Mapped() | Cases() | Valued():
            return key.text
        case _:
            assert_never(key)


def canonical_key(key: Key) -> str:
    """A key in its canonical form: what it does to each value, however it was written."""
    match key:
        case Mapped(name, labels):
            return f"MAPPED({quoted(name)}, {labels!r})"
        case Cases(branches, otherwise):
            return f"CASES({[(region.boxes, label) for region, label in branches]!r}, {otherwise!r})"
        case Valued(of, within, width, start, shown, labels=labels):
            named = f", {labels!r}" if labels else ""
            return f"VALUED({shown_expression(of, canonical)}, {within!r}, {width}, {start}, {shown.value}{named})"
        case _:
            return shown_key(key)


def shown_aggregate(aggregate: Aggregate, written: Written = canonical) -> str:
    """An aggregate as SQL, or in its canonical form."""
    from partita.query.language.aggregates import (
        Average,
        Correlation,
        Count,
        CountDifferent,
        CountOwners,
        CountRows,
        Covariance,
        Quantile,
        Sum,
        Variance,
    )

    match aggregate:
        case CountRows():
            return "COUNT(*)"
        case Count(of):
            return f"COUNT({shown_expression(of, written)})"
        case Sum(of):
            return f"SUM({shown_expression(of, written)})"
        case Average(of):
            return f"AVG({shown_expression(of, written)})"
        case Quantile(of, share, side) if side:
            return f"QUANTILE_{'LOW' if side < 0 else 'HIGH'}({shown_expression(of, written)}, {number(share)})"
        case Quantile(of, share):
            plain = {Fraction(0): "MIN", Fraction(1, 2): "MEDIAN", Fraction(1): "MAX"}.get(share)
            inner = shown_expression(of, written)
            return f"QUANTILE({inner}, {number(share)})" if plain is None else f"{plain}({inner})"
        case CountOwners(owner):
            return f"COUNT(DISTINCT {quoted(owner)})"
        case CountDifferent(column, among):
            met = "" if among is None else f" FILTER (WHERE {shown_condition(among, written)})"
            return f"COUNT(DISTINCT {quoted(column)}){met}"
        case Variance(of):
            return f"VAR_POP({shown_expression(of, written)})"
        case Covariance(of, other):
            return f"COVAR_POP({shown_expression(of, written)}, {shown_expression(other, written)})"
        case Correlation(of, other):
            return f"CORR({shown_expression(of, written)}, {shown_expression(other, written)})"
        case _:
            assert_never(aggregate)


def shown_plan(plan: Plan) -> str:
    """A plan as SQL that would make it again."""
    from partita.query.language.plan import KeyColumn
    from partita.query.language.presentation import shown_formula, shown_lines

    listed = []
    for column in plan.shown:
        text = shown_key(column.key) if isinstance(column, KeyColumn) else shown_formula(column.formula)
        name = quoted(column.name)
        listed.append(text if text == name else f"{text} AS {name}")
    lines = [
        f"SELECT {'DISTINCT ' if plan.lines.distinct else ''}{', '.join(listed)}",
        f"FROM {_named(plan.table) if plan.per_user is None else _gathered(plan, plan.per_user)}",
        *_where(plan.met),
    ]
    if plan.lines.sets:
        sets = ", ".join(f"({', '.join(map(shown_key, keys))})" for keys in plan.lines.sets)
        lines.append(f"GROUP BY GROUPING SETS ({sets})")
    elif plan.keys:
        lines.append(f"GROUP BY {', '.join(shown_key(key) for key in plan.keys)}")
    text, joined = "\n".join([*lines, *shown_lines(plan.lines)]), joined_of(plan.table)
    return text if joined is None else _apart(text, joined)


def _named(table: Table) -> str:
    """What stands after FROM: a table, or the join that it stands for."""
    joined = joined_of(table)
    if joined is None:
        return quoted(table.name)
    parts = []
    for place, one in enumerate(joined.occurrences):
        derived = joined.derived(one.table)
        text = quoted(one.table) if one.name == one.table else f"{quoted(one.table)} AS {quoted(one.name)}"
        text = text if derived is None else f"({derived.written}) AS {quoted(one.name)}"
        if place:
            on = [] if one.on is None else [f"({shown_condition(one.on, readable)})"]
            on = [*_same_window(joined, one.name, one.table), *on]
            text = f"{one.kind.value} {text} ON {' AND '.join([*_links(joined, one.name, one.links), *on]) or 'TRUE'}"
        parts.append(text)
    for fan in joined.fans:
        named = (
            quoted(fan.table.name) if fan.name == fan.table.name else f"{quoted(fan.table.name)} AS {quoted(fan.name)}"
        )
        met = f"{quoted(fan.name)}.{quoted(fan.table.key)} = {quoted(fan.occurrence)}.{quoted(fan.column)}"
        parts.append(f"{'LEFT JOIN' if fan.optional else 'JOIN'} {named} ON {met}")
    return "\n".join(parts)


def _links(joined: Joined, mine: str, links: Sequence[Link]) -> list[str]:
    owner = joined.people.owner
    return [
        f"{quoted(mine)}.{quoted(link.mine or owner)} = {quoted(link.other)}.{quoted(link.theirs or owner)}"
        for link in links
    ]


def _same_window(joined: Joined, mine: str, table: str) -> list[str]:
    """The equality of windows, where all rows that meet lie in one."""
    first, per = joined.occurrences[0], joined.people[table].per
    if joined.window is None or per is None:
        return []
    return [f"{quoted(mine)}.{quoted(per)} = {quoted(first.name)}.{quoted(str(joined.people[first.table].per))}"]


def _apart(text: str, joined: Joined) -> str:
    """A question about a joined table with the columns of the tables themselves, and with EXISTS written out."""
    written = {joined: f"{quoted(one.name)}.{quoted(column)}" for joined, (one, column) in joined.columns.items()}
    for fan in joined.fans:
        written |= {fan.joined(column): f"{quoted(fan.name)}.{quoted(column)}" for column, _ in fan.columns}
    for existence in joined.existences:
        alias = "other"
        while any(alias == one.name.lower() for one in joined.occurrences):
            alias += "_"
        where = existence.where
        own = [] if where.region.whole and not where.tests else [f"({shown_condition(where, readable)})"]
        own = [*_same_window(joined, alias, existence.table), *own]
        met = " AND ".join([*_links(joined, alias, existence.links), *own])
        written[existence.name] = f"EXISTS (SELECT 1 FROM {quoted(existence.table)} AS {alias} WHERE {met})"

    def exchanged(found: re.Match[str]) -> str:
        return written.get(found[0][1:-1].replace('""', '"'), found[0]) if found[0][0] == '"' else found[0]

    return _QUOTED.sub(exchanged, text)


def _where(where: Condition) -> list[str]:
    if where.region.whole and not where.tests:
        return []
    if where.region.whole:
        domain = where.region.domain
        return [f"WHERE {' AND '.join(sorted(truth(test, domain) for test in where.tests))}"]
    return [f"WHERE {shown_condition(where, readable)}"]


def _gathered(plan: Plan, per_user: PerUser) -> str:
    """Rows gathered by owner, as a question in brackets; bounds that the promises do not give are written out."""
    keys = [quoted(per_user.owner), *map(quoted, per_user.keys)]
    listed = list(keys)
    for column in per_user.columns:
        within, of = column.bounds, "" if column.of is None else f"({shown_expression(column.of)})"
        text = f"{column.gathers.value}{of}"
        if column.clamped:
            text = f"CLAMP({text}, {number(within.lowest)}, {number(within.highest)})"
        listed.append(f"{text} AS {quoted(column.name)}")
    parts = [f"SELECT {', '.join(listed)} FROM {_named(plan.table)}", *_where(plan.where)]
    return f"({' '.join(parts)} GROUP BY {', '.join(keys)}) AS gathered"


def _inner(expression: Expression, written: Written) -> str:
    text = shown_expression(expression, written)
    return f"({text})" if isinstance(expression, Plus) else text


def quoted(name: str) -> str:
    """A name as SQL writes it: in quotes unless it is plain.

    >>> quoted("age"), quoted("order"), quoted("Total cost")
    ('age', '"order"', '"Total cost"')
    """
    return name if _PLAIN.fullmatch(name) and name not in _RESERVED else in_quotes(name)


def in_quotes(name: str) -> str:
    """A name in quotes, whatever it is: a word of SQL, or with quotes inside.

    >>> in_quotes('the "old" one')
    '"the ""old"" one"'
    """
    return '"' + name.replace('"', '""') + '"'


_PLAIN = re.compile("[a-z_][a-z0-9_]*")
# Names and texts in quotation marks.
_QUOTED = re.compile("""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_RESERVED = frozenset(
    "all and any as asc between by case cast check collate column create cross current_date current_time "
    "current_timestamp default desc distinct do else end except exists false fetch filter for foreign from full "
    "group having if in inner intersect interval into is join lateral left like limit natural not null offset on or "
    "order outer over partition pivot primary qualify references returning right row rows sample select set some "
    "table tablesample then to true union unique unpivot user using values when where window with".split()
)
