"""Writes what every error says (tests/golden/errors.json) and its page (docs/errors.md) from src/partita/errors.

The golden file has, for every code, calls of the function that words it and what each call says. A new function needs
a call there: write `"code": {"module.function('argument')": ""}`, and run this.

python tools/error_pages.py            write texts and page anew
python tools/error_pages.py --check    fail if one is out of date, or a code is malformed, used twice or not called
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any, final

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"[a-z]+(\.[a-z0-9]+(-[a-z0-9]+)*)+")
SENTENCES = re.compile(r"(?<=[.?]) (?=[A-Z\"'`])")
UNTOUCHED = re.compile(r"(Nothing|Nobody|None|No (row|(protected )?data))\b[^;:]*\.")
INTRODUCTION = """# Errors

Every refusal is a subclass of `PartitaError` and carries a stable `code`. A message says what failed, with the caller's
own values; whether anything was read or charged; and what to do next. It never holds a value read from protected data.

| class | meaning |
|---|---|
{classes}

Below, codes are in the order of the alphabet, each with the class that carries it. The last column is taken from a real
message; names and numbers in it are examples. This page is written by `make update`.
"""
COLUMNS = "| code | meaning | what to do |\n|---|---|---|"

Golden = dict[str, dict[str, str]]


class Malformed(Exception):
    """A code that is not constant, not unique, not called or not of the form layer.words-with-dashes."""


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One error as the user may meet it, and the function that words it."""

    code: str
    kind: str
    meaning: str
    function: str
    place: str


def classes(base: Path) -> dict[str, str]:
    """The exception classes and what each means, in the order of the tree."""
    tree = ast.parse(base.read_text(encoding="utf-8"))
    found = {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.ClassDef)}
    return {name: text.split("\n\n")[0].replace("\n", " ") for name, text in found.items() if name != "PartitaError"}


def entries(module: Path, name: str, kinds: set[str]) -> Iterator[Entry]:
    """The errors that one module of wording can build."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        meaning = " ".join((ast.get_docstring(function) or "").split("\n\n")[0].split())
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if not isinstance(call.func, ast.Name) or call.func.id not in kinds:
                continue
            place = f"{name}.{function.name}"
            match call.args:
                case [ast.Constant(value=str(code)), _] if CODE.fullmatch(code):
                    yield Entry(code, call.func.id, meaning, place, f"{module.name}:{call.lineno}")
                case _:
                    raise Malformed(f"{place}: an error needs a constant code such as 'region.empty-interval' first.")


def every_entry(folder: Path) -> list[Entry]:
    """All errors, by code; a code stands in one place only."""
    kinds = set(classes(folder / "base.py"))
    found: dict[str, Entry] = {}
    for module in sorted(set(folder.rglob("*.py")) - {folder / "base.py"}):
        name = ".".join(module.relative_to(folder).with_suffix("").parts)
        for entry in entries(module, name, kinds):
            if entry.code in found:
                raise Malformed(f"{entry.place}: the code {entry.code} is taken by {found[entry.code].place}.")
            if not entry.meaning:
                raise Malformed(f"{entry.place}: the function that builds {entry.code} has no docstring.")
            found[entry.code] = entry
    return [found[code] for code in sorted(found)]


def said(call: str, folder: Path) -> tuple[str, str]:
    """The code of what a call such as ``foundation.not_whole('k', 2.5)`` builds, and its class with its message."""
    try:
        match ast.parse(call, mode="eval").body:
            case ast.Call(func=function, args=given, keywords=named):
                name, _, last = ast.unparse(function).rpartition(".")
                module = _module((folder / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))
                arguments = [_value(one, module) for one in given]
                error = getattr(module, last)(*arguments, **{str(one.arg): _value(one.value, module) for one in named})
                return error.code, f"{type(error).__name__}: {error.message}"
            case _:
                raise Malformed(f"{call} is not a call of a function that words an error.")
    except (SyntaxError, AttributeError, OSError, TypeError, ValueError) as problem:
        raise Malformed(f"{call} in the golden file cannot be made: {problem}") from None


@cache
def _module(text: str) -> ModuleType:
    module = ModuleType("wording")
    exec(compile(text, "wording", "exec"), vars(module))
    return module


def _value(node: ast.expr, module: ModuleType) -> Any:
    """A literal, or a member of an enumeration that the module defines."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return getattr(getattr(module, node.value.id), node.attr)
    return ast.literal_eval(node)


def golden(old: Golden, found: list[Entry], folder: Path) -> Golden:
    """What the calls of a golden file say now, by code; every code is said by a call of the function that owns it."""
    new: Golden = {entry.code: {} for entry in found}
    owners = {entry.code: entry.function for entry in found}
    for call in (call for calls in old.values() for call in calls):
        code, text = said(call, folder)
        if owners.get(code) != call.partition("(")[0]:
            raise Malformed(f"{call} says {code}, which is not a code of its own.")
        new[code][call] = text
    silent = [
        f"{code}: tests/golden/errors.json has no call of {owners[code]}. Add one." for code in new if not new[code]
    ]
    if silent:
        raise Malformed("\n".join(silent))
    return new


def remedy(text: str) -> str:
    """What a message says beyond what failed and what was not touched; all of it where it is one sentence."""
    first, *rest = SENTENCES.split(text.partition(": ")[2])
    return " ".join(one for one in rest if not UNTOUCHED.fullmatch(one)) or first


def cell(text: str) -> str:
    r"""A text that a table of Markdown shows as it is.

    >>> cell("COUNT(*) < 2 | 3")
    'COUNT(\\*) &lt; 2 \\| 3'
    """
    return re.sub(r"([\\*|])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def page(kinds: dict[str, str], found: list[Entry], texts: Golden) -> str:
    """The whole page."""
    parts = [INTRODUCTION.format(classes="\n".join(f"| `{name}` | {text} |" for name, text in kinds.items())).strip()]
    for layer, group in groupby(found, lambda entry: entry.code.partition(".")[0]):
        rows = [
            f"| `{one.code}` {one.kind} | {cell(one.meaning)} | {cell(remedy(next(iter(texts[one.code].values()))))} |"
            for one in group
        ]
        parts += [f"## {layer}", "\n".join([COLUMNS, *rows])]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the golden file and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if something is out of date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to work on")
    options = parser.parse_args(arguments)
    folder = options.root / "src" / "partita" / "errors"
    spoken, target = options.root / "tests" / "golden" / "errors.json", options.root / "docs" / "errors.md"
    try:
        found = every_entry(folder)
        texts = golden(json.loads(spoken.read_text(encoding="utf-8")), found, folder)
    except Malformed as problem:
        print(problem, file=sys.stderr)
        return 1
    wanted = {
        spoken: json.dumps(texts, indent=2, ensure_ascii=False) + "\n",
        target: page(classes(folder / "base.py"), found, texts),
    }
    old = {path: path.read_text(encoding="utf-8") if path.exists() else "" for path in wanted}
    for path, text in wanted.items():
        if text != old[path] and options.check:
            print(f"{path.name} does not match src/partita/errors: run `make update`.", file=sys.stderr)
        elif text != old[path]:
            path.write_text(text, encoding="utf-8")
    return int(options.check and wanted != old)


if __name__ == "__main__":
    sys.exit(main())
