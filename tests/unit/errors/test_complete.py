"""Every error is worded in the tests of the module that builds it."""

from __future__ import annotations

import pytest

from tests.architecture.source import PACKAGE
from tools.error_pages import every_entry

PLACES = {entry.code: entry.place.partition(":")[0] for entry in every_entry(PACKAGE / "errors")}


@pytest.mark.parametrize("module", sorted(set(PLACES.values())))
def test_every_error_of_a_module_is_worded_in_its_tests(module):
    tests = (PACKAGE.parent.parent / "tests" / "unit" / "errors" / f"test_{module}").read_text(encoding="utf-8")
    missing = [code for code, place in PLACES.items() if place == module and f'"{code}"' not in tests]
    assert not missing
