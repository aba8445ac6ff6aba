"""What a declaration should say so that texts which are not read yet are read; for the custodian alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from partita.errors import PartitaError
from partita.region.columns import Booleans, Bounded, Dates
from partita.region.columns.reading import PLAIN, Reading
from partita.region.columns.stepped import Stepped

NOTHING: Final = frozenset("NA N/A n/a na - -- ? . NULL null None none nan NaN #N/A unknown missing".split())
_FORMATS: Final = (
    *("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d"),
    *("%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %I:%M %p"),
)
_PAIRS: Final = (
    (("ja", "j"), ("nein", "n")),
    (("oui", "o"), ("non", "n")),
    (("sí", "si", "s"), ("no", "n")),
    (("sim", "s"), ("não", "nao", "n")),
    (("on",), ("off",)),
    (("x",), (" ",)),
    (("positive", "pos", "+"), ("negative", "neg", "-")),
)
_AFFIX: Final = re.compile(
    r"^[\s+-]*([^\d\s+\-.,'\u2019]+)?[\s+-]*[\d.,'\u2019\s\u00a0\u202f]+([^\d\s]+(?: [^\d\s]+)?)?\s*$"
)


def suggested(column: Bounded, texts: Sequence[str], already: Sequence[str] = ()) -> dict[str, object]:
    """The options under which most of the texts are read; nothing if none reads any.

    ``already`` are texts that are read as it is: they still must be.
    """
    before = column.reading or PLAIN
    left = [text for text in texts if text.strip() not in NOTHING]
    words = sorted({text.strip() for text in texts if text.strip() in NOTHING})
    best, most = before, _reads(column, left)
    for candidate in _candidates(column, before, left):
        try:
            read = _reads(_under(column, candidate), left)
        except PartitaError:
            continue
        kept = _reads(_under(column, candidate), already) == len(already)
        if read > most and kept:
            best, most = candidate, read
    told = {name: value for name, value in best.describe().items() if before.describe().get(name) != value}
    if words:
        told["null"] = [*before.null, *words]
    return told


def _under(column: Bounded, reading: Reading) -> Bounded:
    return replace(column, reading=None if reading == PLAIN else reading)  # type: ignore[type-var]


def _reads(column: Bounded, texts: Iterable[str]) -> int:
    bare: Bounded = replace(column, missing=None)  # type: ignore[type-var]
    return sum(bare.code(text) != bare.null for text in texts)


def _candidates(column: Bounded, before: Reading, texts: Sequence[str]) -> Iterable[Reading]:
    if isinstance(column, Stepped):
        units = _units(texts)
        # A comma that is the decimal sign is a simpler explanation than one between thousands, and comes first.
        for thousands, decimal, unit in product(("", ".", ",", " ", "'"), ("", ","), ((), units)):
            if thousands and thousands == (decimal or ("," if thousands == "." else ".")):
                continue
            yield replace(before, decimal=decimal, thousands=thousands, unit=unit or before.unit)
    elif isinstance(column, Dates):
        chosen: list[str] = list(before.format) or (["%Y-%m-%d"] if _iso(column) else [])
        left = list(texts)
        while left and len(chosen) < 5:
            counts = {one: _reads(_under(column, replace(before, format=(one,))), left) for one in _usable()}
            found = max(counts, key=lambda one: counts[one])
            if not counts[found]:
                break
            chosen.append(found)
            tried = _under(column, replace(before, format=(found,)))
            left = [text for text in left if not _reads(tried, [text])]
        yield replace(before, format=tuple(dict.fromkeys(chosen)))
    elif isinstance(column, Booleans):
        for true, false in _PAIRS:
            yield replace(before, true=true, false=false)


def _usable() -> Iterable[str]:
    return _FORMATS


def _iso(column: Dates) -> bool:
    return column.reading is None or not column.reading.format


def _units(texts: Sequence[str]) -> tuple[str, ...]:
    """The signs and words beside numbers, the most frequent first."""
    found: dict[str, int] = {}
    for text in texts:
        match = _AFFIX.match(text.strip())
        for unit in () if match is None else filter(None, match.groups()):
            found[unit.strip()] = found.get(unit.strip(), 0) + 1
    return tuple(sorted(found, key=lambda unit: -found[unit])[:4])
