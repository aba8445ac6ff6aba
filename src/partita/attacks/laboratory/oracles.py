"""Oracles: what an analyst learns from errors, and from the clock, rather than from answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from partita.attacks.attack import Attack
from partita.attacks.cohort import half
from partita.attacks.guesses import Bits, guessed, right
from partita.attacks.victims import Ask, Exposed, Floats, Guarded, given, protected
from partita.errors import PartitaError
from partita.exact import Number, whole
from partita.query.tables.schema import Table
from partita.region.columns import categories, integers
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    import pyarrow

Clock = Callable[[], int]

# What fails on a row with a note, if anything ever fails on a row.
_HOSTILE = (
    "SELECT SUM(CAST(note AS INTEGER)) AS n FROM letters WHERE ward = {ward}",
    "SELECT SUM(size * 9223372036854775807 * 9223372036854775807) AS n FROM letters WHERE ward = {ward}",
    "SELECT SUM(SQRT(0 - size)) AS n FROM letters WHERE ward = {ward}",
    "SELECT SUM(size * size * size) AS n FROM letters WHERE ward = {ward}",
)
_SLOW = "SELECT COUNT(*) AS n FROM letters, RANGE(4000000) WHERE ward = {ward} AND size * range >= 0"
_PLAIN = "SELECT COUNT(*) AS n FROM letters WHERE ward = {ward}"


def provoke_errors(*, epsilon: Number = 1, wards: int = 40, bits: BitSource | None = None) -> Attack:
    """Ask what fails only if somebody's row is there, and read the answer off the error.

    The unprotected database fails on a letter whose note is no number. Partita refuses or answers, in the same
    words at the same price, whether the letter is there or not; the attacker takes the most telling question of all.
    """
    source = given(bits)
    secrets, letters, table = _letters(whole(wards, "wards", least=2), source)
    curator = protected([table], epsilon, bits=source)
    share = 1 / (1 + len(_HOSTILE))
    there = _most_telling(secrets, Exposed({"letters": letters}))
    here = _most_telling(secrets, Guarded(curator, epsilon=share))
    return guessed(
        "error oracle",
        f"learn of one person in each of {secrets.size} wards whether they wrote, from what fails",
        secrets=secrets,
        without=there,
        against=here,
        budget=curator.promises[0].budget,
        notes=(f"{len(_HOSTILE)} hostile questions a ward: a cast, an overflow, a root, a cube.",),
    )


def watch_the_clock(
    *, epsilon: Number = 1, wards: int = 60, bits: BitSource | None = None, clock: Clock = time.perf_counter_ns
) -> Attack:
    """Ask what takes longer if somebody's row is there, and read the answer off the clock.

    The unprotected database is asked for work that is done for matching rows only. Partita refuses that question, so
    the attacker times a plain count. Without a pace Partita does not answer in constant time: this measures, and
    proves nothing.
    """
    source = given(bits)
    secrets, letters, table = _letters(whole(wards, "wards", least=2), source)
    curator = protected([table], epsilon, bits=source)
    there = _timed(Exposed({"letters": letters}), _SLOW, secrets.size, clock)
    try:
        Guarded(curator, epsilon="0.01")(_SLOW.format(ward=0))
        refused = "answered"
    except PartitaError as refusal:
        refused = f"refused ({refusal.code})"
    guarded = Guarded(curator, epsilon=epsilon)
    guarded(_PLAIN.format(ward=secrets.size))  # a first question warms everything up
    here = _timed(guarded, _PLAIN, secrets.size, clock)
    return guessed(
        "timing oracle",
        f"learn of one person in each of {secrets.size} wards whether they wrote, from how long an answer takes",
        secrets=secrets,
        without=there,
        against=here,
        budget=curator.promises[0].budget,
        notes=(
            f"The slow question was {refused} by Partita; a plain count was timed.",
            "Without a pace, response time is measured and not hidden: see the threat model.",
        ),
    )


def _letters(wards: int, source: BitSource) -> tuple[Bits, pyarrow.Table, Table]:
    """One person a ward; half of them wrote a letter, whose note is no number."""
    import pyarrow

    secrets = half(wards, bits=source)
    (writers,) = np.nonzero(secrets)
    letters = pyarrow.table({"ward": writers, "size": np.full(len(writers), 9), "note": ["urgent"] * len(writers)})
    columns = {
        "ward": integers(0, wards, missing=0),
        "size": integers(0, 9, missing=0),
        "note": categories("urgent", "none", other="none", missing="none"),
    }
    return secrets, letters, Table("letters", source=letters, columns=columns)


def _most_telling(secrets: Bits, ask: Ask) -> Floats:
    """For each ward whether a question ends in one way, for the question and the way that tell most."""
    telling = np.zeros(secrets.size)
    for question in _HOSTILE:
        ends = np.array([_end(ask, question.format(ward=ward)) for ward in range(secrets.size)])
        for end in np.unique(ends):
            for score in ((ends == end) - 0.5, (ends != end) - 0.5):
                telling = max(telling, score, key=lambda one: right(secrets, one))
    return telling


def _end(ask: Ask, question: str) -> str:
    """An answer, or the kind of error that came instead."""
    try:
        ask(question)
    except PartitaError as refusal:
        return refusal.code
    except Exception as error:  # noqa: BLE001 whatever a database throws, the attacker sees that it did
        return type(error).__name__
    return "answer"


def _timed(ask: Ask, question: str, wards: int, clock: Clock) -> Floats:
    """The time each ward takes, above the middle one."""
    taken = np.zeros(wards)
    for ward in range(wards):
        before = clock()
        ask(question.format(ward=ward))
        taken[ward] = clock() - before
    return taken - np.median(taken)
