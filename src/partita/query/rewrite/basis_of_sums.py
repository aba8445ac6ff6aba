"""Releases a basis where sums depend on each other: SUM(x + 1), SUM(x + 2) and SUM(x + 3) are SUM(x) and a count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from partita.limits import current
from partita.query.language.aggregates import Aggregate, Average, Count, CountRows, Sum
from partita.query.language.expressions import Expression, Number, Plus, bounds
from partita.query.language.formulas import Apply, Constant, Formula, Operation
from partita.query.language.plan import Plan
from partita.query.rewrite.collect_terms import factored
from partita.query.rewrite.count_present_rows import counting
from partita.query.rewrite.everywhere import replaced
from partita.region.domain import Domain

Vector = Mapping[Aggregate, Fraction]

ONE: Final = Fraction(1)


def basis_of_sums(plan: Plan) -> Plan:
    """Sums that follow from fewer sums and counts become formulas of these; sums that do not are left as they are.

    Every sum is a combination of sums of single terms and of a count. Where all sums and counts of the question span as
    many dimensions as there are such parts, and there are more sums than that, the parts are released.
    """
    sums = [one for one in plan.aggregates if isinstance(one, Sum)]
    averages = [one for one in plan.aggregates if isinstance(one, Average)]
    if len(sums) + len(averages) < 2 and (not sums or len(plan.aggregates) < 3):
        return plan
    if len(plan.aggregates) > current().dependent_sums:
        return plan
    taken = {one: _taken_apart(one, plan.domain) for one in sums}
    known: list[Vector] = [{one: ONE} for one in plan.aggregates if isinstance(one, CountRows | Count)]
    for average in averages:
        vector = _taken_apart(Sum(average.of), plan.domain)
        known += [vector, {counting(Count(average.of), plan.domain): ONE}]
    every = [*known, *taken.values()]
    parts = {part for vector in every for part in vector}
    dimensions = _rank(every)
    changed: dict[Aggregate, Formula] = {}
    if dimensions == len(parts) and dimensions - _rank(known) < len(sums):
        changed.update({one: _combined(vector) for one, vector in taken.items() if vector != {one: ONE}})
    changed.update(_averages(averages))
    return replaced(plan, changed)


def _averages(averages: Iterable[Average]) -> dict[Aggregate, Formula]:
    """The mean of 2 * x + 1 is twice the mean of x, and 1, where another mean is of x or of such a thing."""
    apart = {one: _single(one.of) for one in averages}
    terms = [found[0] for found in apart.values() if found is not None]
    changed: dict[Aggregate, Formula] = {}
    for one, found in apart.items():
        if found is None or terms.count(found[0]) < 2 or found[0] == one.of:
            continue
        term, factor, constant = found
        changed[one] = _sum([(factor, Average(term)), (constant, None)])
    return changed


def _taken_apart(one: Sum, domain: Domain) -> Vector:
    """A sum as sums of single terms and a count; itself where NULL keeps the terms together."""
    single = _single(one.of)
    if single is not None:
        term, factor, constant = single
        found: dict[Aggregate, Fraction] = {Sum(term): factor}
        if constant:
            found[counting(Count(term), domain)] = constant
        return found
    if not isinstance(one.of, Plus) or bounds(one.of, domain).nullable:
        return {one: ONE}
    found = {}
    for part in one.of.parts:
        if isinstance(part, Number):
            assert part.value is not None
            found[CountRows()] = part.value
        else:
            factor, term = factored(part)
            found[Sum(term)] = factor
    return found


def _single(of: Expression) -> tuple[Expression, Fraction, Fraction] | None:
    """A term, a factor and a constant, if the expression is the term times the factor plus the constant."""
    match of:
        case Number():
            return None
        case Plus((part, Number(value))) if value is not None:
            factor, term = factored(part)
            return (term, factor, value) if factor else None
        case Plus():
            return None
        case _:
            factor, term = factored(of)
            return (term, factor, Fraction(0)) if factor else None


def _combined(vector: Vector) -> Formula:
    return _sum([(factor, part) for part, factor in vector.items()])


def _sum(parts: Iterable[tuple[Fraction, Aggregate | None]]) -> Formula:
    """Factors times aggregates, added up; a factor without an aggregate is a constant."""
    listed: list[Formula] = []
    for factor, part in parts:
        if part is None:
            listed.extend([Constant(factor)] if factor else [])
        else:
            listed.append(part if factor == 1 else Apply(Operation.MULTIPLY, (Constant(factor), part)))
    return listed[0] if len(listed) == 1 else Apply(Operation.ADD, tuple(listed))


def _rank(vectors: Iterable[Vector]) -> int:
    """How many of the vectors are independent, by elimination."""
    pivots: dict[Aggregate, dict[Aggregate, Fraction]] = {}
    for vector in vectors:
        rest = {part: factor for part, factor in vector.items() if factor}
        while rest:
            place = next((part for part in rest if part in pivots), None)
            if place is None:
                pivot = next(iter(rest))
                pivots[pivot] = {part: factor / rest[pivot] for part, factor in rest.items()}
                break
            times = rest[place]
            for part, factor in pivots[place].items():
                rest[part] = rest.get(part, Fraction(0)) - times * factor
            rest = {part: factor for part, factor in rest.items() if factor}
    return len(pivots)
