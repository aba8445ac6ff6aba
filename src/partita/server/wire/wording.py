"""What tools write in words of their own, said as the curator reads it; and error bars that are asked for by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from partita.errors import wire as refuse
from partita.server.wire.scanner import Sentence, Sort, Word
from partita.server.wire.statements import replaced

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.0+)?")
_FORMATS: Final[dict[str, re.Pattern[str]]] = {
    "YYYY-MM-DD": _DAY,
    **dict.fromkeys(
        ("YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH24:MI:SS.US", "YYYY-MM-DD HH24:MI:SS.MS", "YYYY-MM-DD HH24:MI:SS.FF6"),
        _MOMENT,
    ),
}
"""Patterns of TO_DATE and TO_TIMESTAMP, and the texts that say the same without them."""
_BOUNDS: Final = ("contribution_bounds_per_group", "contribution_bounds_per_row")
BARS: Final = {"dp_interval_low": "low", "dp_interval_high": "high", "error": "half"}

Part = tuple[int, int, str]


def reworded(said: Sentence, *, owned: bool) -> Sentence:
    """A question without what the curator does not read, where it means exactly the same otherwise.

    ``owned`` says that rows belong to somebody: bounds of what one owner adds are none of what one row adds then.

    >>> from partita.server.wire.scanner import sentence
    >>> reworded(
    ...     sentence("SELECT SUM(x CLAMPED BETWEEN 0 AND 5) FROM t WHERE d > TO_DATE('2025-01-01', 'YYYY-MM-DD')"),
    ...     owned=False,
    ... ).text
    "SELECT SUM(CLAMP(x , 0, 5)) FROM t WHERE d > '2025-01-01'"
    """
    parts = [part for found in (_moments, _escapes, _anys) for part in found(said.words)]
    parts += list(_clamps(said.words, owned=owned))
    return replaced(said, parts) if parts else said


def _signs(words: Sequence[Word], place: int, *signs: str) -> bool:
    """Whether these words or signs stand here; "value" is any text or number."""
    return place + len(signs) <= len(words) and all(
        words[place + ahead].sort in (Sort.STRING, Sort.NUMBER) if sign == "value" else words[place + ahead].says(sign)
        for ahead, sign in enumerate(signs)
    )


def _moments(words: Sequence[Word]) -> Iterator[Part]:
    """TO_DATE('2025-01-01', 'YYYY-MM-DD') as '2025-01-01'."""
    for place, word in enumerate(words):
        if not word.says("to_date", "to_timestamp") or not _signs(words, place + 1, "(", "value", ",", "value", ")"):
            continue
        form = _FORMATS.get(words[place + 4].value.upper())
        found = None if form is None else form.fullmatch(words[place + 2].value)
        if found is not None:
            yield word.start, words[place + 5].end, f"'{found[found.re.groups]}'"


def _escapes(words: Sequence[Word]) -> Iterator[Part]:
    """{d '2025-01-01'} and {ts '...'} as their texts."""
    for place, word in enumerate(words):
        if _signs(words, place, "{", "d", "value", "}") or _signs(words, place, "{", "ts", "value", "}"):
            yield word.start, words[place + 3].end, words[place + 2].text


def _anys(words: Sequence[Word]) -> Iterator[Part]:
    """= ANY(ARRAY[1, 2]) as IN (1, 2)."""
    for place in range(len(words)):
        if not _signs(words, place, "=", "any", "(", "array", "["):
            continue
        end = place + 5
        while _signs(words, end, "value"):
            end += 1
            if _signs(words, end, ","):
                end += 1
        if end > place + 5 and _signs(words, end, "]", ")"):
            inside = "".join(f"{word.text} " if word.says(",") else word.text for word in words[place + 5 : end])
            yield words[place].start, words[end + 1].end, f"IN ({inside})"


def _clamps(words: Sequence[Word], *, owned: bool) -> Iterator[Part]:
    """SUM(x CLAMPED BETWEEN 0 AND 5), and bounds as an argument, as SUM(CLAMP(x, 0, 5))."""
    for place, word in enumerate(words):
        if _signs(words, place, "clamped", "between"):
            at, ends, opened = place + 2, ("and", ")"), place
        elif _signs(words, place, ",") and _named(words, place + 1) and _signs(words, place + 2, "=", ">", "("):
            at, ends, opened = place + 5, (",", ")"), place
        else:
            continue
        low, at = _number(words, at, ends[0])
        high, at = _number(words, at, ends[1])
        clamped = word.says("clamped")
        if not clamped and not _signs(words, at, ")"):
            raise refuse.unreadable_options(words[place + 1].text)
        if owned and not (not clamped and words[place + 1].says(_BOUNDS[1])):
            raise refuse.bounds_of_owners()
        start = words[_opening(words, opened)].end
        yield start, start, "CLAMP("
        # The last bracket that was read is that of the call, or that of the bounds.
        yield word.start, words[at - 1].start if clamped else words[at - 1].end, f", {low}, {high})"


def _named(words: Sequence[Word], place: int) -> bool:
    return place < len(words) and words[place].says(*_BOUNDS)


def _number(words: Sequence[Word], place: int, end: str) -> tuple[str, int]:
    """A number, and the place behind the sign that ends it."""
    sign = "-" if _signs(words, place, "-") else ""
    at = place + len(sign)
    if not (at < len(words) and words[at].sort is Sort.NUMBER and _signs(words, at + 1, end)):
        raise refuse.unreadable_options("CLAMPED BETWEEN")
    return sign + words[at].text, at + 2


def _opening(words: Sequence[Word], place: int) -> int:
    """The bracket that a place stands in."""
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += words[at].says(")") - words[at].says("(")
        if depth < 0:
            return at
    raise refuse.unreadable_options("CLAMPED BETWEEN")


# --- error bars -----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Bar:
    """An error bar that is asked for by name: of which column, which of its numbers, and how it is called."""

    place: int
    what: str
    of: str
    name: str


def bars_of(said: Sentence) -> tuple[Sentence, tuple[Bar, ...]]:
    """A question without DP_INTERVAL_LOW(n), DP_INTERVAL_HIGH(n) and ERROR(n) in what it shows, and which there were.

    >>> from partita.server.wire.scanner import sentence
    >>> question, bars = bars_of(sentence("SELECT COUNT(*) AS n, ERROR(n) AS e FROM t"))
    >>> question.text.split(), [(one.place, one.what, one.of, one.name) for one in bars]
    (['SELECT', 'COUNT(*)', 'AS', 'n', 'FROM', 't'], [(1, 'half', 'n', 'e')])
    """
    if not said.words or not said.words[0].says("select") or not any(word.says(*BARS) for word in said.words):
        return said, ()
    items = _items(said.words)
    found = tuple(bar for place, item in enumerate(items) if (bar := _bar(place, item)) is not None)
    if not found or len(found) == len(items):
        return said, ()
    spans = []
    for bar in found:
        item = items[bar.place]
        start, end = item[0].start, item[-1].end
        if bar.place > 0:
            start = items[bar.place - 1][-1].end
        else:
            end = items[1][0].start
        spans.append((start, end))
    return said.blanked(spans), found


def _items(words: Sequence[Word]) -> list[list[Word]]:
    """What stands between SELECT and FROM, item by item."""
    items: list[list[Word]] = [[]]
    depth = 0
    for word in words[1:]:
        depth += word.says("(", "[") - word.says(")", "]")
        if not depth and word.says("from"):
            break
        if not depth and word.says(","):
            items.append([])
        else:
            items[-1].append(word)
    return [item for item in items if item]


def _bar(place: int, item: Sequence[Word]) -> Bar | None:
    called, named = item[:4], [word for word in item[4:] if not word.says("as")]
    if len(called) < 4 or not called[0].says(*BARS) or not called[1].says("(") or not called[3].says(")"):
        return None
    if called[2].sort not in (Sort.WORD, Sort.QUOTED) or len(named) > 1:
        return None
    function = called[0].text.lower()
    return Bar(place, BARS[function], called[2].name, named[0].name if named else function)
