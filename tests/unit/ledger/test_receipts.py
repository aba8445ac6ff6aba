"""Receipts: what a custodian signs, and what nobody else can."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace

import pytest

from partita.errors import InvalidInput, LedgerFault
from partita.ledger.keys import SigningKey
from partita.ledger.receipts.receipts import Receipt
from partita.region import Region
from partita.sampling.bits import TestBits
from partita.theory.measures.pure import Pure
from tests.unit.ledger.plain import DOMAIN, charge, opened


@pytest.fixture
def ledger():
    with opened() as found:
        yield found


@pytest.fixture
def receipt(ledger):
    state = ledger.reserve(charge("n", where="age < 18"))
    return ledger.receipt(ledger.commit(state, b"17"))


def test_a_receipt_states_what_was_released(ledger, receipt):
    assert receipt.region == Region.where("age < 18", DOMAIN)
    assert receipt.mechanism == {"kind": "laplace", "scale": "10"}
    (claim,) = receipt.claims
    assert (claim.promise, claim.cost.row) == (ledger.terms.promises[0], Pure(epsilon="0.1"))
    assert (receipt.table, receipt.asked, receipt.seq) == ("visits", "question n", 3)
    assert receipt.at == "2026-01-02T03:04:05.000000+00:00"


def test_a_receipt_survives_the_post(receipt):
    again = Receipt.from_json(receipt.to_json())
    assert again == receipt
    again.check()
    again.check(receipt.public_key)


def test_a_free_answer_has_the_receipt_of_the_release_it_repeats(ledger, receipt):
    assert ledger.receipt(ledger.stored(charge("n").question)) == receipt


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("asked", "question m"),
        ("table", "others"),
        ("seq", 4),
        ("answer", "0" * 64),
        ("ledger", "0" * 64),
        ("region", [[[[0, 17]]]]),
        ("mechanism", {}),
        ("signature", "00"),
        ("signature", "no hexadecimal"),
    ],
)
def test_an_altered_receipt_is_refused(receipt, part, value):
    document = receipt.document() | {part: value}
    with pytest.raises(InvalidInput, match="does not fit what it says"):
        Receipt.from_document(document).check()


def test_what_is_forged_is_not_worked_on(receipt, monkeypatch):
    from partita.ledger.receipts import receipts

    monkeypatch.setattr(receipts, "checked_region", lambda *_: pytest.fail("it was worked on"))
    with pytest.raises(InvalidInput, match="does not fit what it says"):
        Receipt.from_document(receipt.document() | {"asked": "another question"})
    with pytest.raises(InvalidInput, match="of at most 4,000,000 characters"):
        Receipt.from_json(" " * 4_000_001)


def test_whoever_signs_boxes_without_end_is_refused_within_the_steps(receipt, monkeypatch):
    from partita.effort import Effort

    made = []
    start = Effort.__init__
    monkeypatch.setattr(
        Effort, "__init__", lambda self, *some, **more: (made.append(self), start(self, *some, **more))[1]
    )
    columns = [
        [f"c{place}", {"kind": "integers", "low": 0, "high": 99, "missing": None, "constant": False}]
        for place in range(12)
    ]
    boxes = [
        [
            [[place * 7 % 50, 50 + place * 5 % 49]] if axis in (place % 12, place * 5 % 12) else None
            for axis in range(12)
        ]
        for place in range(200)
    ]
    document = receipt.document() | {"domain": {"columns": columns}, "region": boxes, "signature": ""}
    with pytest.raises(InvalidInput, match="missing or malformed"):
        Receipt.from_document(document)
    assert [effort.left < 0 for effort in made] == [True]


def test_an_altered_cost_is_refused(receipt):
    text = receipt.to_json().replace('"1/10"', '"1/99"')
    with pytest.raises(InvalidInput, match="does not fit what it says"):
        Receipt.from_json(text).check()


def test_a_receipt_of_another_key_is_refused(receipt):
    forged = replace(receipt, public_key=SigningKey(bytes(32)).public).signed(SigningKey(bytes(32)))
    forged.check()
    with pytest.raises(InvalidInput, match="not with the expected"):
        forged.check(receipt.public_key)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"kind": "partita-receipt"}', '{"kind": "partita-receipt", "version": 1}', "[" * 100_000],
)
def test_what_is_no_receipt_is_refused(text):
    with pytest.raises(InvalidInput, match="not a receipt that can be read"):
        Receipt.from_json(text)


@pytest.mark.parametrize("part", ["region", "domain", "claims", "seq", "at", "mechanism", "public_key"])
@pytest.mark.parametrize("value", [None, 33, "text", [], {}, [[[[5, 3]]]], [[[[0, 1000]]]], True])
def test_a_malformed_part_is_refused_and_never_a_traceback(receipt, part, value):
    document = receipt.document() | {part: value}
    with pytest.raises(InvalidInput, match=r"not a receipt that can be read|does not fit what it says"):
        Receipt.from_document(document).check()


def test_the_key_is_kept_beside_the_ledger_for_its_owner_only(tmp_path):
    path = tmp_path / "visits.ledger"
    with opened(path) as ledger:
        first = ledger.birth.public_key
        assert stat.S_IMODE(os.stat(f"{path}.key").st_mode) == 0o600
    with opened(path) as ledger:
        assert ledger.signer.public == first


def test_a_supplied_key_signs_instead(tmp_path):
    key = SigningKey.fresh(TestBits(9))
    path = tmp_path / "visits.ledger"
    with opened(path, signer=key) as ledger:
        assert ledger.birth.public_key == key.public
    assert not os.path.exists(f"{path}.key")
    with opened(path, signer=key) as ledger:
        answered = ledger.commit(ledger.reserve(charge("n")), b"17")
        ledger.receipt(answered).check(key.public)
    with opened(path) as ledger:
        assert ledger.reserve(charge("n")).content == b"17"
        with pytest.raises(LedgerFault, match="no receipt can be signed"):
            ledger.receipt(answered)


def test_without_its_key_a_ledger_charges_nothing(tmp_path):
    path = tmp_path / "visits.ledger"
    opened(path).close()
    os.unlink(f"{path}.key")
    with opened(path) as ledger:
        with pytest.raises(LedgerFault, match="nothing was charged") as caught:
            ledger.reserve(charge("n"))
        assert caught.value.code == "ledger.no-signing-key"
        assert [entry.kind.value for entry in ledger.entries()] == ["birth"]


def test_what_was_charged_while_the_key_was_there_is_finished_without_it(tmp_path):
    path = tmp_path / "visits.ledger"
    with opened(path) as ledger:
        ledger.reserve(charge("n"))
    os.unlink(f"{path}.key")
    with opened(path) as ledger:
        assert ledger.commit(ledger.reserve(charge("n")), b"17").content == b"17"


def test_an_anchor_that_may_not_be_written_is_told_before_the_charge(tmp_path, monkeypatch):
    path = tmp_path / "visits.ledger"
    with opened(path) as ledger:
        monkeypatch.setattr(os, "access", lambda *_: False)
        with pytest.raises(LedgerFault, match="nothing was charged") as caught:
            ledger.reserve(charge("n"))
        assert caught.value.code == "ledger.anchor-not-writable"
        assert [entry.kind.value for entry in ledger.entries()] == ["birth"]


def test_a_damaged_key_file_is_refused(tmp_path):
    path = tmp_path / "visits.ledger"
    for content in ("", "nonsense", "00"):
        (tmp_path / "visits.ledger.key").write_text(content)
        with pytest.raises(InvalidInput, match="not an Ed25519 key"):
            opened(path)


def test_only_a_committed_answer_has_a_receipt(ledger):
    from partita.ledger.states import Answered

    reservation = ledger.reserve(charge("n"))
    with pytest.raises(InvalidInput, match="holds no reservation"):
        ledger.receipt(Answered(reservation.seq, reservation.seq, b""))


def test_a_receipt_is_signed_over_its_canonical_text(receipt):
    from partita.ledger.canonical import canonical
    from partita.ledger.keys import signed_by

    document = json.loads(receipt.to_json())
    signature = bytes.fromhex(document.pop("signature"))
    assert signed_by(document["public_key"], signature, canonical(document).encode())
