"""The second opinion on a charge: the claim is tried on made-up rows, and found short where more is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Final, final

from partita.assay.claim import Claim
from partita.assay.coverage import uncharged
from partita.assay.loss import Moved, Scales
from partita.assay.meaning import Codes
from partita.assay.neighbours import trials
from partita.assay.release import Reading, Released, Unlisted
from partita.assay.rows import Row
from partita.assay.trials import Table, Trial
from partita.assay.values import values

# In how many ways the questions of a plan may name open keys together before only some of them are tried.
MOST_WAYS: Final = 64


@final
@dataclass(frozen=True, slots=True)
class Shortfall:
    """Two made-up tables on which more is lost than is claimed: public values only, for the operator's log."""

    claim: Claim
    trial: Trial
    moved: str

    def __str__(self) -> str:
        claimed = ", ".join(map(str, self.trial.claimed))
        tables = f"from {_shown(self.trial.before)} to {_shown(self.trial.after)}"
        return f"{self.claim.granularity}: {tables}, {self.moved}; claimed is {self.claim.measure.symbol} = {claimed}."


def assay(releases: Sequence[Released], claims: Sequence[Claim], *, effort: int, seed: str) -> Shortfall | None:
    """The first pair of neighbouring tables that loses more than is claimed, or None (assay.proof.md).

    The releases are charged together. All that they read has to be charged, whatever the effort: ``effort`` counts the
    pairs of tables that are tried, and the values at which choices are scored, for each question. Some values are drawn
    from the seed, which is public. Nothing is read: all rows are made up.
    """
    readings = [Reading(released) for released in releases]
    scales = Scales(readings)
    chosen = values(readings, claims, most=max(8, effort), seed=seed)
    share = max(1, effort * len(releases) // max(1, len(claims)))
    for claim in claims:
        missing = _uncharged(readings, claim, seed)
        if missing is not None:
            return Shortfall(claim, Trial((), (Row(missing),), claim.nothing), "which is read and not charged")
        until = scales.work + share
        for trial in trials(readings, claim, chosen):
            found = _lacking(readings, scales, claim, trial)
            if found is not None:
                return Shortfall(claim, trial, found)
            if scales.work >= until:
                break
    return None


def _uncharged(readings: Sequence[Reading], claim: Claim, seed: str) -> Codes | None:
    """A value that a question reads and that the claim leaves out, unless it claims nothing for anybody."""
    if not any((*claim.one, *claim.substitution, *claim.same)):
        return None
    regions = dict.fromkeys(reading.program.where.region.boxes for reading in readings)
    found = (uncharged(read, claim.boxes, seed=seed) for read in regions)
    return next((codes for codes in found if codes is not None), None)


def _lacking(readings: Sequence[Reading], scales: Scales, claim: Claim, trial: Trial) -> str | None:
    """What loses more than is claimed, whichever open keys are named; the questions of a plan lose together."""
    ways: list[list[Moved]] = []
    try:
        for which, reading in enumerate(readings):
            before, after = reading.outcome(trial.before), reading.outcome(trial.after)
            ways.append(list(dict.fromkeys(scales.moves(which, reading, before, after))))
    except Unlisted as problem:
        return str(problem)
    together = (tuple(chain.from_iterable(one)) for one in _combined(ways))
    short = (way for way in together if not scales.covered(way, trial.claimed, claim.measure))
    return next((scales.shown(way) for way in short), None)


def _combined(ways: Sequence[Sequence[Moved]]) -> Iterable[tuple[Moved, ...]]:
    """One way of each question, in every combination; of many, those in which all take their first, second, ... way.

    >>> len(list(_combined([[(), ()]] * 3))), len(list(_combined([[(), ()]] * 30)))
    (8, 2)
    """
    if prod(map(len, ways)) <= MOST_WAYS:
        return product(*ways)
    return (tuple(mine[min(at, len(mine) - 1)] for mine in ways) for at in range(max(map(len, ways))))


def _shown(table: Table) -> str:
    return "[" + "; ".join(f"{row.times} x {row.codes} of {row.owner} {row.texts}" for row in table) + "]"


__all__ = ["Claim", "Released", "Shortfall", "assay"]
