"""No number beyond which something is approximated stands outside of `partita.limits`: all others are listed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from partita.limits import Limits
from tests.architecture.source import PACKAGE, modules, tree
from tests.architecture.thresholds import NUMBERS, WRITTEN

# What these say decides nothing that is booked.
WORDS = {"attacks", "cli", "errors", "explain"}
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# The ranges of whole numbers and of doubles: 64 bits, and a little below.
RANGES = {*(1 << bits for bits in (*range(53, 65), 120)), 63, 64}
Name = tuple[str, str]


def checked() -> list[Path]:
    own = [module for module in modules() if module.relative_to(PACKAGE).parts[0] not in WORDS]
    return [module for module in own if module != PACKAGE / "limits.py"]


def dotted(module: Path) -> str:
    return ".".join(module.relative_to(PACKAGE).with_suffix("").parts)


def whole(node: ast.expr) -> int | None:
    """The value of a whole number that is written out, as 4096 or 1 << 12."""
    if any(isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Lambda) for part in ast.walk(node)):
        return None
    try:
        found = eval(compile(ast.Expression(node), "<number>", "eval"))
    except (TypeError, ValueError, SyntaxError, KeyError, IndexError):
        return None
    return found if type(found) is int else None


def constants(module: Path) -> Iterator[str]:
    """The names of a module that stand for a whole number."""
    for node in tree(module).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            each = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                each = list(zip(target.elts, value.elts, strict=True))
            for name, given in each:
                if isinstance(name, ast.Name) and given is not None and (whole(given) or 0) > 2:
                    yield name.id


def bounds(module: Path) -> Iterator[ast.expr]:
    """Whatever is compared with something, or cuts it off."""
    for node in ast.walk(tree(module)):
        match node:
            case ast.Compare() if any(isinstance(order, ORDERS) for order in node.ops):
                yield from (node.left, *node.comparators)
            case ast.Call(func=ast.Name(id="min" | "islice")):
                yield from node.args
            case ast.Slice(upper=ast.expr() as upper):
                yield upper


def used(module: Path) -> set[Name]:
    """The names that bound something in a module, each with the module it is from."""
    origin: dict[str, Name] = {}
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("partita"):
            home = (node.module or "").removeprefix("partita").removeprefix(".")
            origin |= {alias.asname or alias.name: (home, alias.name) for alias in node.names}
    found = set()
    for bound in bounds(module):
        for part in ast.walk(bound):
            match part:
                case ast.Name(id=name):
                    found.add(origin.get(name, (dotted(module), name)))
                case ast.Attribute(value=ast.Name(id=holder), attr=name) if holder in origin:
                    found.add((".".join(filter(None, origin[holder])), name))
    return found


def test_every_number_that_something_is_compared_with_is_a_limit_or_is_listed():
    known = {(dotted(module), name) for module in checked() for name in constants(module)}
    bounding = known & {name for module in modules() for name in used(module)}
    found = {".".join(name) for name in bounding}
    unlisted, gone = sorted(found - NUMBERS.keys()), sorted(NUMBERS.keys() - found)
    assert not unlisted, f"limits if something is approximated beyond them, else to be listed: {unlisted}"
    assert not gone, f"listed, and compared with nothing: {gone}"


def written(module: Path) -> Iterator[str]:
    """Comparisons with a number that is written out in them, and is no range of a type."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Compare) and any(isinstance(order, ORDERS) for order in node.ops):
            numbers = {whole(part) for part in (node.left, *node.comparators)} - {None} - RANGES
            if any(number is not None and number >= 16 for number in numbers):
                yield ast.unparse(node)


def test_numbers_that_stand_in_a_comparison_are_ranges_of_types_or_are_listed():
    found = {(dotted(module), text) for module in checked() for text in written(module)}
    assert found == WRITTEN.keys()


def test_every_limit_is_read_somewhere():
    """A limit that nothing reads would be one that a law believes to have tried."""
    nodes = (node for module in modules() for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute))
    read = {node.attr for node in nodes if ast.unparse(node.value).split(".")[-1] in ("current()", "limits", "_limits")}
    assert read >= {field.name for field in fields(Limits)}
