"""A region as a SQL condition on sanitised columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.box import Box
    from partita.region.region import Region


def condition(region: Region, table: str | None = None) -> exp.Expr:
    """The condition that holds exactly on the region, built from the same boxes that decide membership."""
    from sqlglot import exp

    if region.empty:
        return exp.false()
    terms = [_term(region, box, table) for box in region.boxes]
    return terms[0] if len(terms) == 1 else exp.or_(*terms)


def _term(region: Region, box: Box, table: str | None) -> exp.Expr:
    from sqlglot import exp

    domain = region.domain
    parts = [
        column.condition(exp.column(name, table=table, quoted=_quoted(name)), codes)
        for name, column, codes, full in zip(domain.axes, domain.bounded, box, domain.everything, strict=True)
        if codes != full
    ]
    if not parts:
        return exp.true()
    return parts[0] if len(parts) == 1 else exp.and_(*parts)


def _quoted(name: str) -> bool:
    return not (name.isidentifier() and name.islower() and name.isascii() and name not in _RESERVED)


_RESERVED = frozenset(
    "all and any as asc between by case cast desc distinct else end except false from full group having in inner "
    "intersect into is join left like limit not null offset on or order outer primary references right select "
    "table then to true union unique user using when where window with".split()
)
