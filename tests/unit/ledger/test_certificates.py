"""Certificates of a book: what they list, and what an independent reader finds wrong."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import partita as pt
from partita.ledger.canonical import canonical
from partita.ledger.reports.certificates import certificate, check_certificate, to_json
from tests.unit.curator.hospital import hospital

UNITS = [
    pt.rows(),
    pt.replace(),
    pt.users("patient", rows=3),
    pt.groups(2),
    pt.windows("day", width=5),
]


def asked(unit: Any = None, budget: Any = None) -> Any:
    curator = hospital(promises=[pt.Promise(unit or pt.rows(), budget or pt.ZCDP(rho=1))])
    for condition in ("age >= 65", "region = 'north'", "age BETWEEN 30 AND 70 AND sex = 'F'"):
        curator.ask(f"SELECT COUNT(*) AS n, SUM(cost) AS total FROM visits WHERE {condition}", rho="0.02")
    return curator


def resigned(curator: Any, document: dict[str, Any]) -> dict[str, Any]:
    """As a custodian who cheats would sign it."""
    from partita.ledger.canonical import canonical

    body = {name: value for name, value in document.items() if name != "signature"}
    return {**body, "signature": curator.ledger.signer.sign(canonical(body).encode()).hex()}


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_certificate_holds_for_whoever_reads_it(unit: Any) -> None:
    curator = asked(unit)
    document = json.loads(to_json(certificate(curator.ledger)))
    found = check_certificate(document, curator.ledger.birth.public_key)
    assert found.complaints == ()
    assert found.charges == 3
    assert found.claimed == curator.spent()[0]
    assert document["charges"][0]["mechanism"]["parts"]


def test_an_empty_book_has_a_certificate_too() -> None:
    found = check_certificate(certificate(hospital().ledger))
    assert found.holds
    assert found.charges == 0
    assert found.claimed.is_zero()


def test_an_altered_certificate_is_noticed() -> None:
    curator = asked()
    document = certificate(curator.ledger)
    dropped = copy.deepcopy(document)
    dropped["charges"].pop()
    assert "signature" in check_certificate(dropped).complaints[0]
    with pytest.raises(pt.InvalidInput, match="not with the expected"):
        check_certificate(document, "00" * 32)


def test_a_signed_lie_is_noticed_too() -> None:
    curator = asked()
    document = certificate(curator.ledger)
    understated = {**document, "upper": {**document["upper"], "rho": "1/1000"}, "lower": document["lower"]}
    assert check_certificate(resigned(curator, understated)).complaints == ("a loss above the claimed one was found",)
    overstated = {
        **document,
        "lower": {**document["lower"], "rho": "3/4"},
        "upper": {**document["upper"], "rho": "3/4"},
    }
    assert check_certificate(resigned(curator, overstated)).complaints == ("the witness bears less than is claimed",)
    repeated = {**document, "charges": [*document["charges"], document["charges"][0]]}
    assert "its charges are not in order" in check_certificate(resigned(curator, repeated)).complaints
    dear = copy.deepcopy(document)
    dear["charges"][0]["cost"]["one"]["rho"] = "2"
    (broken,) = check_certificate(resigned(curator, dear)).complaints[:1]
    assert broken == "the promise is broken: a loss above the budget was found"


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"kind": "partita-certificate", "version": 2},
        {"kind": "partita-certificate", "version": 1},
        {"kind": "partita-certificate", "version": 1, "public_key": 3, "signature": "xy"},
    ],
    ids=repr,
)
def test_what_is_no_certificate_is_refused(document: Any) -> None:
    with pytest.raises(pt.InvalidInput, match="not a certificate that can be read"):
        check_certificate(document)


def test_a_part_that_cannot_be_read_is_refused() -> None:
    ledger = asked().ledger
    document = certificate(ledger)
    for name in ("domain", "promise", "charges", "upper", "witness"):
        body = {part: value for part, value in document.items() if part != "signature"} | {name: [["?"]]}
        broken = {**body, "signature": ledger.signer.sign(canonical(body).encode()).hex()}
        with pytest.raises(pt.InvalidInput, match="missing or malformed"):
            check_certificate(broken)


def test_what_is_not_signed_is_not_worked_on(monkeypatch) -> None:
    from partita.ledger.reports import certificates

    document = certificate(asked().ledger)
    monkeypatch.setattr(certificates, "checked_region", lambda *_: pytest.fail("it was worked on"))
    found = check_certificate({**document, "entries": 10**6})
    assert found.complaints == ("its signature does not hold: it was altered, or another key signed it",)


def test_a_book_of_several_tables_needs_to_be_told_which() -> None:
    with pytest.raises(pt.InvalidInput, match="knows no table 'nowhere'"):
        certificate(hospital().ledger, table="nowhere")
    with pytest.raises(pt.InvalidInput, match="There is no promise number 7: the ledger keeps 1, counted from 0"):
        certificate(hospital().ledger, promise=7)
