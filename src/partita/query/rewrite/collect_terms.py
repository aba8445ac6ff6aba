"""Writes sums and products flat, with constants folded and parts in one order, so that a + b is b + a."""

from __future__ import annotations

from fractions import Fraction

from partita.query.language.expressions import Expression, First, Number, Plus, Times, bounds
from partita.query.language.plan import Plan
from partita.query.language.text import canonical, shown_expression
from partita.query.rewrite.everywhere import in_expressions, inside_out
from partita.region.domain import Domain


def collect_terms(plan: Plan) -> Plan:
    """Sums of sums and products of products become one; equal terms are put together; a constant NULL wins.

    A term is dropped only where that cannot turn NULL into a number: 0 * x stays where x may be NULL.
    """
    domain = plan.domain
    return in_expressions(plan, lambda expression: _collected(expression, domain))


def collected(expression: Expression, domain: Domain) -> Expression:
    """One expression in the form that the rule gives it."""
    return inside_out(expression, lambda part: _collected(part, domain))


def _collected(expression: Expression, domain: Domain) -> Expression:
    match expression:
        case Plus(parts):
            return _sum(parts, domain)
        case Times(parts):
            return _product(parts, domain)
        case First(parts):
            return _first(parts)
        case _:
            return expression


def _sum(parts: tuple[Expression, ...], domain: Domain) -> Expression:
    constant = Fraction(0)
    factors: dict[Expression, Fraction] = {}
    for part in _flat(parts, Plus):
        if isinstance(part, Number):
            if part.value is None:
                return Number(None)
            constant += part.value
            continue
        factor, rest = factored(part)
        factors[rest] = factors.get(rest, Fraction(0)) + factor
    kept = {rest: factor for rest, factor in factors.items() if factor or bounds(rest, domain).nullable}
    terms = _ordered([_times(factor, rest) for rest, factor in kept.items()])
    if constant or not terms:
        terms.append(Number(constant))
    return terms[0] if len(terms) == 1 else Plus(tuple(terms))


def _product(parts: tuple[Expression, ...], domain: Domain) -> Expression:
    constant = Fraction(1)
    rest: list[Expression] = []
    for part in _flat(parts, Times):
        if isinstance(part, Number):
            if part.value is None:
                return Number(None)
            constant *= part.value
        else:
            rest.append(part)
    if not rest or (constant == 0 and not any(bounds(part, domain).nullable for part in rest)):
        return Number(constant)
    if len(rest) == 1 and isinstance(rest[0], Plus) and constant != 1:
        # A constant goes into the sum, so that 2 * (a + b) is 2 * a + 2 * b.
        return _sum(tuple(_product((Number(constant), term), domain) for term in rest[0].parts), domain)
    ordered = _ordered(rest)
    if constant != 1:
        ordered.insert(0, Number(constant))
    return ordered[0] if len(ordered) == 1 else Times(tuple(ordered))


def _first(parts: tuple[Expression, ...]) -> Expression:
    kept: list[Expression] = []
    for part in _flat(parts, First):
        if part == Number(None) or part in kept:
            continue
        kept.append(part)
        if isinstance(part, Number):
            break
    if not kept:
        return Number(None)
    return kept[0] if len(kept) == 1 else First(tuple(kept))


def _flat(parts: tuple[Expression, ...], kind: type[Plus] | type[Times] | type[First]) -> list[Expression]:
    found: list[Expression] = []
    for part in parts:
        if isinstance(part, kind):
            found.extend(_flat(part.parts, kind))
        else:
            found.append(part)
    return found


def factored(part: Expression) -> tuple[Fraction, Expression]:
    """A collected term as a factor and the rest."""
    if isinstance(part, Times) and isinstance(part.parts[0], Number):
        value = part.parts[0].value
        assert value is not None
        rest = part.parts[1:]
        return value, rest[0] if len(rest) == 1 else Times(rest)
    return Fraction(1), part


def _times(factor: Fraction, rest: Expression) -> Expression:
    if factor == 1:
        return rest
    inner = rest.parts if isinstance(rest, Times) else (rest,)
    return Times((Number(factor), *inner))


def _ordered(parts: list[Expression]) -> list[Expression]:
    return sorted(parts, key=lambda part: shown_expression(factored(part)[1], canonical))
