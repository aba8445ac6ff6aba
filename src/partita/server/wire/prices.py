"""What a question may cost: from the statement, the connection, or the server, first found first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from partita.errors import wire as refuse
from partita.server.wire.scanner import Sentence, Sort, Word, words

PREFIX: Final = "partita."
_PRICES: Final = ("epsilon", "rho", "mu", "within")
_WITH_PRICE: Final = ("delta", "confidence", "floor", "rows", "simultaneous")
_BESIDE: Final = ("noise", "rows_per_user", "groups_per_user", "rows_per_group", "reuse", "shrink")
_HERE: Final = ("key", "privacy_unit_column")
"""What only a statement may say, since it is about this one question."""
OPTIONS: Final = (*_PRICES, *_WITH_PRICE, *_BESIDE)
ERRORS: Final = ("columns", "bounds", "none")
SETTINGS: Final = (*OPTIONS, "errors")
_SYNONYMS: Final = {"max_groups_contributed": "groups_per_user", "max_rows_contributed": "rows_per_user"}
_TRUTHS: Final = {
    "true": True,
    "on": True,
    "1": True,
    "yes": True,
    "false": False,
    "off": False,
    "0": False,
    "no": False,
}

Options = Mapping[str, str]


def taken_out(said: Sentence) -> tuple[Sentence, dict[str, str]]:
    """A statement without what it says of its price, and what that is.

    >>> from partita.server.wire.scanner import sentence
    >>> taken_out(sentence("SELECT WITH DP(epsilon=0.1) COUNT(*) FROM t"))[1]
    {'epsilon': '0.1'}
    >>> taken_out(sentence("/* partita: rho=0.01, shrink=true */ SELECT 1"))[1]
    {'rho': '0.01', 'shrink': 'true'}
    """
    found: dict[str, str] = {}
    spans: list[tuple[int, int]] = []
    for start, end, inside in _clauses(said.words):
        _add(found, inside, said.text[start:end])
        spans.append((start, end))
    for comment in said.comments:
        marked = comment.text.strip("-/* \t\r\n")
        if marked.lower().startswith("partita:"):
            _add(found, words(marked[len("partita:") :]), marked)
    return (said.blanked(spans) if spans else said), found


def _clauses(listed: Sequence[Word]) -> Iterator[tuple[int, int, list[Word]]]:
    """WITH DP(...) and WITH DIFFERENTIAL_PRIVACY OPTIONS(...): where each stands, and what is inside."""
    for place, word in enumerate(listed):
        rest = listed[place + 1 : place + 3]
        if not word.says("with") or not rest:
            continue
        if rest[0].says("dp"):
            opening = place + 2
        elif len(rest) == 2 and rest[0].says("differential_privacy") and rest[1].says("options"):
            opening = place + 3
        else:
            continue
        if opening >= len(listed) or not listed[opening].says("("):
            continue
        depth = 0
        for end in range(opening, len(listed)):
            depth += listed[end].says("(") - listed[end].says(")")
            if not depth:
                yield word.start, listed[end].end, list(listed[opening + 1 : end])
                break
        else:
            raise refuse.unreadable_options("WITH DP(")


def _add(found: dict[str, str], inside: Sequence[Word], text: str) -> None:
    """Read name = value, name = value."""
    parts: list[list[Word]] = [[]]
    for word in inside:
        if word.says(",", ";"):
            parts.append([])
        else:
            parts[-1].append(word)
    for part in parts:
        if not part and len(parts) == 1:
            continue
        if len(part) < 3 or part[0].sort not in (Sort.WORD, Sort.QUOTED) or not part[1].says("="):
            raise refuse.unreadable_options(text)
        name = _SYNONYMS.get(part[0].name, part[0].name)
        if name not in (*OPTIONS, *_HERE):
            raise refuse.unknown_option(part[0].name, (*OPTIONS, *_HERE, *_SYNONYMS))
        if name in found:
            raise refuse.unreadable_options(text)
        found[name] = "".join(word.value for word in part[2:])


def checked(name: str, value: str) -> str:
    """The value of a setting of the connection, if it has one of this name."""
    if name not in SETTINGS:
        raise refuse.unknown_option(PREFIX + name, [PREFIX + one for one in SETTINGS])
    if name == "errors" and value and value not in ERRORS:
        raise refuse.bad_option(PREFIX + name, value, "'columns', 'bounds' or 'none'")
    if len(value) > 200:
        raise refuse.bad_option(PREFIX + name, value, "a short text")
    return value


def wants(sources: Sequence[Options]) -> dict[str, Any]:
    """The keywords of a question, from what was said nearest to it to what was said farthest.

    A price and what belongs to it come from one source; refused where no source has one.

    >>> wants([{"shrink": "true"}, {"within": "50", "confidence": "0.9"}, {"rho": "1"}])
    {'within': '50', 'confidence': '0.9', 'shrink': True}
    """
    priced = next((one for one in sources if any(one.get(name) for name in _PRICES)), None)
    if priced is None:
        raise refuse.no_price()
    found: dict[str, Any] = {name: priced[name] for name in (*_PRICES, *_WITH_PRICE) if priced.get(name)}
    for name in _BESIDE:
        said = next((one[name] for one in sources if one.get(name)), None)
        if said is not None:
            found[name] = said
    if "within" not in found:
        # The confidence is that of the error bars then, which are drawn at any price.
        for name in ("confidence", "floor", "rows", "simultaneous"):
            found.pop(name, None)
    for name in ("simultaneous", "reuse", "shrink"):
        if name in found:
            found[name] = _truth(name, found[name])
    for name in ("rows", "rows_per_user", "groups_per_user", "rows_per_group"):
        if name in found:
            if not found[name].isdecimal() or len(found[name]) > 12:
                raise refuse.bad_option(name, found[name], "a whole number")
            found[name] = int(found[name])
    return found


def confidence(sources: Sequence[Options]) -> str:
    """The confidence of the error bars."""
    return next((one["confidence"] for one in sources if one.get("confidence")), "0.95")


def _truth(name: str, value: str) -> bool:
    found = _TRUTHS.get(value.lower())
    if found is None:
        raise refuse.bad_option(name, value, "true or false")
    return found
