"""What the one who signs must see first: everything about a ledger that weakens what is promised, or is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partita.explain.report.about import About
from partita.explain.words import Explanation
from partita.granularity import Persons, Users
from partita.ledger.birth import Terms
from partita.ledger.book.store import State
from partita.ledger.reports.report import Summary
from partita.region.columns.open import Identifier

_HEAD = "Warning: "


def cautions(found: Summary, terms: Terms, said: Sequence[Explanation], about: About) -> tuple[str, ...]:
    """The warnings of a ledger, the gravest first."""
    return tuple(dict.fromkeys(_cautions(found, terms, said, about)))


def _cautions(found: Summary, terms: Terms, said: Sequence[Explanation], about: About) -> Iterator[str]:
    for balance, one in zip(found.balances, said, strict=True):
        unit = balance.promise.granularity.named
        for section in one.sections:
            for sentence in section.sentences:
                if sentence.startswith(_HEAD):
                    yield f"Promise for {unit}: {sentence.removeprefix(_HEAD)}"
    owned = [
        name
        for name, domain in terms.tables.items()
        if any(isinstance(column, Identifier) for column in domain.columns.values())
    ]
    if owned and not any(isinstance(one.promise.granularity.single, Users | Persons) for one in found.balances):
        yield (
            f"Rows of {', '.join(owned)} belong to people, and only rows are protected: somebody with several rows is"
            " protected less."
        )
    if any(one.facts.delta for one in said) and about.people is None:
        yield "How many people are in the data has not been said, so the δ cannot be judged."
    open_ = found.states.get(State.UNFINISHED, 0) + found.states.get(State.ABANDONED, 0)
    if open_:
        were = "question was" if open_ == 1 else "questions were"
        yield f"{open_:,} charged {were} not answered; what that cost stands."
    missing = about.missing()
    if missing:
        yield (
            f"{len(missing)} {'field' if len(missing) == 1 else 'fields'} that only the custodian can fill in "
            f"{'is' if len(missing) == 1 else 'are'} empty; they are listed at the end."
        )
