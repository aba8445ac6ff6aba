"""Rewrites a plan into its normal form by an ordered list of named rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from partita.query.language.plan import Plan
from partita.query.rewrite.averages_from_ratios import averages_from_ratios
from partita.query.rewrite.basis_of_sums import basis_of_sums
from partita.query.rewrite.check_widths import check_widths
from partita.query.rewrite.collect_terms import collect_terms
from partita.query.rewrite.count_present_rows import count_present_rows
from partita.query.rewrite.loosen_clamps import loosen_clamps
from partita.query.rewrite.share_aggregates import share_aggregates
from partita.query.rewrite.trim_cases import trim_cases

Rule = Callable[[Plan], Plan]

RULES: Final[tuple[Rule, ...]] = (
    trim_cases,
    loosen_clamps,
    collect_terms,
    count_present_rows,
    averages_from_ratios,
    basis_of_sums,
    check_widths,
    share_aggregates,
)


def rewritten(plan: Plan) -> Plan:
    """The plan after every rule, each applied once and in order."""
    for rule in RULES:
        plan = rule(plan)
    return plan


__all__ = ["RULES", "Rule", "rewritten"]
