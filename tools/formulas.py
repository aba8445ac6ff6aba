r"""Formulas of the theory page, typeset: the page reads as plain text, and the site shows mathematics.

A formula is a longest run of symbols, numbers and operators between words: ``rho = eps tanh(eps/2) <= eps^2/2``. Words,
tags, code and links stay as they are.
"""

from __future__ import annotations

import re
from itertools import pairwise

GREEK = {
    "eps": r"\varepsilon",
    "l0": r"\ell_0",
    "linf": r"\ell_\infty",
    **{name: rf"\{name}" for name in "alpha beta gamma delta lambda mu rho sigma tau pi Delta Phi Theta".split()},
}
FUNCTIONS = "tanh cosh sinh exp log ln max min sup inf tan Pr sum prod int floor".split()
PLAIN = "expm1 erfinv erfcx KL FPR FNR TPR Var RR Lap OPT TV CKS".split()
OPERATORS = {
    "<=>": r"\Leftrightarrow",
    "<=": r"\le",
    ">=": r"\ge",
    "=>": r"\Rightarrow",
    "->": r"\to",
    "!=": r"\ne",
    ">>": r"\gg",
    "<<": r"\ll",
    "||": r"\Vert ",
    "|": r"\vert ",
    "~": r"\sim",
    "...": r"\dots",
    "{": r"\{",
    "}": r"\}",
}
# What is never looked into: code, anchors, links, heads of tags.
KEPT = re.compile(r"`[^`]*`|</?a\b[^>]*>|\[[^\]]*\]\([^)]*\)|\[[PNLM](?=[:;\]]|, | vs| by|[ -])|https?://\S+|\*\*")
NAME = r"(?:" + "|".join(sorted(GREEK, key=len, reverse=True)) + r")"
BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
INDEX = rf"(?:\\?_(?:{BRACES}|\w+|\+)|\^(?:{BRACES}|-?\w+|\\?\*)|'|\\\*(?![\w(\\]))"
TOKEN = re.compile(
    rf"(?P<greek>{NAME}\d?(?![A-Za-z]))(?P<gi>{INDEX}*)"
    r"|(?P<infinity>infinity|(?<=[+-])inf(?![a-z_]))"
    rf"|(?P<function>(?:{'|'.join(FUNCTIONS)})(?![A-Za-z0-9]))(?P<fi>{INDEX}*)"
    rf"|(?P<plain>(?:{'|'.join(PLAIN)})(?![A-Za-z0-9-]))(?P<pi>{INDEX}*)"
    r"|(?P<root>sqrt(?![A-Za-z]))"
    rf"|(?P<number>(?<!\w)(?<!\d\.)(?:\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)(?:e-?\d+)?(?!\w)|\d+(?={NAME}|[A-Za-z](?!\w)|sqrt))"
    rf"(?P<ni>{INDEX}*)"
    rf"|(?P<letter>(?<![A-Za-z])[A-Za-z](?![A-Za-z0-9]|\.[A-Z0-9]))(?P<li>{INDEX}*)"
    rf"|(?P<close>[)\]])(?P<ci>{INDEX}+)"
    r"|(?P<operator><=>|<=|>=|=>|->|!=|>>|<<|\|\||\.\.\.|\\\*|[-+=<>/|~(){}\[\],*:])"
    r"|(?P<space> +)"
    r"|(?P<word>[A-Za-z0-9](?:[\w/-]|'(?=\w))*|.)"
)
OPEN, CLOSE = "([{", ")]}"
ALONE = {"<=": "≤", ">=": "≥", "=>": "⇒", "->": "→", "!=": "≠"}
JOINING = ("=", "<=", ">=", "<", ">", "=>", "->", "!=", ">>", "<<", "+", "-", "/", "~", "|", "||", "\\*", "*")


def typeset(page: str) -> str:
    r"""A page with its formulas between dollars.

    >>> typeset("Pure eps: |Z| <= eps everywhere.")
    'Pure $\\varepsilon$: $\\vert Z\\vert \\le \\varepsilon$ everywhere.'
    """
    lines, fenced = [], False
    for line in page.split("\n"):
        fenced ^= line.startswith("```")
        if fenced or line.startswith(("```", "#", "|---")):
            lines.append(line)
        elif line.startswith("|"):
            lines.append("|".join(_line(cell) for cell in line.split("|")))
        else:
            lines.append(_line(line))
    return "\n".join(lines)


