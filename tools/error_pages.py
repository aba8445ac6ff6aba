"""Writes docs/errors.md, the list of every error code, from the wording in src/partita/errors, and checks it.

python tools/error_pages.py            write the page
python tools/error_pages.py --check    fail if the page is out of date, a code is used twice or is malformed
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"[a-z]+(\.[a-z0-9]+(-[a-z0-9]+)*)+")
INTRODUCTION = """# Errors

Every refusal is a subclass of `PartitaError` and carries a stable `code`. A message says what failed, with
the caller's own values; what it means for the budget and the data; and what to do next. It never holds a
value read from protected data. This page is written by `make update` from `src/partita/errors`.

| class | meaning |
|---|---|
"""


class Malformed(Exception):
    """A code that is not constant, not unique or not of the form layer.words-with-dashes."""


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One error as the user may meet it."""

    code: str
    kind: str
    meaning: str
    message: str
    place: str


def classes(base: Path) -> dict[str, str]:
    """The exception classes and what each means, in the order of the tree."""
    tree = ast.parse(base.read_text(encoding="utf-8"))
    found = {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.ClassDef)}
    return {name: text.split("\n\n")[0].replace("\n", " ") for name, text in found.items() if name != "PartitaError"}


def template(node: ast.expr) -> str:
    """A message with the caller's values as names in braces."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(template(part) for part in parts)
        case ast.FormattedValue(value=value):
            return "{" + _name(value) + "}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
        case ast.Name() | ast.Call() | ast.Attribute():
            return "{" + _name(node) + "}"
        case _:
            return "{" + ast.unparse(node) + "}"


def _name(value: ast.expr) -> str:
    if isinstance(value, ast.Call) and value.args:
        return _name(value.args[0])
    return ast.unparse(value).replace("{", "(").replace("}", ")")


def entries(module: Path, kinds: set[str]) -> Iterator[Entry]:
    """The errors that one module of wording can build."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        meaning = " ".join((ast.get_docstring(function) or "").split("\n\n")[0].split())
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if not isinstance(call.func, ast.Name) or call.func.id not in kinds:
                continue
            place = f"{module.name}:{call.lineno}"
            match call.args:
                case [ast.Constant(value=str(code)), message, *_] if CODE.fullmatch(code):
                    yield Entry(code, call.func.id, meaning, template(message), place)
                case _:
                    raise Malformed(f"{place}: an error needs a constant code such as 'region.empty-interval' first.")


def every_entry(folder: Path) -> list[Entry]:
    """All errors, by code; a code stands in one place only."""
    kinds = set(classes(folder / "base.py"))
    modules = sorted(set(folder.glob("*.py")) - {folder / "base.py", folder / "__init__.py"})
    found: dict[str, Entry] = {}
    for entry in (entry for module in modules for entry in entries(module, kinds)):
        if entry.code in found:
            raise Malformed(f"{entry.place}: the code {entry.code} is taken by {found[entry.code].place}.")
        if not entry.meaning:
            raise Malformed(f"{entry.place}: the function that builds {entry.code} has no docstring.")
        found[entry.code] = entry
    return [found[code] for code in sorted(found)]


def page(folder: Path) -> str:
    """The whole page."""
    lines = [INTRODUCTION + "\n".join(f"| `{name}` | {text} |" for name, text in classes(folder / "base.py").items())]
    layer = ""
    for entry in every_entry(folder):
        if entry.code.split(".")[0] != layer:
            layer = entry.code.split(".")[0]
            lines.append(f"## {layer}")
        message = "\n".join(f"> {line}" if line else ">" for line in entry.message.splitlines())
        lines.append(f"### `{entry.code}`\n\n`{entry.kind}`: {entry.meaning}\n\n{message}")
    return "\n\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is out of date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to work on")
    options = parser.parse_args(arguments)
    target = options.root / "docs" / "errors.md"
    try:
        new = page(options.root / "src" / "partita" / "errors")
    except Malformed as problem:
        print(problem, file=sys.stderr)
        return 1
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    if options.check and new != old:
        print("docs/errors.md does not match src/partita/errors: run `make update`.", file=sys.stderr)
        return 1
    if new != old:
        target.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
