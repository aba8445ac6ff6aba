"""The ledger's own keys: one that signs receipts, one that fixes which rows of a user are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from partita.errors import ledger as refuse
from partita.sampling.bits import BitSource

_SIZE = 32


@final
class SigningKey:
    """An Ed25519 key; its public half is written in the ledger's first entry.

    >>> key = SigningKey(bytes(32))
    >>> signed_by(key.public, key.sign(b"hello"), b"hello")
    True
    """

    __slots__ = ("_private", "public")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != _SIZE:
            raise refuse.bad_signing_key("the key")
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        return self._private.sign(message)

    @classmethod
    def fresh(cls, bits: BitSource) -> SigningKey:
        """A new key."""
        return cls(random_bytes(bits))

    @classmethod
    def kept(cls, path: str, bits: BitSource) -> SigningKey:
        """The key in a file that only its owner may read; a new one if there is none."""
        try:
            if not os.path.exists(path):
                _write_new(path, random_bytes(bits).hex() + "\n")
            return cls.read(path)
        except OSError as error:
            raise refuse.key_file_failed(path, error.strerror or "the system refuses") from None

    @classmethod
    def read(cls, path: str) -> SigningKey:
        """The key in a file."""
        try:
            return cls(bytes.fromhex(Path(path).read_text(encoding="ascii").strip()))
        except ValueError:
            raise refuse.bad_signing_key(path) from None


def signed_by(public: str, signature: bytes, message: bytes) -> bool:
    """Whether a message carries the signature of a key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def random_bytes(bits: BitSource) -> bytes:
    """A fresh secret."""
    return bits.words(_SIZE // 8).tobytes()


def _write_new(path: str, text: str) -> None:
    """A whole file or none; of two writers the first wins."""
    made = f"{path}.{os.getpid()}.new"
    file = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(file, text.encode())
        os.fsync(file)
    finally:
        os.close(file)
    try:
        os.link(made, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(made)
