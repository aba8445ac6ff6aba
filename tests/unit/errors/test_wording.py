"""Every error says exactly what tests/golden/errors.json says; `make update` writes that file anew."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import pkgutil
import re
import typing

import pytest

import partita.errors
from partita.errors import Caution, InvalidInput, PartitaError
from partita.errors.wording import shown
from tests.architecture.source import PACKAGE, ROOT
from tools import error_pages

GOLDEN = json.loads((ROOT / "tests" / "golden" / "errors.json").read_text(encoding="utf-8"))
CALLS = [(code, call) for code, calls in GOLDEN.items() for call in calls]


def wording() -> set[str]:
    """The functions that word an error, each by its module and name."""
    found = set()
    for module in pkgutil.walk_packages(partita.errors.__path__, "partita.errors."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            made = typing.get_type_hints(function).get("return")
            if (
                function.__module__ == module.name
                and inspect.isclass(made)
                and issubclass(made, PartitaError | Caution)
            ):
                found.add(f"{module.name.removeprefix('partita.errors.')}.{name}")
    return found


@pytest.mark.parametrize(("code", "call"), CALLS, ids=[call[:60] for _, call in CALLS])
def test_an_error_says_exactly_this(code, call):
    assert error_pages.said(call, PACKAGE / "errors") == (code, GOLDEN[code][call])


def test_every_wording_function_is_called():
    assert {call.partition("(")[0] for _, call in CALLS} == wording()


def test_every_code_has_one_owner_and_is_said():
    assert [entry.code for entry in error_pages.every_entry(PACKAGE / "errors")] == list(GOLDEN)
    owners = {code: {call.partition("(")[0] for call in calls} for code, calls in GOLDEN.items()}
    assert all(len(functions) == 1 for functions in owners.values())


def test_no_message_and_no_line_of_the_page_has_a_name_in_braces():
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert not re.findall(
        r"\{[^\W\d]\w*\}", page + "".join(text for calls in GOLDEN.values() for text in calls.values())
    )


@pytest.mark.parametrize("kind", PartitaError.__subclasses__())
def test_an_error_is_its_message_and_survives_pickling(kind):
    error = pickle.loads(pickle.dumps(kind("number.negative", "rho = -1 is negative.")))
    assert type(error) is kind
    assert (error.code, error.message, str(error)) == ("number.negative", *["rho = -1 is negative."] * 2)
    assert isinstance(error, ValueError) == (kind is InvalidInput)


def test_a_caution_is_a_warning_with_a_code():
    caution = Caution("curator.large-delta", "δ is large.")
    assert isinstance(caution, UserWarning)
    assert (caution.code, caution.message, str(caution)) == ("curator.large-delta", "δ is large.", "δ is large.")


def test_a_long_value_is_cut():
    assert shown("x" * 79) == repr("x" * 79)[:77] + "..."
    assert shown("x" * 78) == repr("x" * 78)
