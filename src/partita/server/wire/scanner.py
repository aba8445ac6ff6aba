"""Words of SQL as PostgreSQL divides a text into them, with their places: nothing is parsed here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, final

from partita.errors import wire as refuse

LONGEST: Final = 200_000
"""Characters of one text, whose statements may be several."""
_EMPTY: Final = 10
"""So many times as many empty statements are passed over."""


@final
@unique
class Sort(Enum):
    """What a piece of text is."""

    WORD = "word"
    QUOTED = "quoted"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    COMMENT = "comment"
    SIGN = "sign"


@final
@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a text, and where it stands."""

    sort: Sort
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """A name as PostgreSQL compares it: in small letters, unless it is quoted."""
        return self.text[1:-1].replace('""', '"') if self.sort is Sort.QUOTED else self.text.lower()

    @property
    def value(self) -> str:
        """What a text or number says; a text with escapes is left as it is written."""
        if self.sort is Sort.STRING and self.text.startswith("'"):
            return self.text[1:-1].replace("''", "'")
        return self.text

    def says(self, *words: str) -> bool:
        """Whether it is one of these words or signs."""
        return self.sort in (Sort.WORD, Sort.SIGN) and self.text.lower() in words


_PIECE: Final = re.compile(
    r"""(?P<space>\s++)
    | (?P<line>--[^\n]*+)
    | (?P<block>/\*)
    | (?P<dollar>\$(?:[^\W\d]\w*+)?\$)
    | (?P<parameter>\$\d++)
    | (?P<escaped>[eE]'(?:[^'\\]|''|\\.)*+(?P<e>')?)
    | (?P<string>(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*+(?P<s>')?)
    | (?P<quoted>"(?:[^"]|"")*+(?P<q>")?)
    | (?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?)
    | (?P<word>[^\W\d][\w$]*+)
    | (?P<sign>::|.)""",
    re.VERBOSE | re.DOTALL,
)
_SORTS: Final = {
    "line": Sort.COMMENT,
    "parameter": Sort.PARAMETER,
    "escaped": Sort.STRING,
    "string": Sort.STRING,
    "quoted": Sort.QUOTED,
    "number": Sort.NUMBER,
    "word": Sort.WORD,
    "sign": Sort.SIGN,
}
_ENDS: Final = {"escaped": "e", "string": "s", "quoted": "q"}
_EDGE: Final = re.compile(r"/\*|\*/")


def words(text: str) -> list[Word]:
    """The words of a text, comments among them.

    >>> [word.text for word in words("SELECT 'it''s' -- why\\n, $1::int")]
    ['SELECT', "'it''s'", '-- why', ',', '$1', '::', 'int']
    """
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        assert found is not None
        assert found.lastgroup is not None
        kind, piece = found.lastgroup, found.group()
        if kind == "block":
            piece = text[at : _closed(text, at)]
            yield Word(Sort.COMMENT, piece, at)
        elif kind == "dollar":
            end = text.find(piece, at + len(piece))
            if end < 0:
                raise refuse.unterminated("text", at)
            piece = text[at : end + len(piece)]
            yield Word(Sort.STRING, piece, at)
        elif kind != "space":
            if kind in _ENDS and found[_ENDS[kind]] is None:
                raise refuse.unterminated("name" if kind == "quoted" else "text", at)
            yield Word(_SORTS[kind], piece, at)
        at += len(piece)


def _closed(text: str, at: int) -> int:
    """Where a comment ends; comments stand in each other."""
    depth = 0
    for edge in _EDGE.finditer(text, at):
        depth += 1 if edge.group() == "/*" else -1
        if not depth:
            return edge.end()
    raise refuse.unterminated("comment", at)


@final
@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement of a text: as it was written, and its words."""

    text: str
    words: tuple[Word, ...]
    comments: tuple[Word, ...]

    def begins(self, *opening: str) -> bool:
        """Whether it begins with these words."""
        return len(self.words) >= len(opening) and all(
            word.says(said) for word, said in zip(self.words, opening, strict=False)
        )

    def blanked(self, spans: Sequence[tuple[int, int]]) -> Sentence:
        """The same with parts of it made blank, so that everything else stays where it was."""
        parts, at = [], 0
        for start, end in sorted(spans):
            begin = max(at, start)
            parts += [self.text[at:begin], re.sub(r"\S", " ", self.text[begin:end])]
            at = max(at, end)
        return sentence("".join([*parts, self.text[at:]]))


def sentence(text: str) -> Sentence:
    """A text that is one statement."""
    return _said(text, words(text))


def _said(text: str, found: list[Word]) -> Sentence:
    return Sentence(
        text,
        tuple(word for word in found if word.sort is not Sort.COMMENT),
        tuple(word for word in found if word.sort is Sort.COMMENT),
    )


def sentences(text: str, most: int) -> list[Sentence]:
    """The statements of a text; empty ones are left out.

    >>> [one.text for one in sentences("SELECT ';' ; ; SELECT 2 /* ; */", 9)]
    ["SELECT ';' ", ' SELECT 2 /* ; */']
    """
    if len(text) > LONGEST:
        raise refuse.too_long(LONGEST)
    found, begun = [], 0
    every = words(text)
    ends = [word.start for word in every if word.sort is Sort.SIGN and word.text == ";"]
    if not ends:
        return [whole] if (whole := _said(text, every)).words else []
    if len(ends) > _EMPTY * most:
        raise refuse.too_many_statements(most)
    for end in [*ends, len(text)]:
        part = sentence(text[begun:end])
        begun = end + 1
        if part.words:
            found.append(part)
    if len(found) > most:
        raise refuse.too_many_statements(most)
    return found
