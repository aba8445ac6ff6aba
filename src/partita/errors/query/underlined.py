"""The words of a question that a refusal is about, underlined beneath its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, final

from partita.errors.base import PartitaError

Refusal = TypeVar("Refusal", bound=PartitaError)


@final
@dataclass(frozen=True, slots=True)
class Words:
    """The part of a question that a refusal is about: from one character up to another."""

    text: str
    start: int
    end: int

    def underlined(self) -> str:
        """The line with the words in it, and carets beneath them.

        >>> print(Words("SELECT SUM(x) FROM t", 11, 12).underlined())
        (line 1, column 12)
            SELECT SUM(x) FROM t
                       ^
        """
        opening = self.text.rfind("\n", 0, self.start) + 1
        closing = self.text.find("\n", self.start)
        line = self.text[opening : len(self.text) if closing < 0 else closing]
        column, number = self.start - opening, self.text.count("\n", 0, self.start) + 1
        width = max(1, min(self.end - self.start, len(line) - column))
        if len(line) > 160:
            cut = max(0, column - 60)
            line, column = line[cut : cut + 160], column - cut
            width = max(1, min(width, len(line) - column))
        marks = " " * column + "^" * width
        return f"(line {number}, column {self.start - opening + 1})\n    {line.expandtabs(1)}\n    {marks}"


def at(problem: Refusal, words: Words | None) -> Refusal:
    """The same refusal with the words it is about underlined."""
    if words is None or "\n    " in problem.message:
        return problem
    return type(problem)(problem.code, f"{problem.message}\n{words.underlined()}")
