"""Where a statement goes: to the curator if it names a protected table, and otherwise never; the text alone decides."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, unique
from typing import Final, final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from partita.errors import wire as refuse
from partita.server.wire.scanner import LONGEST as LONGEST_TEXT
from partita.server.wire.scanner import Sentence, Sort, Word, sentence

LONGEST: Final = 50_000
"""Characters of one statement, as many as the curator reads."""
MOST_WORDS: Final = 5_000
"""Words of a statement that is read to tell where it goes, or about the catalogue."""
_SCHEMAS: Final = ("", "public", "main")


@final
@unique
class Aim(Enum):
    """What a statement is for."""

    QUESTION = "question"
    QUOTE = "quote"
    CATALOGUE = "catalogue"
    SET = "set"
    RESET = "reset"
    SHOW = "show"
    BEGIN = "begin"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    NOTHING = "nothing"
    DISCARD = "discard"
    DEALLOCATE = "deallocate"
    DECLARE = "declare"
    FETCH = "fetch"
    CLOSE = "close"


_READING: Final = ("select", "with", "values", "table", "(")
_AIMS: Final = {
    "set": Aim.SET, "reset": Aim.RESET, "show": Aim.SHOW, "begin": Aim.BEGIN, "start": Aim.BEGIN,
    "commit": Aim.COMMIT, "end": Aim.COMMIT, "rollback": Aim.ROLLBACK, "abort": Aim.ROLLBACK,
    "savepoint": Aim.NOTHING, "release": Aim.NOTHING, "discard": Aim.DISCARD, "deallocate": Aim.DEALLOCATE,
    "declare": Aim.DECLARE, "fetch": Aim.FETCH, "close": Aim.CLOSE, "explain": Aim.QUOTE,
    "listen": Aim.NOTHING, "unlisten": Aim.NOTHING,
}  # fmt: skip
# What may stand between EXPLAIN or DECLARE and the statement.
_EXPLAINED: Final = ("analyze", "analyse", "verbose")


def aim_of(said: Sentence, protected: Collection[str]) -> Aim:
    """What a statement is for, by its first word and by the tables that it names; refused if it is for nothing here.

    >>> from partita.server.wire.scanner import sentence
    >>> print(aim_of(sentence("SELECT COUNT(*) FROM public.visits"), {"visits"}))
    Aim.QUESTION
    >>> print(aim_of(sentence("SELECT 'visits'"), {"visits"}))
    Aim.CATALOGUE
    """
    first = said.words[0]
    if first.says(*_READING):
        return Aim.QUESTION if names_protected(said, protected) else Aim.CATALOGUE
    found = _AIMS.get(first.text.lower()) if first.sort is Sort.WORD else None
    if found is None:
        raise refuse.not_answered(first.text.upper())
    return found


def names_protected(said: Sentence, protected: Collection[str]) -> bool:
    """Whether a statement names a protected table; one that cannot be read does if a word of it is such a name."""
    if not any(word.sort in (Sort.WORD, Sort.QUOTED) and word.name.lower() in protected for word in said.words):
        return False
    if len(said.words) > MOST_WORDS:
        return True
    try:
        tree = sqlglot.parse_one(said.text, dialect="postgres")
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError):
        return True
    return any(table.name.lower() in protected and table.db.lower() in _SCHEMAS for table in tree.find_all(exp.Table))


def explained(said: Sentence) -> Sentence:
    """The statement behind EXPLAIN."""
    place = 1
    if place < len(said.words) and said.words[place].says("("):
        while place < len(said.words) and not said.words[place].says(")"):
            place += 1
        place += 1
    while place < len(said.words) and said.words[place].says(*_EXPLAINED):
        place += 1
    if place >= len(said.words):
        raise refuse.not_answered("EXPLAIN of nothing")
    return said.blanked([(said.words[0].start, said.words[place].start)])


def declared(said: Sentence) -> tuple[str, Sentence]:
    """The name of a cursor, and the statement that it is for."""
    place = next((place for place, word in enumerate(said.words) if word.says("for")), None)
    names = [word for word in said.words[:place] if word.says("cursor")]
    if place is None or len(said.words) < 4 or not names or place + 1 >= len(said.words):
        raise refuse.not_answered("DECLARE without FOR")
    return said.words[1].name, said.blanked([(0, said.words[place + 1].start)])


def fetched(said: Sentence) -> tuple[str, int | None]:
    """The cursor that FETCH names, and how many lines it wants; None is all of them."""
    words = [word for word in said.words[1:] if not word.says("from", "in", "forward", "next")]
    if not words:
        raise refuse.not_answered("FETCH without a cursor")
    count: int | None = 1
    for word in words[:-1]:
        if word.says("all"):
            count = None
        elif word.sort is Sort.NUMBER and word.text.isdecimal() and len(word.text) < 10:
            count = int(word.text)
        else:
            raise refuse.not_answered(f"FETCH {word.text.upper()}")
    return words[-1].name, count


def replaced(said: Sentence, parts: list[tuple[int, int, str]]) -> Sentence:
    """A statement with parts of it written differently; refused before it is made if it would be too long."""
    if len(said.text) + sum(len(written) for _, _, written in parts) > LONGEST_TEXT:
        raise refuse.too_long(LONGEST_TEXT)
    pieces, at = [], 0
    for start, end, written in sorted(parts):
        pieces += [said.text[at:start], written]
        at = end
    return sentence("".join([*pieces, said.text[at:]]))


def neighbour(words: tuple[Word, ...], place: int) -> Word | None:
    """The word at a place, if there is one."""
    return words[place] if 0 <= place < len(words) else None
