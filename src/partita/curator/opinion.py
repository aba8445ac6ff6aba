"""The second opinion of a curator: what a charge will book, and what it is for, handed to the assay as plain data."""

from __future__ import annotations

from partita.assay.release import Choice, Part, Released
from partita.query.blocks import entries
from partita.query.quote import Quote


def released(quote: Quote) -> Released:
    """A question as it will be run: its program, and how exact tallies become released numbers."""
    offer = quote.offer
    return Released(
        quote.program,
        tuple(Part(entries(part.block), part.mechanism) for part in offer.parts),
        tuple(
            Choice(one.of, len(one.shares), one.within.low, one.within.high, one.away, one.mechanism)
            for one in offer.choices
        ),
        None if offer.selection is None else offer.selection.mechanism,
    )
