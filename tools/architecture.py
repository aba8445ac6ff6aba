"""Writes the tree of ARCHITECTURE.md from the first sentence of every module's docstring, and checks it.

python tools/architecture.py            write the tree
python tools/architecture.py --check    fail if the page is out of date or a module says nothing
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- tree: written by `make update` from the module docstrings -->"
END = "<!-- end of tree -->"


class Undocumented(Exception):
    """A module whose docstring does not begin with a sentence."""


def first_sentence(docstring: str | None) -> str:
    """The first sentence of a docstring on one line, or nothing if there is none.

    >>> first_sentence("What a mean costs (cf. theory C3), in words. And more.")
    'What a mean costs (cf. theory C3), in words.'
    """
    text = " ".join((docstring or "").split("\n\n")[0].split())
    match = re.match(r"(.+?[.!?])(?=\s+[A-Z`]|$)", text)
    return match.group(1) if match else ""


def sentence_of(module: Path) -> str:
    """What a module is for, in its own words."""
    source = module.read_text(encoding="utf-8") if module.exists() else ""
    sentence = first_sentence(ast.get_docstring(ast.parse(source)))
    if not sentence:
        raise Undocumented(f"{module}: the module docstring must begin with one sentence that says what is in it.")
    return sentence


def entries(folder: Path, depth: int = 0) -> list[tuple[str, str]]:
    """The lines of the tree below a package: an indented name, and its sentence."""
    indent = "  " * depth
    lines = [(f"{indent}{folder.name}/", sentence_of(folder / "__init__.py"))]
    for module in sorted(folder.glob("*.py")):
        if module.name != "__init__.py":
            lines.append((f"{indent}  {module.name}", sentence_of(module)))
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        lines.extend(entries(inner, depth + 1))
    return lines


def tree(package: Path) -> str:
    """The whole tree as a block of text."""
    lines = entries(package)
    width = max(len(name) for name, _ in lines) + 2
    body = "\n".join(f"{name:<{width}}{sentence}" for name, sentence in lines)
    return f"{BEGIN}\n```text\n{body}\n```\n{END}"


def with_tree(page: str, package: Path) -> str:
    """The page with its tree written anew."""
    start, end = page.index(BEGIN), page.index(END) + len(END)
    return page[:start] + tree(package) + page[end:]


def main(arguments: list[str] | None = None) -> int:
    """Write or check the tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is out of date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to work on")
    options = parser.parse_args(arguments)
    page = options.root / "ARCHITECTURE.md"
    old = page.read_text(encoding="utf-8")
    try:
        new = with_tree(old, options.root / "src" / "partita")
    except Undocumented as problem:
        print(problem, file=sys.stderr)
        return 1
    if options.check and new != old:
        print("ARCHITECTURE.md does not match the module docstrings: run `make update`.", file=sys.stderr)
        return 1
    if new != old:
        page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
