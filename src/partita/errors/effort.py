"""What is said when something would take more work than is done for it."""

from __future__ import annotations

from enum import Enum
from typing import final

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


@final
class Work(Enum):
    """What the steps were spent on when they ran out, and what to write instead."""

    WORDS = (
        "its words stand for too many others once WITH, brackets and UNION ALL are written out",
        "Name a question once, with WHERE and OR instead of UNION ALL",
    )
    CONDITIONS = (
        "its conditions cut the table into too many pieces",
        "Write ranges with BETWEEN and lists with IN, use fewer columns in OR and CASE, or ask several questions",
    )
    VALUES = (
        "its functions are evaluated for every value of their columns, and there are too many",
        "Compare the column itself with numbers or dates, or use fewer functions",
    )
    GROUPS = (
        "its groups are too many to be listed together",
        "Group by fewer columns, by BUCKET(column, width), or narrow them in WHERE",
    )
    COMPOSITION = (
        "its counts, rates, budgets or distances are extreme, or its releases too many of too many kinds",
        "Use less extreme numbers, a method such as zcdp, or fewer kinds of releases",
    )
    AGGREGATES = (
        "its aggregates are too many to be priced together",
        "Ask for fewer at once, in several questions",
    )


def too_much(work: Work, limit: int) -> QueryRefused:
    """A question or a plan that would keep the curator busy for too long."""
    reason, advice = work.value
    if work is Work.COMPOSITION:
        return QueryRefused(
            "composition.too-much-work", f"This plan takes more than {limit:,} steps: {reason}. {advice}."
        )
    return QueryRefused(
        "query.too-much-work",
        f"This question takes more than {limit:,} steps to price: {reason}. {advice}. {UNTOUCHED}",
    )