def _line(text: str) -> str:
    parts, at = [], 0
    for kept in KEPT.finditer(text):
        parts += [_spans(text[at : kept.start()]), kept.group()]
        at = kept.end()
    return "".join([*parts, _spans(text[at:])])


def _spans(text: str) -> str:
    """A piece of prose with its runs of symbols typeset."""
    out: list[str] = []
    run: list[re.Match[str]] = []
    for token in TOKEN.finditer(text):
        if token.lastgroup is not None and (token["word"] or (token["operator"] in (",", ":") and not _inside(run))):
            out += [_formula(run), token.group()]
            run = []
        else:
            run.append(token)
    return "".join([*out, _formula(run)])


def _inside(run: list[re.Match[str]]) -> bool:
    """Whether a bracket is open."""
    return sum(map(_turn, run)) > 0


def _turn(token: re.Match[str]) -> int:
    """One for a bracket that opens, minus one for one that closes."""
    return ((token["operator"] or "x") in OPEN) - ((token["operator"] or token["close"] or "x") in CLOSE)


def _text(run: list[re.Match[str]]) -> str:
    """Tokens that are no formula, as they were but for arrows and comparisons."""
    return "".join(ALONE.get(token.group(), token.group()) for token in run)


def _formula(run: list[re.Match[str]]) -> str:
    """A run of tokens: what stands at its ends and is no formula stays text, the rest is typeset if it is one."""
    first, last = 0, len(run)
    while first < last and not _starts(run, first):
        first += 1
    while last > first and not _ends(run, first, last - 1):
        last -= 1
    inner = _balanced(run[first:last])
    if inner is None:
        middle = _unmatched(run, first, last)
        if middle is None:
            return _text(run)
        return _text(run[:first]) + _formula(run[first:middle]) + run[middle].group() + _formula(run[middle + 1 :])
    shown = f"${_tex(inner)}$" if _is_formula(inner) else _text(inner)
    return _text(run[:first]) + shown + _text(run[last:])


def _unmatched(run: list[re.Match[str]], first: int, last: int) -> int | None:
    """Where the first bracket without its partner stands."""
    stack: list[int] = []
    for at in range(first, last):
        if _turn(run[at]) > 0:
            stack.append(at)
        elif _turn(run[at]) < 0:
            if not stack:
                return at
            stack.pop()
    return stack[0] if stack else None


def _starts(run: list[re.Match[str]], at: int) -> bool:
    token = run[at]
    if token["operator"]:
        return token["operator"] in (
            "(",
            "[",
            "|",
            "||",
            "-",
            "+",
            "{",
            "<=",
            ">=",
            "=>",
            "->",
            "~",
            "=",
            "<",
            ">",
        ) and at + 1 < len(run)
    if token["letter"] in ("a", "A", "I"):
        return bool(token["li"]) or _joined(run[at + 1 :])
    return not token["space"]


def _ends(run: list[re.Match[str]], first: int, at: int) -> bool:
    token = run[at]
    if token["root"] or (token["function"] and not token["fi"]):
        return False
    if token["close"]:
        return True
    if token["operator"]:
        return token["operator"] in (")", "]", "|", "}") or (token["operator"] == "\\*" and at > first)
    if token["letter"] in ("a", "A", "I", "o"):
        return bool(token["li"]) or _joined(run[first:at][::-1])
    return not token["space"]


def _joined(near: list[re.Match[str]]) -> bool:
    following = next((token for token in near if not token["space"]), None)
    return following is not None and following["operator"] in (*JOINING, "(", "[", ",", ")")


def _balanced(run: list[re.Match[str]]) -> list[re.Match[str]] | None:
    depth = 0
    for token in run:
        depth += _turn(token)
        if depth < 0:
            return None
    return run if depth == 0 else None


def _is_formula(run: list[re.Match[str]]) -> bool:
    symbols = [token for token in run if token["greek"] or ((token["function"] or token["root"]) and len(run) > 2)]
    letters = [token for token in run if token["letter"] or token["number"] or token["infinity"]]
    indexed = any(token["li"] or token["ni"] or token["ci"] for token in run)
    joined = any(token["operator"] in JOINING for token in run)
    named = any(token["letter"] for token in run)
    return bool(symbols) or indexed or (joined and named and len(letters) > 1) or (joined and _compares(run))


