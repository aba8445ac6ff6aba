"""Tokens: 256 random bits that are shown once; the ledger keeps their digest alone."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from partita.ledger.keys import random_bytes
from partita.sampling import entropy
from partita.sampling.bits import BitSource

PREFIX: Final = "partita-"
LONGEST: Final = 200
_NUMBER: Final = 12


def fresh(bits: BitSource | None = None) -> str:
    """A new token; nobody can guess it, and only its digest is kept.

    >>> len(fresh()) - len(PREFIX)
    43
    """
    secret = random_bytes(entropy.system() if bits is None else bits)
    return PREFIX + base64.urlsafe_b64encode(secret).decode().rstrip("=")


def digest(token: str) -> str:
    """What is kept of a token.

    >>> digest("partita-x")[:8]
    '2778af2f'
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def number(found: str) -> str:
    """The short name of a token, which tells nothing of it."""
    return found[:_NUMBER]
