"""Signing in by SCRAM-SHA-256: the token is the password, and it does not travel."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, final

from partita.errors import wire as refuse
from partita.ledger.keys import random_bytes
from partita.sampling import entropy
from partita.server.accounts.scram import ROUNDS, salt
from partita.server.wire.messages import Fields, decoded

NAME: Final = "SCRAM-SHA-256"
OFFER: Final = NAME.encode() + b"\0\0"
_FIRST: Final = re.compile(
    r"(?P<head>(?P<flag>[ny]|p=[^,]*),(?:a=[^,]*)?,)(?P<bare>n=[^,]*,r=(?P<nonce>[!-+\--~]{1,200}))"
)
_LAST: Final = re.compile(
    r"(?P<bare>c=(?P<head>[A-Za-z0-9+/=]{1,200}),r=(?P<nonce>[!-+\--~]{1,400})),p=(?P<proof>[A-Za-z0-9+/=]{1,100})"
)


@final
class Exchange:
    """The two messages of a client, and what each is answered with; the user's name is that of the connection."""

    def __init__(self, account: str) -> None:
        self._account = account
        self._said = b""
        self._head, self._nonce = "", ""

    def challenge(self, body: bytes) -> bytes:
        """What the first message is answered with: salt and rounds, which follow from the name alone."""
        fields = Fields(body)
        if fields.text() != NAME:
            raise refuse.bad_exchange(f"only {NAME} is offered")
        told = fields.value()
        fields.end()
        found = _FIRST.fullmatch(decoded(told or b""))
        if found is None:
            raise refuse.bad_exchange("the first message is malformed")
        if found["flag"].startswith("p"):
            raise refuse.bad_exchange("the channel cannot be bound: only the name without PLUS was offered")
        mine = base64.b64encode(random_bytes(entropy.system())[:18]).decode()
        self._head, self._nonce = found["head"], found["nonce"] + mine
        answer = f"r={self._nonce},s={base64.b64encode(salt(self._account)).decode()},i={ROUNDS}"
        self._said = f"{found['bare']},{answer}".encode()
        return answer.encode()

    def proof(self, body: bytes) -> tuple[bytes, bytes]:
        """What was said, and the proof that the client gives for it."""
        found = _LAST.fullmatch(decoded(body))
        if found is None:
            raise refuse.bad_exchange("the last message is malformed")
        try:
            head = base64.b64decode(found["head"], validate=True)
            proof = base64.b64decode(found["proof"], validate=True)
        except binascii.Error:
            raise refuse.bad_exchange("the last message is malformed") from None
        if head != self._head.encode() or found["nonce"] != self._nonce:
            raise refuse.bad_exchange("the last message does not follow from the first")
        return self._said + b"," + found["bare"].encode(), proof
