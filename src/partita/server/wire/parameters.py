"""Parameters of a statement: which there are, of which types, and their values written in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, final

from partita.errors import wire as refuse
from partita.region.columns import Booleans, Bounded, Column, Dates, Decimals, Integers, Timestamps
from partita.server.wire import values
from partita.server.wire.scanner import Sentence, Sort, Word
from partita.server.wire.statements import neighbour, replaced

MOST: Final = 1000
_LOOKED: Final = 10
"""So many words of a cast are looked at."""
_KINDS: Final = (
    (Integers, values.INT8), (Decimals, values.NUMERIC), (Dates, values.DATE),
    (Timestamps, values.TIMESTAMP), (Booleans, values.BOOL),
)  # fmt: skip
_EXAMPLES: Final[Mapping[int, Any]] = {
    values.BOOL: True,
    values.DATE: date(2000, 1, 1),
    values.TIMESTAMP: datetime(2000, 1, 1),  # noqa: DTZ001
    values.TEXT: "",
}
_VALUES: Final = (Sort.PARAMETER, Sort.NUMBER, Sort.STRING)
_SECOND: Final = {"double": ("precision",), "character": ("varying",), "timestamp": ("without", "with", "time", "zone")}
_COMPARING: Final = ("=", "<", ">", "!", "like", "ilike", "not", "in", "any", "(", "between", "is", "distinct", "from")


def type_of(column: Column) -> int:
    """The type of a declared column, by its number."""
    return next((kind for of, kind in _KINDS if isinstance(column, of)), values.TEXT)


@final
@dataclass(frozen=True, slots=True)
class Parameter:
    """A place for a value: its type, and a value that could stand there."""

    kind: int
    example: Any


def parameters(said: Sentence, given: Sequence[int], columns: Mapping[str, Column]) -> tuple[Parameter, ...]:
    """The parameters of a statement: types as the client said, as a cast says, or as the column beside them is.

    >>> from partita.region.columns import integers
    >>> from partita.server.wire.scanner import sentence
    >>> found = parameters(
    ...     sentence("SELECT COUNT(*) FROM t WHERE age > $1 AND x = $2::date"), [], {"age": integers(5, 9)}
    ... )
    >>> [(one.kind, one.example) for one in found]
    [(20, 5), (1082, datetime.date(2000, 1, 1))]
    """
    numbers = {int(word.text[1:]) for word in said.words if word.sort is Sort.PARAMETER and len(word.text) < 6}
    if (
        any(word.sort is Sort.PARAMETER and len(word.text) >= 6 for word in said.words)
        or max(numbers, default=0) > MOST
    ):
        raise refuse.too_many_held("parameters", MOST)
    places: dict[int, list[tuple[int, str]]] = {}
    gone: dict[int, str] = {}
    for place, word in enumerate(said.words):
        if word.sort is Sort.PARAMETER:
            places.setdefault(int(word.text[1:]), []).append((place, _beside(said.words, place, gone)))
    found = []
    for number in range(1, max([len(given) if not numbers else 0, *numbers], default=0) + 1):
        kind = given[number - 1] if number <= len(given) else 0
        column, counted = None, False
        for place, beside in places.get(number, ()):
            column = column or columns.get(beside)
            before = neighbour(said.words, place - 1)
            counted = counted or (before is not None and before.says("limit", "offset"))
            kind = kind or _cast(said.words, place)[0]
        if not kind or kind == values.UNKNOWN:
            kind = values.INT8 if counted else values.TEXT if column is None else type_of(column)
        if kind not in values.TAKEN:
            raise refuse.unknown_type(number, kind)
        known = column.value(0) if isinstance(column, Bounded) and type_of(column) == kind else None
        example = _EXAMPLES.get(kind, [] if kind in values.LISTS else 1) if known is None else known
        found.append(Parameter(kind, example))
    return tuple(found)


def filled(said: Sentence, given: Sequence[Any], *, plain: bool) -> Sentence:
    """The statement with values in the places of its parameters; ``plain`` leaves out casts, which they do not need.

    A list that is compared by = ANY becomes IN.
    """
    parts: list[tuple[int, int, str]] = []
    # Each is written once, however often it stands there.
    texts: dict[int, str] = {}
    for place, word in enumerate(said.words):
        if word.sort is not Sort.PARAMETER:
            continue
        number = int(word.text[1:])
        if not 1 <= number <= len(given):
            raise refuse.parameters_missing(number, len(given))
        value, start, end = given[number - 1], word.start, word.end
        last = _cast(said.words, place)[1] if plain else None
        if last is not None:
            end = said.words[last].end
        if number not in texts:
            texts[number] = values.literal(value)
        text = texts[number]
        before = said.words[max(0, place - 3) : place]
        after = neighbour(said.words, (place if last is None else last) + 1)
        any_of = len(before) == 3 and before[0].says("=") and before[1].says("any") and before[2].says("(")
        if plain and isinstance(value, list) and any_of and after is not None and after.says(")"):
            start, end = before[0].start, after.end
            if -number not in texts:
                texts[-number] = f"IN ({', '.join(map(values.literal, value))})" if value else "IN (NULL)"
            text = texts[-number]
        parts.append((start, end, text))
    return replaced(said, parts)


def _beside(words: tuple[Word, ...], place: int, known: dict[int, str]) -> str:
    """The name that a parameter is compared with, if it is compared with one.

    ``known`` is what was found before parameters further to the left: whatever is gone back over is gone over once.
    """
    known[place] = before = _before(words, place, known)
    if before:
        return before
    ahead = place + 1
    while (word := neighbour(words, ahead)) is not None and word.says("=", "<", ">", "!"):
        ahead += 1
    if ahead == place + 1 or word is None or word.sort not in (Sort.WORD, Sort.QUOTED):
        return ""
    dot, name = neighbour(words, ahead + 1), neighbour(words, ahead + 2)
    return name.name if dot is not None and dot.says(".") and name is not None else word.name


def _before(words: tuple[Word, ...], place: int, known: dict[int, str]) -> str:
    back = place - 1
    while (word := neighbour(words, back)) is not None and word.says(*_COMPARING, ",", "and"):
        back -= 1
        # The second end of BETWEEN, and the later values of IN: over the values before them.
        while (word := neighbour(words, back)) is not None and word.sort in _VALUES:
            if back in known:
                return known[back]
            back -= 1
    named = back < place - 1 and word is not None and word.sort in (Sort.WORD, Sort.QUOTED)
    return word.name if named and word is not None else ""


def _cast(words: tuple[Word, ...], place: int) -> tuple[int, int | None]:
    """The type to which a parameter is cast, and the last word of the cast; 0 where there is none."""
    sign, name = neighbour(words, place + 1), neighbour(words, place + 2)
    if sign is None or name is None or not sign.says("::"):
        return 0, None
    last = place + 2
    while (word := neighbour(words, last + 1)) is not None and word.says(*_SECOND.get(name.name, ())):
        last += 1
    if (word := neighbour(words, last + 1)) is not None and word.says("("):
        end = last + _LOOKED
        while (word := neighbour(words, last)) is not None and not word.says(")") and last < end:
            last += 1
    kind = values.NAMES.get(name.name, values.TEXT)
    first, second = neighbour(words, last + 1), neighbour(words, last + 2)
    if first is not None and second is not None and first.says("[") and second.says("]"):
        return values.array_of(kind), last + 2
    return kind, last
