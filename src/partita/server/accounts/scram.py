"""SCRAM-SHA-256 (RFC 5802, RFC 7677): a token is proven without being sent, and what is kept of it is no token."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final, Self, final

ROUNDS: Final = 4096
"""What clients expect at least; a token has 256 random bits, so that more would add nothing."""
_SIZE: Final = 32


@final
@dataclass(frozen=True, slots=True)
class Verifier:
    """What is kept of a token, so that a proof of it can be checked.

    >>> made = Verifier.of("ada", "partita-x")
    >>> Verifier.read(made.text()) == made, Verifier.read("no verifier")
    (True, None)
    """

    stored: bytes
    server: bytes

    @classmethod
    def of(cls, account: str, token: str) -> Self:
        """The verifier of a token."""
        salted = hashlib.pbkdf2_hmac("sha256", token.encode(), salt(account), ROUNDS)
        client = _keyed(salted, b"Client Key")
        return cls(hashlib.sha256(client).digest(), _keyed(salted, b"Server Key"))

    def text(self) -> str:
        """The verifier as it is written down."""
        return f"{self.stored.hex()}:{self.server.hex()}"

    @classmethod
    def read(cls, text: object) -> Self | None:
        """A verifier that was written down; None for anything else."""
        parts = str(text).split(":")
        try:
            found = [bytes.fromhex(part) for part in parts]
        except ValueError:
            return None
        return cls(*found) if [len(one) for one in found] == [_SIZE, _SIZE] else None

    def proves(self, said: bytes, proof: bytes) -> bool:
        """Whether whoever sent this proof, for what was said so far, has the token."""
        signature = _keyed(self.stored, said)
        client = bytes(one ^ other for one, other in zip(signature, proof.ljust(_SIZE, b"\0")[:_SIZE], strict=True))
        return hmac.compare_digest(hashlib.sha256(client).digest(), self.stored) and len(proof) == _SIZE

    def signature(self, said: bytes) -> bytes:
        """What shows the client that the server knows the verifier."""
        return _keyed(self.server, said)


def salt(account: str) -> bytes:
    """The salt of an account: the same for all its tokens, and one for every name that could be asked with.

    It follows from the name alone, so that it does not tell whether there is such an account. A token needs no other:
    nobody has a table of 256 random bits.
    """
    return hashlib.sha256(b"partita scram " + account.encode("utf-8", "surrogatepass")).digest()[:16]


NOBODY: Final = Verifier(bytes(_SIZE), bytes(_SIZE))
"""What proofs are checked with where there is no verifier; nobody knows what it is of."""


def _keyed(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")
