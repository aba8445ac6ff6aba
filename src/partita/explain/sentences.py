"""The sentences of an explanation, each written around computed numbers."""

from __future__ import annotations

from collections.abc import Iterator

from partita.explain.facts import Beliefs, Facts
from partita.explain.numbers import at_least, at_most, factor, one_in, percent, short
from partita.granularity import Granularity

# Beyond these the field's own guidance warns: a large ε, a δ that is no longer negligible.
_LARGE_EPSILON = 5
_LARGE_DELTA = 1e-6
_SMALL_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def reading(facts: Facts) -> str:
    """The guarantee as one pair of numbers."""
    return f"(ε = {facts.epsilon:.6g}, δ = {short(facts.delta)})" if facts.delta else f"ε = {facts.epsilon:.6g}"


def for_the_person(facts: Facts) -> Iterator[str]:
    """What somebody in the data may rely on."""
    if facts.presence is None:
        cause, otherwise, then = "your record says what it says", "if your record said anything else", "as it is"
    else:
        cause, otherwise, then = "your record is in the data", "without your record", "with it"
    leak = f", plus a chance of {one_in(facts.delta)}" if facts.delta else ""
    yield (
        f"Whatever comes of these releases, it becomes at most {factor(facts.multiplier)} times as likely because "
        f"{cause}{leak}."
    )
    yield (
        f"What would happen to you with probability {percent(facts.fpr)} {otherwise} happens with probability at most "
        f"{at_most(facts.tpr)} {then}."
    )
    if facts.presence is not None:
        yield f"Whether your record is there: {moved(facts.presence)}."
    if facts.content is not None:
        yield f"What your record says: {moved(facts.content)}."
    if facts.group is not None:
        family = _SMALL_NUMBERS.get(facts.group.members, str(facts.group.members))
        more = f", δ = {short(facts.group.delta)}" if facts.group.delta != facts.delta else ""
        yield (
            f"A family of {family} together is protected less than each of them: what happens with probability "
            f"{percent(facts.fpr)} without them happens with probability at most {at_most(facts.group.tpr)} with them "
            f"(ε = {facts.group.epsilon:.3g}{more} in place of ε = {facts.epsilon:.3g})."
        )
    if facts.why_no_group:
        yield f"Nothing is promised to a {'larger ' if facts.group is not None else ''}family. {facts.why_no_group}"


def for_the_analyst(facts: Facts) -> Iterator[str]:
    """What somebody who works with the answers should know."""
    yield (
        "The noise is public: its kind and size may be printed beside every answer, and belong in your error bars. "
        "Negative counts are kept, because cutting them off would bias every sum."
    )
    yield "Anything computed from the answers alone costs nothing more, however often it is done."
    if facts.repeated is not None:
        at = f" at δ = {short(facts.repeated.delta)}" if facts.repeated.delta else ""
        yield (
            f"{facts.repeated.count} releases like this come to ε = {facts.repeated.epsilon:.3g}{at}, where one costs "
            f"ε = {facts.epsilon:.3g}: every new question about the same people adds to what is known of them."
        )


def for_the_officer(facts: Facts, unit: Granularity | None, people: int | None) -> Iterator[str]:
    """What somebody who answers for the release has to weigh."""
    protected = "one record, added or removed" if unit is None else str(unit)
    yield f"The unit that is protected: {protected}."
    by = f", by {facts.theorem}" if facts.theorem else ""
    yield f"Read as {reading(facts)}{by}. The whole curve, not this one point, is what was proven."
    yield (
        f"The best attack there can be, at {percent(facts.fpr)} false alarms, recognises at most {at_most(facts.tpr)} "
        f"of those in the data. If half of its suspects are in the data, at least {at_least(facts.falsely_accused)} of "
        f"those it accuses are not."
    )
    if facts.with_and_without is not None:
        yield (
            f"Whatever an attacker knows, also of how people depend on each other, conclusions with somebody's record "
            f"and without it differ by a factor of at most {factor(facts.with_and_without)}."
        )
    if facts.epsilon > _LARGE_EPSILON:
        yield f"Warning: ε = {facts.epsilon:.3g} is above {_LARGE_EPSILON}; by itself so large an ε protects little."
    if facts.delta:
        yield from _on_delta(facts.delta, people)


def not_promised(facts: Facts) -> Iterator[str]:
    """What a reader might think is promised, and is not."""
    yield (
        "That nothing can be learned about you. A study may find that smokers get cancer. Whoever knows that you smoke "
        "learns that also if you never took part."
    )
    yield (
        "That nobody draws conclusions from the group you belong to. A boss who reads how people like you vote, and "
        "guesses that you do too, would guess the same had you not been asked: that is what the study found out, and "
        "not your answer."
    )
    yield (
        "That records which depend on each other hide each other. What is said of beliefs holds given all the other "
        "records; relatives, or many records of one person, are a group."
    )
    if facts.delta:
        yield f"That δ does no harm: so read, the promise allows the worst with a chance of {one_in(facts.delta)}."
    yield "Anything about other releases from the same people that are not part of this guarantee."
    yield "Anything about how the data were collected, who may read the raw table, or a machine that is broken into."


def moved(beliefs: Beliefs) -> str:
    """How far they move, in one clause."""
    moves = [
        f"from {percent(belief.prior)} sure to between {at_least(belief.low)} and {at_most(belief.high)}"
        for belief in beliefs.moves
    ]
    outside = f", but for outputs that together have a chance of {one_in(beliefs.surprise)}" if beliefs.surprise else ""
    return f"whoever knows all the others moves {'; '.join(moves)}{outside}"


def _on_delta(delta: float, people: int | None) -> Iterator[str]:
    if people is None:
        if delta > _LARGE_DELTA * (1 + 1e-9):
            yield (
                f"Warning: δ = {short(delta)} is above {short(_LARGE_DELTA)}. It should be far below one over the "
                f"number of people."
            )
        return
    most = 1 / (100 * people)
    if delta * people >= 1:
        yield (
            f"Warning: δ = {short(delta)} is no promise to {people:,} people: publishing each of them outright with "
            f"that probability would keep it. Use at most {short(most)}."
        )
    elif delta > most * (1 + 1e-9):
        yield f"Warning: δ = {short(delta)} is above {short(most)}, a hundredth of one over the {people:,} people."
    else:
        yield f"δ = {short(delta)} is at most {short(most)}, a hundredth of one over the {people:,} people."
