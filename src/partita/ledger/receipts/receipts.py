"""Receipts: signed, portable certificates of single releases, which others can check and compose with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

from partita.composition.plans.promise import Promise
from partita.effort import bounded
from partita.errors import PartitaError
from partita.errors import ledger as refuse
from partita.errors.wording import shown
from partita.ledger.birth import Birth, promise_document, promise_from
from partita.ledger.book.entries import Entry
from partita.ledger.canonical import canonical
from partita.ledger.declarations import Eras
from partita.ledger.keys import SigningKey, signed_by
from partita.notebook import InWords
from partita.region import Domain, Region
from partita.theory.cost import Cost

KIND = "partita-receipt"
VERSION = 1
# Of the text; that of a region of thousands of boxes is still shorter.
LONGEST = 4_000_000


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """What a release costs under one promise of its ledger, and the promise itself."""

    promise: Promise
    cost: Cost

    def document(self) -> dict[str, object]:
        """The claim as plain data."""
        return {"cost": self.cost.document(), "promise": promise_document(self.promise)}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The claim that was written."""
        return cls(promise_from(document["promise"]), Cost.from_document(document["cost"]))


@final
@dataclass(frozen=True, slots=True)
class Receipt(InWords):
    """A custodian's signed statement about one release (theory E25).

    ``ledger`` names the book by the hash of its first entry, ``seq`` the commit in it, so that the same release is
    never counted twice. The signature covers everything else; whose key it is must be learned some other way.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     receipt = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", rho="0.1").receipt
    >>> receipt.check()  # refuses if a word of it was altered
    >>> print(receipt.region)
    age >= 65
    """

    ledger: str
    seq: int
    question: str
    asked: str
    table: str
    region: Region
    mechanism: Mapping[str, object]
    claims: tuple[Claim, ...]
    answer: str
    at: str
    public_key: str
    signature: str = ""

    def __str__(self) -> str:
        """What was asked, what it cost, and where it stands; the document says everything."""
        costs = "; ".join(f"{claim.cost.row} ({claim.promise.granularity})" for claim in self.claims)
        lines = [self.asked, f"cost {costs}", f"entry {self.seq} of ledger {self.ledger[:16]}…, {self.at[:19]}"]
        return "\n".join(lines)

    def body(self) -> dict[str, object]:
        """Everything that is signed, as plain data."""
        from partita.ledger.charge import region_document

        return {
            "answer": self.answer,
            "asked": self.asked,
            "at": self.at,
            "claims": [claim.document() for claim in self.claims],
            "domain": self.region.domain.describe(),
            "kind": KIND,
            "ledger": self.ledger,
            "mechanism": dict(self.mechanism),
            "public_key": self.public_key,
            "question": self.question,
            "region": region_document(self.region),
            "seq": self.seq,
            "table": self.table,
            "version": VERSION,
        }

    def document(self) -> dict[str, object]:
        """The receipt as plain data."""
        return {**self.body(), "signature": self.signature}

    def to_json(self) -> str:
        """The receipt as text, to be sent and kept."""
        return json.dumps(self.document(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    def __reduce__(self) -> tuple[object, ...]:
        return Receipt.from_document, (self.document(),)

    def signed(self, key: SigningKey) -> Receipt:
        """The receipt with the signature of its ledger's key."""
        from dataclasses import replace

        return replace(self, signature=key.sign(canonical(self.body()).encode()).hex())

    def check(self, public_key: str | None = None) -> None:
        """Refuse a receipt that was altered, or that another key signed than the one expected."""
        if public_key is not None and public_key != self.public_key:
            raise refuse.other_signer(self.public_key, public_key)
        if not signed_by(self.public_key, unhexed(self.signature), canonical(self.body()).encode()):
            raise refuse.bad_signature(self.seq)

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """The receipt in a text; whether its key is the right one is not yet checked."""
        if not isinstance(text, str) or len(text) > LONGEST:
            raise refuse.not_a_receipt(f"it is no text of at most {LONGEST:,} characters")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise refuse.not_a_receipt("it is no JSON") from None
        return cls.from_document(document)

    @classmethod
    def from_document(cls, document: object) -> Receipt:
        """The receipt that was written; whether its key is the right one is not yet checked.

        Nothing in it is worked on before its size and its signature are right, and then within bounded steps: whoever
        made a key can sign anything. One that was never signed, as it is before its ledger signs it, is read too.
        """
        if not isinstance(document, dict) or document.get("kind") != KIND:
            raise refuse.not_a_receipt(f"its kind is not {KIND!r}")
        if document.get("version") != VERSION:
            raise refuse.not_a_receipt(f"its version is {shown(document.get('version'))}, and {VERSION} is understood")
        if document.get("signature") != "":
            check_signature(document)
        try:
            with bounded():
                return cls._read(document)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PartitaError):
            raise refuse.not_a_receipt("a part of it is missing or malformed") from None

    @classmethod
    def _read(cls, document: Mapping[str, Any]) -> Receipt:
        region = checked_region(document["region"], Domain.described(document["domain"]))
        texts = {
            name: _text(document[name])
            for name in ("ledger", "question", "asked", "table", "answer", "at", "public_key", "signature")
        }
        if isinstance(document["seq"], bool) or not isinstance(document["seq"], int):
            raise TypeError
        return cls(
            seq=document["seq"],
            region=region,
            mechanism=dict(document["mechanism"]),
            claims=tuple(Claim.from_document(claim) for claim in document["claims"]),
            **texts,
        )


def check_signature(document: Mapping[str, Any]) -> None:
    """Refuse a document that is too long, or that its own key did not sign as it stands."""
    try:
        body = canonical({name: value for name, value in document.items() if name != "signature"})
        seq, key, signature = document["seq"], _text(document["public_key"]), _text(document["signature"])
    except (LookupError, TypeError, PartitaError):
        raise refuse.not_a_receipt("a part of it is missing or malformed") from None
    if len(body) > LONGEST or type(seq) is not int or seq.bit_length() > 63:
        raise refuse.not_a_receipt("a part of it is missing or malformed")
    if not signed_by(key, unhexed(signature), body.encode()):
        raise refuse.bad_signature(seq)


def unhexed(text: str) -> bytes:
    """The bytes of a signature; none where it is no hexadecimal text."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def receipt_of(
    birth: Birth, ledger: str, reserve: Entry, commit: Entry, eras: Eras, promises: Sequence[Promise]
) -> Receipt:
    """The unsigned receipt of a committed charge, under the declaration of then."""
    assert reserve.charge is not None
    assert reserve.question is not None
    priced = eras.read(reserve.charge, reserve.seq)
    details, closing = reserve.details(), commit.details()
    mechanism = details["mechanism"]
    assert isinstance(mechanism, dict)
    return Receipt(
        ledger=ledger,
        seq=commit.seq,
        question=reserve.question,
        asked=str(details["asked"]),
        table=priced.table,
        region=priced.region,
        mechanism=mechanism,
        claims=tuple(Claim(*pair) for pair in zip(promises, priced.costs, strict=True)),
        answer=str(closing["answered"]),
        at=str(closing["at"]),
        public_key=birth.public_key,
    )


def checked_region(document: Any, domain: Domain) -> Region:
    """A region from outside: its boxes must lie in the domain, and are made disjoint."""
    boxes = []
    for box in document:
        axes = []
        for codes, size, whole in zip(box, domain.shape, domain.everything, strict=True):
            if codes is None:
                axes.append(whole)
                continue
            pairs = tuple((low, high) for low, high in codes)
            ends = [end for pair in pairs for end in pair]
            if not all(type(end) is int for end in ends) or ends != sorted(set(ends)) or ends[0] < 0 or ends[-1] > size:
                raise ValueError
            axes.append(pairs)
        boxes.append(tuple(axes))
    return Region.of(domain, boxes)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
