"""The exact words of what takes too much work."""

from __future__ import annotations

import pytest

from partita.errors import effort as refuse
from partita.errors.effort import Work

ADVICE = {
    Work.WORDS: (
        "its words stand for too many others once WITH, brackets and UNION ALL are written out. Name a question once, "
        "with WHERE and OR instead of UNION ALL."
    ),
    Work.CONDITIONS: (
        "its conditions cut the table into too many pieces. Write ranges with BETWEEN and lists with IN, use fewer "
        "columns in OR and CASE, or ask several questions."
    ),
    Work.VALUES: (
        "its functions are evaluated for every value of their columns, and there are too many. Compare the column "
        "itself with numbers or dates, or use fewer functions."
    ),
    Work.GROUPS: (
        "its groups are too many to be listed together. Group by fewer columns, by BUCKET(column, width), or narrow "
        "them in WHERE."
    ),
    Work.AGGREGATES: (
        "its aggregates are too many to be priced together. Ask for fewer at once, in several questions."
    ),
}


def test_a_plan_is_refused_in_words_of_its_own():
    refusal = refuse.too_much(Work.COMPOSITION, 1_000_000)
    assert refusal.code == "composition.too-much-work"
    assert refusal.message == (
        "This plan takes more than 1,000,000 steps: its counts, rates, budgets or distances are extreme, or its "
        "releases too many of too many kinds. Use less extreme numbers, a method such as zcdp, or fewer kinds of "
        "releases."
    )


@pytest.mark.parametrize("work", ADVICE)
def test_the_words_are_exactly_these(work):
    refusal = refuse.too_much(work, 400_000)
    assert refusal.code == "query.too-much-work"
    opening = "This question takes more than 400,000 steps to price:"
    assert refusal.message == f"{opening} {ADVICE[work]} Nothing was read and nothing was charged."
