"""Every mechanism withstands an audit of each loss it claims, and the same audit catches what is broken."""

from __future__ import annotations

import pytest

import partita.mechanisms
from partita.attacks.audits.cases import Case, built_in, controls
from partita.attacks.audits.suite import run
from partita.mechanisms.base import Mechanism
from partita.registry import members
from partita.sampling.bits import TestBits
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure

BITS = TestBits(20261115)
HONEST = list(built_in(BITS))
BROKEN = list(controls(BITS))
# All cases together refute an honest claim with probability at most 1e-6.
SHARE = 1e-6 / len(HONEST)
EFFORT = {"trials": 100_000, "single_trials": 1_000, "false_alarms": SHARE}


def named(case: Case) -> str:
    return f"{case.name}: {case.claims[0]} {case.relation}"


def test_every_mechanism_is_audited():
    assert {case.kind for case in HONEST} == set(members(Mechanism, partita.mechanisms))


def test_every_relation_is_audited():
    for relation in ("add/remove", "change-one"):
        kinds = {case.kind for case in HONEST if case.relation == relation}
        assert {"laplace", "gaussian", "exponential", "permute_and_flip", "noisy_max", "subsampled"} <= kinds


@pytest.mark.parametrize("case", HONEST, ids=named)
def test_no_claim_is_refuted_though_most_of_what_there_is_is_found(case):
    """A claim that stands has been tried in earnest: where a share of it can be found, it is."""
    (verdict,) = run([case], **EFFORT)
    assert not verdict.refuted, verdict.shown
    assert verdict.as_expected
    match verdict.claim:
        case Pure(epsilon=epsilon) if case.batch:
            assert verdict.shown.epsilon > (0.45 if case.kind == "subsampled" else 0.75) * float(epsilon)
        case GDP() as claim if case.batch:
            assert verdict.shown.mu > (0.2 if case.kind == "subsampled" else 0.8) * float(claim.mu)


@pytest.mark.parametrize("case", BROKEN, ids=named)
def test_what_is_broken_is_caught(case):
    (verdict,) = run([case], **EFFORT)
    assert verdict.refuted == case.claims
    assert verdict.as_expected


def test_a_verdict_is_also_plain_data():
    (verdict,) = run(BROKEN[:1], **EFFORT)
    document = verdict.document()
    assert document["refuted"] == ["ε = 1"]
    assert document["as expected"] is True
    assert verdict.found().startswith("ε ≥ 1.")
