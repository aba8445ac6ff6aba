"""Habits of the code that a reader may count on."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

from tests.architecture.source import PACKAGE, classes, last_name, modules, shown, tree
from tools import error_pages

ABSTRACT = {"ABC", "Protocol"}
CLOSED = {"Enum", "StrEnum", "IntEnum", "Flag", "NamedTuple", "TypedDict"}
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def is_final_or_abstract(node: ast.ClassDef, module: Path) -> bool:
    decorators = {last_name(decorator) for decorator in node.decorator_list}
    bases = {last_name(base) for base in node.bases} | {last_name(keyword.value) for keyword in node.keywords}
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    abstract = any("abstractmethod" in {last_name(d) for d in method.decorator_list} for method in methods)
    if "final" in decorators or abstract or bases & (ABSTRACT | CLOSED | {"ABCMeta"}):
        return True
    name = ".".join(module.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    return inspect.isabstract(getattr(importlib.import_module(name), node.name, None))


def test_every_class_is_final_or_abstract():
    open_ended = [
        f"{shown(module)}: {node.name}"
        for module in modules()
        for node in classes(module)
        if not is_final_or_abstract(node, module)
    ]
    assert open_ended == ["errors/base.py: PartitaError"]


def test_a_module_holds_one_idea():
    lines = {shown(module): len(module.read_text(encoding="utf-8").splitlines()) for module in modules()}
    # A module of wording is a list of what one layer says.
    most = {module: 600 if module.startswith("errors/") else 500 for module in lines}
    assert {module: count for module, count in lines.items() if count > most[module]} == {}
    assert [shown(module) for module in modules() if module.stem in VAGUE] == []


def test_all_wording_of_errors_lives_in_the_errors_package():
    kinds = set(error_pages.classes(PACKAGE / "errors" / "base.py")) | {"PartitaError"}
    worded = [
        f"{shown(module)}:{node.lineno}"
        for module in modules()
        if not shown(module).startswith("errors/")
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call) and last_name(node.func) in kinds
    ]
    assert worded == []
