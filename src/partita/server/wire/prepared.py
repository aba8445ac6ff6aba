"""Statements that are read and wait for their values, and portals with what they were answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from partita.errors import wire as refuse
from partita.region.columns import Column as Declared
from partita.server.wire import values
from partita.server.wire.parameters import Parameter, filled, parameters
from partita.server.wire.prices import taken_out
from partita.server.wire.scanner import Sentence
from partita.server.wire.statements import LONGEST, Aim, aim_of, explained
from partita.server.wire.values import Column
from partita.server.wire.wording import Bar, bars_of, reworded


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement: what it is for, what it says of its price, and which values it needs."""

    said: Sentence
    aim: Aim
    options: Mapping[str, str]
    wanted: tuple[Parameter, ...] = ()
    bars: tuple[Bar, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether its values are written without casts: the curator reads no casts of constants."""
        return self.aim in (Aim.QUESTION, Aim.QUOTE)

    def bound(self, given: Sequence[Any]) -> Prepared:
        """The statement with its values."""
        if not given:
            return self
        return Prepared(filled(self.said, given, plain=self.plain), self.aim, self.options, bars=self.bars)

    def example(self) -> Prepared:
        """The statement with values that could stand in it: what it is described by."""
        return self.bound([one.example for one in self.wanted])

    def values(self, forms: Sequence[int], raw: Sequence[bytes | None]) -> list[Any]:
        """What a client sent for its parameters."""
        if len(raw) != len(self.wanted):
            raise refuse.parameters_missing(len(self.wanted), len(raw))
        spread = spread_forms(forms, len(raw))
        return [
            values.read(one, parameter.kind, form, number)
            for number, (one, parameter, form) in enumerate(zip(raw, self.wanted, spread, strict=True), start=1)
        ]


def prepared(
    said: Sentence,
    protected: Collection[str],
    columns: Mapping[str, Declared],
    given: Sequence[int] = (),
    *,
    owned: bool = False,
) -> Prepared:
    """A statement as it was written, read as far as its text goes."""
    if len(said.text) > LONGEST:
        raise refuse.too_long(LONGEST)
    bare, options = taken_out(said)
    aim = aim_of(bare, protected)
    if aim is Aim.QUOTE:
        bare = explained(bare)
    bars: tuple[Bar, ...] = ()
    if aim in (Aim.QUESTION, Aim.QUOTE):
        bare, bars = bars_of(reworded(bare, owned=owned))
    return Prepared(bare, aim, options, parameters(bare, given, columns), bars)


def spread_forms(forms: Sequence[int], count: int) -> list[int]:
    """One form for each value: none is text for all, one is for all."""
    found = [0] * count if not forms else list(forms) * count if len(forms) == 1 else list(forms)
    if len(found) != count or any(form not in (0, 1) for form in found):
        raise refuse.malformed("formats and values do not fit")
    return found


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement came to: columns and lines, or a word alone, and what is said before."""

    tag: str
    columns: tuple[Column, ...] | None = None
    lines: Sequence[tuple[Any, ...]] = ()
    before: tuple[bytes, ...] = ()
    charged: bool = False


@final
@dataclass(slots=True)
class Portal:
    """A statement with its values, and how far its lines were sent."""

    statement: Prepared | None
    forms: Sequence[int] = ()
    outcome: Outcome | None = None
    at: int = 0

    def next(self, most: int | None) -> tuple[Sequence[tuple[Any, ...]], bool]:
        """The next lines, and whether that is all."""
        assert self.outcome is not None
        end = len(self.outcome.lines) if not most else min(len(self.outcome.lines), self.at + most)
        found = self.outcome.lines[self.at : end]
        self.at = end
        return found, end == len(self.outcome.lines)
