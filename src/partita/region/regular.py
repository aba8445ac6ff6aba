"""Regular expressions without the parts that could take long: whether a text meets one, in one pass over the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, final

from partita.effort import Work, spend

LONGEST: Final = 200
MOST_STATES: Final = 200
_MOST_KEPT: Final = 2_000
_DIGITS: Final = ((48, 57),)
_LETTERS: Final = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACES: Final = ((9, 10), (12, 13), (32, 32))
_LAST: Final = 0x10FFFF
_CONTROLS: Final = {"n": 10, "t": 9, "r": 13, "f": 12}
# Signs that are one with an ASCII letter where capitals do not count.
_FOLDED: Final = {"k": 0x212A, "s": 0x17F}

Ranges = tuple[tuple[int, int], ...]
Tree = tuple[Any, ...]

_EMPTY: Final[Tree] = ("row", [])


@final
class Irregular(Exception):
    """A pattern that is none, or that has a part which is not asked for here."""


@final
@dataclass(frozen=True, slots=True)
class _State:
    """One step: over one of these signs, over nothing at the start or end of the text, or over nothing at all."""

    to: tuple[int, ...]
    signs: Ranges | None = None
    only: str = ""


@final
@dataclass
class _Maker:
    """Reads a pattern into states, from its end to its beginning."""

    pattern: str
    folded: bool
    place: int = 0
    states: list[_State] = field(default_factory=list)

    def made(self) -> int:
        last = self.state(_State(()))
        tree = self.either()
        if self.place < len(self.pattern) or tree == _EMPTY:
            raise Irregular
        return self.put(tree, last)

    def state(self, one: _State) -> int:
        if len(self.states) >= MOST_STATES:
            raise Irregular
        self.states.append(one)
        return len(self.states) - 1

    # --- the tree: ("signs", ranges), ("only", where), ("row", parts), ("either", parts), ("times", part, least, most)

    def either(self) -> Tree:
        parts = [self.row()]
        while self.peek() == "|":
            self.place += 1
            parts.append(self.row())
        return parts[0] if len(parts) == 1 else ("either", parts)

    def row(self) -> Tree:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.one()))
        return ("row", parts)

    def peek(self) -> str:
        return self.pattern[self.place : self.place + 1]

    def take(self) -> str:
        sign = self.peek()
        if not sign:
            raise Irregular
        self.place += 1
        return sign

    def one(self) -> Tree:
        sign = self.take()
        match sign:
            case ".":
                return ("signs", ((0, 9), (11, _LAST)))
            case "^" | "$":
                return ("only", "start" if sign == "^" else "end")
            case "(":
                if self.peek() == "?":
                    self.place += 1
                    if self.take() != ":":
                        raise Irregular
                inner = self.either()
                if self.take() != ")" or inner == _EMPTY:
                    raise Irregular
                return inner
            case "[":
                return ("signs", self.listed())
            case "\\":
                return ("signs", self.escaped())
            case "*" | "+" | "?" | "{" | "}" | "]" | ")":
                raise Irregular
            case _:
                return ("signs", self.fold(((ord(sign), ord(sign)),)))

    def escaped(self) -> Ranges:
        sign = self.take()
        found = {"d": _DIGITS, "w": _LETTERS, "s": _SPACES}.get(sign.lower())
        if found is not None:
            return self.fold(found) if sign.islower() else _others(self.fold(found))
        if sign in _CONTROLS:
            return ((_CONTROLS[sign], _CONTROLS[sign]),)
        if sign.isascii() and not sign.isalnum() and sign.isprintable() and sign != "_":
            return ((ord(sign), ord(sign)),)
        raise Irregular

    def listed(self) -> Ranges:
        turned = self.peek() == "^"
        self.place += turned
        found: list[tuple[int, int]] = []
        while (sign := self.take()) != "]":
            if sign == "[":
                raise Irregular
            signs = self.escaped() if sign == "\\" else ((ord(sign), ord(sign)),)
            if self.peek() == "-" and self.pattern[self.place + 1 : self.place + 2] not in ("]", ""):
                self.place += 1
                signs = ((_only(signs), _only(self.bound())),)
                if signs[0][0] > signs[0][1]:
                    raise Irregular
            found += signs if len(signs) > 1 else self.fold(signs)
        if not found:
            raise Irregular
        return _others(tuple(found)) if turned else tuple(found)

    def bound(self) -> Ranges:
        sign = self.take()
        if sign == "[":
            raise Irregular
        return self.escaped() if sign == "\\" else ((ord(sign), ord(sign)),)

    def fold(self, signs: Ranges) -> Ranges:
        """The same signs, and where capitals do not count their other sizes; of ASCII letters alone."""
        if not self.folded:
            return signs
        if any(high > 127 for _, high in signs):
            raise Irregular  # what is one with it there is a long list
        found = list(signs)
        for low, high in signs:
            for code in range(low, high + 1):
                letter = chr(code)
                if letter.isalpha():
                    found.append((ord(letter.swapcase()),) * 2)
                    other = _FOLDED.get(letter.lower())
                    found += [] if other is None else [(other, other)]
        return tuple(found)

    def repeated(self, part: Tree) -> Tree:
        sign, ends = self.peek(), {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if sign in ends and sign:
            self.place += 1
            least, most = ends[sign]
        elif sign == "{":
            close = self.pattern.find("}", self.place)
            inside = self.pattern[self.place + 1 : close].split(",") if close > 0 else []
            plain = all(one.isascii() and len(one) < 4 and (one.isdecimal() or not one) for one in inside)
            if not 1 <= len(inside) <= 2 or not plain or not inside[0]:
                raise Irregular
            least = int(inside[0])
            most = int(inside[-1]) if inside[-1] else None
            if most is not None and most < least:
                raise Irregular
            self.place = close + 1
        else:
            return part
        if part[0] == "only":
            raise Irregular
        # How much is taken first does not change whether a text meets a pattern.
        self.place += self.peek() == "?"
        if self.peek() in ("*", "+", "?", "{"):
            raise Irregular
        return ("times", part, least, most)

    def put(self, tree: Tree, after: int) -> int:
        match tree:
            case ("signs", signs):
                return self.state(_State((after,), signs))
            case ("only", where):
                return self.state(_State((after,), None, where))
            case ("row", parts):
                for part in reversed(parts):
                    after = self.put(part, after)
                return after
            case ("either", parts):
                return self.state(_State(tuple(self.put(part, after) for part in parts)))
            case ("times", part, least, None):
                loop = self.state(_State(()))
                self.states[loop] = _State((self.put(part, loop), after))
                after = loop
                for _ in range(least):
                    after = self.put(part, after)
                return after
            case ("times", part, least, most):
                for _ in range(most - least):
                    after = self.state(_State((self.put(part, after), after)))
                for _ in range(least):
                    after = self.put(part, after)
                return after
            case _:
                raise AssertionError(tree)


@final
@dataclass
class Regular:
    """A pattern as the states it can be in; what follows a set of states and a sign is remembered."""

    states: tuple[_State, ...]
    first: int
    whole: bool
    known: dict[tuple[frozenset[int], str], frozenset[int]] = field(default_factory=dict)

    def meets(self, text: str) -> bool:
        """Whether some part of the text is as the pattern says, or all of it.

        >>> regular("^a(b|c)+$").meets("abcb"), regular("a.c").meets("xxabcxx"), regular("a", whole=True).meets("ab")
        (True, True, False)
        """
        spend(2 + len(text) // 4, Work.VALUES)
        reached = self._along({self.first}, start=True, end=not text)
        for place, sign in enumerate(text):
            if 0 in reached and not self.whole:
                return True
            after = self._over(reached, sign)
            end = place + 1 == len(text)
            reached = self._along(after, start=False, end=True) if end else after
        return 0 in reached

    def _over(self, reached: frozenset[int], sign: str) -> frozenset[int]:
        """The states behind one sign; a pattern that may begin anywhere begins again."""
        found = self.known.get((reached, sign))
        if found is not None:
            return found
        code = ord(sign)
        spend(4 + len(reached), Work.VALUES)
        after = {self.states[one].to[0] for one in reached if _among(self.states[one].signs, code)}
        if not self.whole:
            after.add(self.first)
        found = self._along(after, start=False, end=False)
        if len(self.known) < _MOST_KEPT:
            self.known[reached, sign] = found
        return found

    def _along(self, states: set[int] | frozenset[int], *, start: bool, end: bool) -> frozenset[int]:
        """These states and those that are reached over nothing."""
        found, waiting = set(states), list(states)
        while waiting:
            state = self.states[waiting.pop()]
            if state.signs is not None or (state.only and not {"start": start, "end": end}[state.only]):
                continue
            fresh = [one for one in state.to if one not in found]
            found.update(fresh)
            waiting += fresh
        return frozenset(found)


@lru_cache(maxsize=128)
def regular(pattern: str, *, whole: bool = False, folded: bool = False) -> Regular:
    """A pattern of signs, ``.``, lists, digits, letters, spaces, groups, ``|``, repetitions, ``^`` and ``$``.

    Anything else is irregular. ``folded`` does not tell capitals from small letters. What a pattern means is what RE2
    says.
    """
    if len(pattern) > LONGEST or "\0" in pattern:
        raise Irregular
    maker = _Maker(pattern, folded)
    first = maker.made()
    return Regular(tuple(maker.states), first, whole)


def _others(signs: Ranges) -> Ranges:
    found, low = [], 0
    for first, last in sorted(signs):
        if low < first:
            found.append((low, first - 1))
        low = max(low, last + 1)
    return (*found, (low, _LAST)) if low <= _LAST else tuple(found)


def _only(signs: Ranges) -> int:
    if len(signs) != 1 or signs[0][0] != signs[0][1]:
        raise Irregular
    return signs[0][0]


def _among(signs: Ranges | None, code: int) -> bool:
    return signs is not None and any(low <= code <= high for low, high in signs)
