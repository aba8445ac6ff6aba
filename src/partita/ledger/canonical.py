"""One text for one document, so that digests and signatures mean the same everywhere."""

from __future__ import annotations

import hashlib
import json

from partita.errors import ledger as refuse

_PLAIN = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(document: object) -> str:
    """The document as JSON with sorted keys, no spaces and plain ASCII.

    >>> canonical({"b": [1, None], "a": "ρ"})
    '{"a":"\\\\u03c1","b":[1,null]}'
    """
    try:
        return _PLAIN.encode(document)
    except (TypeError, ValueError, RecursionError):
        raise refuse.not_plain(document) from None


def digest(content: bytes | str) -> str:
    """SHA-256 in hexadecimal.

    >>> digest("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
