"""Time zones: the offset of local time from UTC as a public table of pieces, found beforehand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC as ZERO
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, final
from zoneinfo import ZoneInfo

from partita.errors import region as refuse
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

SECOND = 10**6
DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=ZERO)
# A zone never changes twice within so short a time.
_APART = timedelta(days=1)
# Before the first of these there was no time of a zone, and nobody knows what comes after the
# last: nothing changes there.
_FIRST, _LAST = (
    (day - _EPOCH) // timedelta(microseconds=1)
    for day in (datetime(1800, 1, 1, tzinfo=ZERO), datetime(2100, 1, 1, tzinfo=ZERO))
)


@final
@dataclass(frozen=True, slots=True)
class Offsets:
    """What is added to UTC, in microseconds: ``amounts[0]`` before the first of ``starts``, and so on.

    >>> offsets("Europe/Berlin", 1_704_067_200 * SECOND, 1_735_603_200 * SECOND).amounts[0] // SECOND
    3600
    """

    starts: tuple[int, ...]
    amounts: tuple[int, ...]

    def local(self, moment: int) -> int:
        """The local time of a moment in UTC, both in microseconds since the beginning of 1970."""
        return moment + self.amounts[bisect_right(self.starts, moment)]

    def agrees(self, other: Offsets, first: int, last: int) -> bool:
        """Whether both give the same local time to every moment between two."""
        changes = [{start for start in one.starts if first < start <= last} for one in (self, other)]
        return changes[0] == changes[1] and all(
            self.local(moment) == other.local(moment) for moment in (first, *changes[0])
        )

    def in_sql(self, moment: exp.Expr) -> exp.Expr:
        """The same in SQL, by halving: as many comparisons as the table has binary digits."""
        from sqlglot import exp

        if self.amounts == (0,):
            return moment
        return exp.Add(this=moment, expression=self._amount(moment, 0, len(self.starts)))

    def listed_in_sql(self, moment: exp.Expr) -> exp.Expr:
        """The same for a moment that is long to write: its place in the sorted list of changes."""
        from sqlglot import exp

        if len(self.starts) < 2:
            return self.in_sql(moment)
        starts, amounts = (
            exp.Array(expressions=[_whole(number) for number in numbers]) for numbers in (self.starts, self.amounts)
        )
        return exp.Add(this=moment, expression=word(Word.STEP, moment.copy(), starts, amounts))

    def _amount(self, moment: exp.Expr, first: int, last: int) -> exp.Expr:
        from sqlglot import exp

        if first == last:
            return _whole(self.amounts[first])
        middle = (first + last) // 2
        before = exp.LT(this=moment.copy(), expression=exp.Literal.number(self.starts[middle]))
        earlier, later = self._amount(moment, first, middle), self._amount(moment, middle + 1, last)
        return exp.Case().when(before, earlier, copy=False).else_(later, copy=False)


def _whole(number: int) -> exp.Expr:
    from sqlglot import exp

    return exp.cast(exp.Literal.number(number), "BIGINT")


UTC: Final = Offsets((), (0,))


@lru_cache(maxsize=64)
def offsets(zone: str, low: int, high: int) -> Offsets:
    """The offsets of a zone from two days before one moment to two days after another, in microseconds since 1970."""
    if zone == "UTC":
        return UTC
    known = found(zone)
    moment, last = (
        _EPOCH + timedelta(microseconds=min(max(end, _FIRST), _LAST)) for end in (low - 2 * DAY, high + 2 * DAY)
    )
    amounts, starts = [_offset(moment, known)], []
    while moment < last:
        after = moment + _APART
        amount = _offset(after, known)
        if amount != amounts[-1]:
            starts.append(_change(moment, after, known))
            amounts.append(amount)
        moment = after
    return Offsets(tuple(starts), tuple(amounts))


def found(zone: str) -> ZoneInfo:
    """The zone of that name; one that does not exist is refused."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise refuse.unknown_zone(zone) from None


def _offset(moment: datetime, zone: ZoneInfo) -> int:
    amount = moment.astimezone(zone).utcoffset()
    return 0 if amount is None else amount // timedelta(microseconds=1)


def _change(before: datetime, after: datetime, zone: ZoneInfo) -> int:
    """The second in which the offset changes, in microseconds since 1970."""
    low, high = (int((moment - _EPOCH).total_seconds()) for moment in (before, after))
    old = _offset(before, zone)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(_EPOCH + timedelta(seconds=middle), zone) == old else (low, middle)
    return high * SECOND
