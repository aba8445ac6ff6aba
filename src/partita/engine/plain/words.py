"""What conditions and keys of open text mean for one text, in plain Python: the meaning that engines are held to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp, parse_one

from partita.region.like import pattern
from partita.region.regular import regular

Told = Mapping[str, str | None]
UNTOLD: Final[Told] = {}

# What is taken from both ends of a text: signs that separate words, but for those that control lines.
_BLANK: Final = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
# One sign becomes one sign: where Python makes two of it, the one that Unicode names.
_SMALL: Final = {"\u0130": "i"}
_GREEK: Final = [(0x1F80, 8), (0x1F90, 8), (0x1FA0, 8), (0x1FB3, 9), (0x1FC3, 9), (0x1FF3, 9)]
_CAPITAL: Final = {"\u00df": "\u1e9e"} | {
    chr(first + place): chr(first + place + apart) for first, apart in _GREEK for place in range(8 if apart == 8 else 1)
}


def said(sql: str, told: Told) -> Any:
    """The truth of a condition, or the text of a key, for one row's texts; None is NULL.

    >>> said("LOWER(t) LIKE 'a%'", {"t": "Apple"}), said("LENGTH(t) > 3", {"t": None}), said("LEFT(t, 2)", {"t": "abc"})
    (True, None, 'ab')
    """
    return _value(_parsed(sql), {name.lower(): text for name, text in told.items()})


@lru_cache(maxsize=512)
def _parsed(sql: str) -> exp.Expr:
    return parse_one(sql, dialect="duckdb")


def _value(node: exp.Expr, told: Told) -> Any:
    match node:
        case exp.Paren():
            return _value(node.this, told)
        case exp.Column():
            return told[node.name.lower()]
        case exp.Literal():
            return node.name if node.is_string else int(node.name)
        case exp.Coalesce():
            return next(
                (found for one in (node.this, *node.expressions) if (found := _value(one, told)) is not None), None
            )
        case exp.Is():
            return _value(node.this, told) is None
        case exp.Not():
            inner = _value(node.this, told)
            return None if inner is None else not inner
        case exp.In():
            subject = _value(node.this, told)
            return None if subject is None else subject in [_value(one, told) for one in node.expressions]
        case _:
            parts = {name: _value(one, told) for name, one in node.args.items() if isinstance(one, exp.Expr)}
            return None if None in parts.values() else _strict(node, parts)


def _strict(node: exp.Expr, parts: dict[str, Any]) -> Any:
    """Functions that are NULL where one argument is."""
    first: Any = parts["this"]
    second: Any = parts.get("expression")
    match node:
        case exp.EQ():
            return first == second
        case exp.NEQ():
            return first != second
        case exp.LT():
            return first < second
        case exp.LTE():
            return first <= second
        case exp.GT():
            return first > second
        case exp.GTE():
            return first >= second
        case exp.Between():
            return parts["low"] <= first <= parts["high"]
        case exp.Like():
            met = pattern(str(second)).meets(first)
            return not met if node.args.get("negate") else met
        case exp.RegexpLike():
            return regular(str(second), folded=parts.get("flag") == "i").meets(first)
        case exp.RegexpFullMatch():
            return regular(str(second), whole=True).meets(first)
        case exp.Lower():
            return "".join(_SMALL.get(sign) or (sign.lower() if len(sign.lower()) == 1 else sign) for sign in first)
        case exp.Upper():
            return "".join(_CAPITAL.get(sign) or (sign.upper() if len(sign.upper()) == 1 else sign) for sign in first)
        case exp.Trim():
            return first.strip(_BLANK)
        case exp.Length():
            return len(first)
        case exp.Left():
            return first[:second]
        case exp.Right():
            return first[-second:] if second else ""
        case exp.Substring():
            start = parts["start"] - 1
            return first[start : start + parts["length"]] if "length" in parts else first[start:]
        case exp.SplitPart():
            listed = first.split(parts["delimiter"])
            place = parts["part_index"] - 1
            return listed[place] if place < len(listed) else ""
        case exp.Replace():
            return first.replace(second, parts["replacement"])
        case exp.StrPosition():
            return first.find(parts["substr"]) + 1
        case _:
            raise AssertionError(node)