def _compares(run: list[re.Match[str]]) -> bool:
    return any(token["operator"] in ("<=", ">=", "=", "<", ">", "!=") for token in run) and len(run) > 2


def _tex(run: list[re.Match[str]]) -> str:
    parts: list[str] = []
    closing: list[int] = []
    depth = 0
    for place, token in enumerate(run):
        closed = token["close"] or token["operator"]
        before = run[place - 1] if place else None
        if token["operator"] in ("(", "[", "{"):
            depth += 1
            if before is not None and before["root"] and token["operator"] == "(":
                closing.append(depth)
                parts.append("{")
                continue
        if closed in (")", "]", "}"):
            depth -= 1
            if closing and closing[-1] == depth + 1:
                closing.pop()
                parts.append("}" + _index(token["ci"]))
                continue
        spaced = before is not None and before["space"] is not None
        parts.append(_token(token, run[place + 1] if place + 1 < len(run) else None, spaced=spaced))
    return _rooted("".join(parts)).strip()


def _token(token: re.Match[str], after: re.Match[str] | None, *, spaced: bool) -> str:
    if name := token["greek"]:
        digit = name[-1] if name[-1].isdigit() and name not in GREEK else ""
        return (
            GREEK[name.removesuffix(digit)]
            + (f"_{{{digit}}}" if digit else "")
            + _index(token["gi"], digit)
            + _gap(after)
        )
    if name := token["function"]:
        shown = {"floor": r"\operatorname{floor}"}.get(name, rf"\{name}")
        return shown + _index(token["fi"]) + _gap(after)
    if token["plain"]:
        return rf"\mathrm{{{token['plain']}}}" + _index(token["pi"])
    if token["close"]:
        return token["close"] + _index(token["ci"])
    if token["word"]:
        return {"in": r"\in "}.get(token["word"], rf"\text{{{token['word']}}}")
    if token["root"]:
        return r"\sqrt"
    if token["infinity"]:
        return r"\infty" + _gap(after)
    if number := token["number"]:
        return _number(number) + _index(token["ni"])
    if token["letter"]:
        return token["letter"] + _index(token["li"])
    if token["operator"] in ("\\*", "*"):
        return r"\cdot " if spaced or (after is not None and not after["space"]) else "^{*}"
    if token["operator"]:
        found = OPERATORS.get(token["operator"], token["operator"].replace(",", ",\\,"))
        return found + ("" if found.endswith(" ") else _gap(after) if found.startswith("\\") else "")
    return " " if token["space"] else token.group()


def _gap(after: re.Match[str] | None) -> str:
    return (
        " " if after is not None and (after["letter"] or after["greek"] or after["function"] or after["plain"]) else ""
    )


def _number(text: str) -> str:
    digits, _, power = text.partition("e")
    if not power:
        return digits.replace(",", "{,}")
    return rf"10^{{{power}}}" if digits == "1" else rf"{digits}\cdot 10^{{{power}}}"


def _index(text: str, digit: str = "") -> str:
    """Subscripts, powers and primes, each group in braces, symbols in it typeset as well."""
    shown = ""
    for piece in re.findall(INDEX, text or ""):
        plain = piece.replace("\\_", "_").replace("\\*", "*")
        if plain in ("'", "*"):
            shown += "'" if plain == "'" else "^{*}"
            continue
        inner = plain[1:].removeprefix("{").removesuffix("}")
        formula = _tex([*TOKEN.finditer(inner)]) if inner not in ("+", "*") else inner
        shown += f"{plain[0]}{{{formula}}}"
    return shown if not digit or not shown.startswith("_") else "{}" + shown


def _rooted(text: str) -> str:
    """A root of one symbol without brackets: ``sqrt 2``."""
    return re.sub(r"\\sqrt *(?!\{)(\\?\w+)", r"\\sqrt{\1}", text)


def faults(page: str) -> list[str]:
    """The formulas of a typeset page whose braces do not close."""
    wrong = []
    for formula in re.findall(r"(?<!\\)\$([^$\n]+)\$", page):
        depth = 0
        for before, sign in pairwise(" " + formula):
            depth += (sign == "{" and before != "\\") - (sign == "}" and before != "\\")
        if depth:
            wrong.append(formula)
    return wrong
