"""The package as text: its modules, their syntax trees and what they import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "partita"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def shown(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def imports(module: Path) -> Iterator[tuple[str, int]]:
    """Every dotted name a module imports, wherever the import stands, with its line."""
    for node in ast.walk(tree(module)):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=origin, names=names):
                yield from ((f"{origin}.{alias.name}", node.lineno) for alias in names)


def classes(module: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree(module)) if isinstance(node, ast.ClassDef))


def last_name(node: ast.expr) -> str:
    """The last part of a name such as `typing.final` or `Generic[T]`."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Call(func=value):
            return last_name(value)
        case _:
            return ""
