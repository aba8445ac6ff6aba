"""Protected rows are read by one function, which the charge has to pass first."""

from __future__ import annotations

import ast

import pytest

from tests.architecture.source import imports, modules, shown, tree

# What an engine can be asked for; `compute` and `extract` are what its `run` is made of, the others see no row.
ENGINE = {"run", "compute", "extract", "blank", "without_rows", "attach"}

# What else has methods of these names, as the code calls it. Whatever is called otherwise may be an engine.
NO_ENGINE = {
    "Curator.run",
    "asyncio.run",
    "computation.compute",
    "curator.run",
    "manager.run",
    "program.blank",
    "search.run",
    "self._catalogue.extract",
    "self._door.run",
    "self.blank",
    "self.run",
    "one.run",
}

USES = {
    "curator/path/path.py Path._read": {"run", "blank"},
    "curator/path/rehearsal.py Rehearsal._works": {"blank"},
    # Two tables that it made up itself, with engines of its own.
    "attacks/audits/deployment.py _offered": {"run"},
}

# Who knows an engine at all: whoever opens it, and those above.
KNOWING = {
    "attacks/audits/deployment.py",
    # The custodian's own look, of which nothing is released.
    "cli/check.py",
    "curator/curator.py",
    "curator/ingest.py",
    "curator/opened.py",
    "curator/path/path.py",
    "curator/path/rehearsal.py",
    "curator/settings.py",
}


def uses(found: ast.AST) -> list[tuple[str, str]]:
    """Where something that may be an engine is asked for something, or its method is taken; and for what."""
    seen: list[tuple[str, str]] = []
    left: list[tuple[ast.AST, str]] = [(found, "")]
    while left:
        node, inside = left.pop()
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                inside = f"{inside}.{name}".strip(".")
            case ast.Attribute(attr=name) if name in ENGINE and ast.unparse(node) not in NO_ENGINE:
                seen.append((inside, name))
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]) if name in ENGINE:
                seen.append((inside, name))
        left += [(child, inside) for child in ast.iter_child_nodes(node)]
    return seen


def test_the_path_alone_runs_an_engine_on_protected_rows():
    found: dict[str, set[str]] = {}
    for module in modules():
        if not shown(module).startswith("engine/"):
            for inside, name in uses(tree(module)):
                found.setdefault(f"{shown(module)} {inside}", set()).add(name)
    assert found == USES


def test_nobody_else_knows_an_engine():
    outside = [module for module in modules() if not shown(module).startswith("engine/")]
    engines = {
        shown(module)
        for module in outside
        for name, _ in imports(module)
        if f"{name}.".startswith("partita.engine.") and not f"{name}.".startswith("partita.engine.log.")
    }
    assert engines == KNOWING


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("class Door:\n    def run(self):\n        return self._engine.run(self.extract_of)\n", "Door.run"),
        ("def peek(engine, program):\n    return engine.compute(program)\n", "peek"),
        ("def peek(engine, program):\n    read = engine.run\n    return read(program)\n", "peek"),
        ("def peek(engine, program):\n    return [(lambda: engine.extract(program))()]\n", "peek"),
        ("def peek(path, program):\n    return path._engine.run(program)\n", "peek"),
        ("def peek(engine, program):\n    return getattr(engine, 'run')(program)\n", "peek"),
    ],
)
def test_the_search_sees_a_second_reader(text, where):
    assert {inside for inside, _ in uses(ast.parse(text))} == {where}


def test_the_search_takes_no_algorithm_for_an_engine():
    assert uses(ast.parse("def f(curator, this):\n    return curator.run(this)\n")) == []
