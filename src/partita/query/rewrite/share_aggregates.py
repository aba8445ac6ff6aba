"""Puts keys and aggregates in one order, each once, so that the same question has one form."""

from __future__ import annotations

from dataclasses import replace

from partita.query.language.plan import Plan
from partita.query.language.text import canonical_key, shown_aggregate


def share_aggregates(plan: Plan) -> Plan:
    """An aggregate asked for twice is computed and paid for once; names and order are for show."""
    return replace(
        plan,
        keys=tuple(sorted(set(plan.keys), key=canonical_key)),
        aggregates=tuple(sorted(set(plan.aggregates), key=shown_aggregate)),
    )
