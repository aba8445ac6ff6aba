"""Times between two public ones, rounded down to a step, in the local time of a zone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

from partita.calls import called
from partita.errors import refinement as words
from partita.errors import region as refuse
from partita.region.codemap import Piece, clamping
from partita.region.codes import Codes
from partita.region.columns.base import Operator
from partita.region.columns.moments import counted, moment, read
from partita.region.columns.reading import Reading, reading_of, restored
from partita.region.columns.reading import described as written
from partita.region.columns.stepped import LIMIT, Stepped
from partita.region.columns.stored import Family, family
from partita.region.dialects.words import Word, word
from partita.region.zones import DAY, SECOND, UTC, Offsets, found, offsets

if TYPE_CHECKING:
    from sqlglot import exp

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_STEP = re.compile(r"([0-9]{1,12}) ?([a-z]+)")
_NAMES = {
    1: ("us", "microsecond", "microseconds"),
    1_000: ("ms", "millisecond", "milliseconds"),
    SECOND: ("s", "sec", "second", "seconds"),
    60 * SECOND: ("m", "min", "minute", "minutes"),
    3_600 * SECOND: ("h", "hour", "hours"),
    DAY: ("d", "day"),
}
_UNITS = {word: amount for amount, words in _NAMES.items() for word in words}


@final
@dataclass(frozen=True, slots=True)
class Timestamps(Stepped):
    """Times from first to last on the lattice of a step, as a clock in the zone shows them.

    ``low``, ``high`` and ``missing`` count steps since the beginning of 1970, ``tick`` is the step in microseconds. A
    stored time is rounded down, so that a column of a finer step refines one of a coarser step. A stored time with
    a zone is moved to the declared one, any other is taken as it stands; of an hour that a clock shows twice, both
    are the same hour. ``offsets`` is what the zone was known to be when the column was declared: what a stored time
    becomes does not change with the zone data of a machine.

    >>> seen = timestamps("2025-01-01", "2025-12-31 23:00", step="1h")
    >>> seen.code("2025-01-01 02:59"), seen.code("1999-01-01"), seen.code("soon"), seen.size
    (2, 0, 8760, 8761)
    >>> seen.value(2)
    datetime.datetime(2025, 1, 1, 2, 0)
    """

    kind: ClassVar[str] = "timestamps"
    low: int
    high: int
    tick: int
    zone: str = "UTC"
    missing: int | None = None
    constant: bool = False
    reading: Reading | None = None
    offsets: Offsets = UTC

    @property
    def step(self) -> Fraction:
        """The step in seconds."""
        return Fraction(self.tick, SECOND)

    @property
    def first(self) -> datetime:
        """The first time."""
        return _shown(self.low * self.tick)

    @property
    def last(self) -> datetime:
        """The last time."""
        return _shown(self.high * self.tick)

    def value(self, code: int) -> datetime | None:
        return None if code == self.null else _shown((self.low + code) * self.tick)

    def within(self, value: object) -> bool:
        unit = self._unit(value)
        return unit is not None and self.low <= unit <= self.high

    def _onto(self, old: Stepped) -> tuple[Piece, ...] | str:
        """Wider bounds on the same clock, and steps that divide the old ones: rounding down twice is rounding down."""
        if not isinstance(old, Timestamps) or old.zone != self.zone:
            return words.unproven(self.kind)
        ends = old.low * old.tick - 2 * DAY, old.high * old.tick + 2 * DAY
        # Zone data may have changed since the old column was declared.
        if not self.offsets.agrees(old.offsets, *ends):
            return words.unproven(self.kind)
        if old.tick == self.tick:
            return Stepped._onto(self, old)
        if old.tick % self.tick or self.missing is not None:
            return words.steps_apart(old.step, self.step)
        if self.low * self.tick > old.low * old.tick or self.high * self.tick < old.high * old.tick:
            return words.narrower(old.value(0), old.value(old.high - old.low))
        return clamping(self.low, self.high, old.low, old.high, old.tick // self.tick)

    def _unit(self, value: object) -> int | None:
        if self.reading is not None and isinstance(value, str):
            value = self.reading.text(value)
        time = moment(value, self.offsets)
        return None if time is None else time // self.tick

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        time = moment(literal, self.offsets) if isinstance(literal, str | date) else None
        if time is None:
            raise refuse.not_comparable(name, "timestamps", literal)
        return self._compared(operator, Fraction(time, self.tick) - self.low)

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        local, endless = self._local(stored, stored_type)
        if local is None:
            return self._absent()
        low, high = (exp.Literal.number(end) for end in (self.low, self.high))
        # Local times are long to write, and every part of this is new: nothing of it is copied once more.
        found = exp.Case().when(exp.Is(this=stored.copy(), expression=exp.null()), self._absent(), copy=False)
        for test, end in endless:
            found.when(test, exp.Literal.number(end), copy=False)
        start = exp.Literal.number(self.low * self.tick)
        above = exp.Sub(this=exp.paren(local.copy(), copy=False), expression=start)
        steps = exp.IntDiv(this=exp.paren(above, copy=False), expression=exp.Literal.number(self.tick))
        last = exp.Literal.number(self.high * self.tick)
        return (
            found.when(exp.Is(this=local.copy(), expression=exp.null()), self._absent(), copy=False)
            .when(exp.LTE(this=local.copy(), expression=start.copy()), low, copy=False)
            .when(exp.GTE(this=local.copy(), expression=last), high, copy=False)
            .else_(exp.Add(this=exp.cast(steps, "BIGINT", copy=False), expression=low.copy()), copy=False)
        )

    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        local, endless = self._local(stored, stored_type)
        if local is None:
            return exp.false()
        found = exp.Case().when(exp.Is(this=stored.copy(), expression=exp.null()), exp.false(), copy=False)
        for test, _ in endless:
            found.when(test, exp.false(), copy=False)
        low, high = (exp.Literal.number(end) for end in (self.low * self.tick, (self.high + 1) * self.tick - 1))
        return found.when(exp.Is(this=local.copy(), expression=exp.null()), exp.false(), copy=False).else_(
            exp.Between(this=local.copy(), low=low, high=high), copy=False
        )

    def _local(self, stored: exp.Expr, stored_type: str) -> tuple[exp.Expr | None, list[tuple[exp.Expr, int]]]:
        """The local microseconds of a stored value in SQL, and what is asked before, with the end that it means.

        A time that has no number of its own, or one so far away that no offset could be added to it, is at an end.
        """
        from sqlglot import exp

        if family(stored_type) is Family.TEXT:
            plain = stored if self.reading is None else self.reading.stored(stored, stored_type)
            return read(plain, self.offsets), []
        made = counted(stored, stored_type)
        if made is None:
            return None, []
        count, utc = made
        start = word(Word.EPOCH, stored_type)
        gone = exp.Is(this=count.copy(), expression=exp.null())
        later = exp.GT(this=stored.copy(), expression=start)
        early, late = self.low * self.tick - 2 * DAY, self.high * self.tick + 2 * DAY
        endless: list[tuple[exp.Expr, int]] = [
            (exp.and_(gone, later), self.high),
            (gone.copy(), self.low),
            (exp.LT(this=count.copy(), expression=exp.Literal.number(early)), self.low),
            (exp.GT(this=count.copy(), expression=exp.Literal.number(late)), self.high),
        ]
        return self.offsets.in_sql(count) if utc else count, endless

    def describe(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "low": self.first.isoformat(),
            "high": self.last.isoformat(),
            "step": f"{self.tick}us",
            "zone": self.zone,
            "missing": None if self.missing is None else _shown(self.missing * self.tick).isoformat(),
            "constant": self.constant,
            **({} if self.offsets == UTC else {"offsets": [list(self.offsets.starts), list(self.offsets.amounts)]}),
            **written(self.reading),
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Timestamps:
        tick = _tick(parts["step"])
        low, high = (_declared(parts[name], name) // tick for name in ("low", "high"))
        missing = None if parts["missing"] is None else _declared(parts["missing"], "missing") // tick
        starts, amounts = parts.get("offsets") or ((), (0,))
        known = Offsets(tuple(starts), tuple(amounts))
        return cls(low, high, tick, parts["zone"], missing, parts["constant"], restored(parts), known)


@called
def timestamps(
    low: str | date,
    high: str | date,
    *,
    step: str | timedelta = "1s",
    zone: str = "UTC",
    missing: str | date | None = None,
    constant: bool = False,
    null: str | Sequence[str] | None = None,
) -> Timestamps:
    """A column of times from low to high, both included, rounded down to a step.

    A step divides a day: ``"1s"``, ``"15min"``, ``"1h"``, ``"100ms"``. Times are those of a clock in the zone.
    ``null`` are texts that stand for nothing.

    >>> timestamps("2024-01-01", "2024-01-02", step="15min", zone="Europe/Berlin").size
    98
    """
    if not isinstance(zone, str):
        raise refuse.unknown_zone(zone)
    found(zone)
    tick = _tick(step)
    ends = [_declared(value, name) for value, name in ((low, "low"), (high, "high"))]
    for value, time in zip((low, high), ends, strict=True):
        if time % tick:
            raise refuse.off_grid("timestamps", value, step)
    if ends[0] > ends[1]:
        raise refuse.empty_column("timestamps", low, high)
    first, last = (time // tick for time in ends)
    absent = None if missing is None else _declared(missing, "missing") // tick
    if absent is not None and not first <= absent <= last:
        raise refuse.missing_outside("timestamps", missing, low, high)
    if last - first >= LIMIT:
        raise refuse.too_fine("timestamps", low, high, step)
    known = offsets(zone, ends[0], ends[1])
    return Timestamps(first, last, tick, zone, absent, constant, reading_of("timestamps", null=null), known)


def _declared(value: object, name: str) -> int:
    plain = isinstance(value, str) or (isinstance(value, date) and getattr(value, "tzinfo", None) is None)
    time = moment(value, UTC) if plain else None
    if time is None or time < _FIRST or (isinstance(value, str) and value[10:].strip(" T0123456789:.")):
        raise refuse.bad_bound("timestamps", name, value)
    return time


def _tick(step: object) -> int:
    """The microseconds of a step, which must divide a day."""
    tick = 0
    if isinstance(step, timedelta):
        tick = step // timedelta(microseconds=1)
    elif isinstance(step, str) and (match := _STEP.fullmatch(step.strip())):
        tick = int(match[1]) * _UNITS.get(match[2], 0)
    if tick < 1 or DAY % tick:
        raise refuse.bad_time_step(step)
    return tick


def _shown(time: int) -> datetime:
    return _EPOCH + timedelta(microseconds=time)


_FIRST = (date.min.toordinal() - _EPOCH.toordinal()) * DAY
