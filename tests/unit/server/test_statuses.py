"""Every refusal has one status, fixed for its code."""

from __future__ import annotations

import json

from partita import errors
from partita.server.statuses import BY_CODE, BY_KIND, status_of
from tests.docs.pages import ROOT

GOLDEN = json.loads((ROOT / "tests" / "golden" / "errors.json").read_text(encoding="utf-8"))


def test_every_code_has_one_status():
    for code, calls in GOLDEN.items():
        kinds = {said.partition(":")[0] for said in calls.values()} - {"Caution"}
        found = {status_of(getattr(errors, kind)(code, "")) for kind in kinds}
        assert len(found) == (1 if kinds else 0), code
        assert all(200 <= status < 600 for status in found)


def test_codes_with_a_status_of_their_own_exist_and_need_it():
    assert set(BY_CODE) <= set(GOLDEN)
    for code, status in BY_CODE.items():
        kind = next(iter(GOLDEN[code].values())).partition(":")[0]
        assert BY_KIND[getattr(errors, kind)] != status, code


def test_every_kind_of_refusal_has_a_status():
    kinds = {getattr(errors, name) for name in errors.__all__} - {errors.PartitaError, errors.Caution}
    assert set(BY_KIND) == kinds
