"""LIKE: whether a text meets a pattern of % and _, found part by part and never by trying all ways."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from partita.effort import Work, spend


@final
@dataclass(frozen=True, slots=True)
class Pattern:
    """The parts between the % of a pattern, each of a fixed length; found early, a part leaves most to the rest."""

    parts: tuple[re.Pattern[str], ...]
    lengths: tuple[int, ...]

    def meets(self, text: str) -> bool:
        """Whether all of the text is as the pattern says.

        >>> pattern("%a_c%").meets("xxabcxx"), pattern("a%_").meets("a")
        (True, False)
        """
        least = sum(self.lengths)
        if len(text) < least:
            return False
        spend(2 + len(self.parts) + (len(text) * least >> 8), Work.VALUES)
        if len(self.parts) == 1:
            return self.parts[0].fullmatch(text) is not None
        end = len(text) - self.lengths[-1]
        first = self.parts[0].match(text)
        # The text is long enough for all parts, so the first and the last do not overlap.
        if first is None or self.parts[-1].fullmatch(text, end) is None:
            return False
        place = first.end()
        for part in self.parts[1:-1]:
            found = part.search(text, place, end)
            if found is None:
                return False
            place = found.end()
        return True


@lru_cache(maxsize=256)
def pattern(written: str, *, folded: bool = False) -> Pattern:
    """A pattern in which % is any text and _ any one sign; ``folded`` does not tell capitals from small letters."""
    flags = re.DOTALL | (re.IGNORECASE if folded else 0)
    listed = re.sub("%+", "%", written).split("%")
    made = ("".join("." if sign == "_" else re.escape(sign) for sign in part) for part in listed)
    return Pattern(tuple(re.compile(part, flags) for part in made), tuple(map(len, listed)))
