"""Reads functions of one column by evaluating them for each of its values: as keys, conditions and expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.exact import number
from partita.limits import current
from partita.query.functions.tabulated import Untabulated, evaluated
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Bounds, Case, Expression, Number
from partita.query.language.keys import Cases, Key, Mapped, Shape, Shown, Valued
from partita.query.language.text import readable
from partita.region.codes import of
from partita.region.domain import Domain
from partita.region.predicate import Codewise, Predicate
from partita.region.region import Region


@final
@dataclass(frozen=True, slots=True)
class Tabulated:
    """What a function gives for each code of a column."""

    column: str
    values: tuple[Any, ...]

    def predicate(self) -> Predicate | None:
        """The condition that the function is true, if it gives truths."""
        if not all(value is None or isinstance(value, bool) for value in self.values):
            return None
        spend(len(self.values) >> 2, Work.VALUES)
        true = frozenset(code for code, value in enumerate(self.values) if value is True)
        false = frozenset(code for code, value in enumerate(self.values) if value is False)
        return Codewise(self.column, true, false)

    def expression(self, domain: Domain) -> Expression | None:
        """The function as a bounded expression, if it gives numbers and not too many."""
        numbers = [Fraction(int(value)) if isinstance(value, bool) else value for value in self.values]
        if not all(value is None or isinstance(value, Fraction) for value in numbers):
            return None
        codes: dict[Fraction | None, list[int]] = {}
        spend(len(numbers) >> 1, Work.VALUES)
        for code, value in enumerate(numbers):
            codes.setdefault(value, []).append(code)
        if len(codes) > current().branches:
            return None
        branches = tuple(
            (Condition(slab(domain, self.column, listed)), Number(value))
            for value, listed in codes.items()
            if value is not None
        )
        if len(branches) == 1 and None not in codes:
            return branches[0][1]
        return Case(branches, Number(None))

    def key(self, text: str | None, domain: Domain) -> Key:
        """The function as a key of groups; written as a CASE where the question's own words are not enough."""
        spend(len(self.values), Work.VALUES)
        labels = tuple(_label(value) for value in self.values)
        return Mapped(self.column, labels, text or _spelled(domain, self.column, labels))


def constant(node: exp.Expr) -> tuple[Shown] | None:
    """The value of an expression without columns, in a tuple because it may be NULL."""
    if node.find(exp.Column) is not None:
        return None
    spend(3 * sum(1 for _ in node.walk()), Work.VALUES)
    try:
        return (_label(evaluated(node, {})),)
    except Untabulated:
        return None


def cases(branches: Sequence[tuple[Condition, Shown]], otherwise: Shown, text: str) -> Cases | Valued:
    """Groups by conditions on several columns: by regions, or by the number of the first condition that is true."""
    if any(condition.tests for condition, _ in branches):
        labels = tuple(dict.fromkeys([*(label for _, label in branches), otherwise]))
        numbers = {label: Number(Fraction(place)) for place, label in enumerate(labels)}
        of = Case(tuple((condition, numbers[label]) for condition, label in branches), numbers[otherwise])
        within = Bounds(0, len(labels) - 1, Fraction(1), nullable=False)
        return Valued(of, within, Fraction(1), Fraction(0), Shape.NUMBER, text, labels)
    return Cases(tuple((condition.region, label) for condition, label in branches), otherwise, text)


def slab(domain: Domain, column: str, codes: Sequence[int]) -> Region:
    """All records whose code in one column is among some."""
    axis = domain.axis(column)
    full = domain.everything
    return Region(domain, ((*full[:axis], of(codes), *full[axis + 1 :]),)) if codes else Region.nothing(domain)


def _label(value: Any) -> Shown:
    if value is None or isinstance(value, str | bool | Fraction | date):
        return value
    raise Untabulated


def _spelled(domain: Domain, column: str, labels: tuple[Shown, ...]) -> str:
    """The function as a CASE over the values of its column."""
    codes: dict[Shown, list[int]] = {}
    for code, label in enumerate(labels):
        codes.setdefault(label, []).append(code)
    whens = " ".join(
        f"WHEN {readable(slab(domain, column, listed))} THEN {_literal(label)}"
        for label, listed in codes.items()
        if label is not None
    )
    return f"CASE {whens} ELSE NULL END" if whens else "NULL"


def _literal(label: Shown) -> str:
    match label:
        case bool():
            return "TRUE" if label else "FALSE"
        case Fraction():
            return number(label)
        case date():
            return f"DATE '{label.isoformat()}'"
        case _:
            return "'" + str(label).replace("'", "''") + "'"
