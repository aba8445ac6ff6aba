"""Encryption of sealed files with a key that the custodian keeps: AES-256 in Galois/counter mode, chunk by chunk."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import BinaryIO, Final, final

from partita.errors import vault as refuse
from partita.sampling.entropy import system

MARK: Final = b"PARTITA1"
_SALT: Final = 16
_HEAD: Final = len(MARK) + 2 * _SALT
_CHUNK: Final = 1 << 22
_TAG: Final = 16


@final
class Cipher:
    """Files that only those read who have the key, and that nobody can alter, cut, lengthen or exchange unnoticed.

    Every file has a key of its own, made from the custodian's, the file's name and a random salt. Its chunks are
    numbered and the last one is marked, so that they cannot be put into another order or left out. The head says
    whether the custodian's key is the right one, and nothing about it.
    """

    def __init__(self, key: bytes | str) -> None:
        self._key = _read(key)

    def write(self, file: BinaryIO, name: str, fill: Callable[[BinaryIO], None]) -> None:
        """What ``fill`` writes, encrypted; never in the clear on the disk."""
        salt = system().words(2).tobytes()
        file.write(MARK + salt + self._told(salt, "key")[:_SALT])
        sink = _Sink(file, self._told(salt, f"file {name}"))
        fill(sink)  # type: ignore[arg-type]
        sink.end()

    def read(self, content: bytes, path: str, name: str) -> bytes:
        """What a file holds, if this key has written it and nobody has altered it."""
        if not content.startswith(MARK):
            raise refuse.not_encrypted(path)
        salt, told = content[len(MARK) : len(MARK) + _SALT], content[len(MARK) + _SALT : _HEAD]
        if not hmac.compare_digest(told, self._told(salt, "key")[:_SALT]):
            raise refuse.wrong_key(path)
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        cipher, found, start, number = AESGCM(self._told(salt, f"file {name}")), [], _HEAD, 0
        while start < len(content) or not number:
            end = min(start + _CHUNK + _TAG, len(content))
            try:
                found.append(cipher.decrypt(_nonce(number, last=end == len(content)), content[start:end], None))
            except (InvalidTag, ValueError):
                raise refuse.changed(path) from None
            start, number = end, number + 1
        return b"".join(found)

    def _told(self, salt: bytes, word: str) -> bytes:
        return hmac.new(self._key, salt + word.encode(), hashlib.sha256).digest()


@final
class _Sink:
    """A file to write to, whose chunks are encrypted one by one."""

    closed = False

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._file, self._cipher, self._waiting, self._number, self._at = file, AESGCM(key), bytearray(), 0, 0

    def write(self, content: bytes) -> int:
        """More of the content."""
        self._waiting += content
        self._at += len(content)
        while len(self._waiting) > _CHUNK:
            self._put(bytes(self._waiting[:_CHUNK]), last=False)
            del self._waiting[:_CHUNK]
        return len(content)

    def tell(self) -> int:
        """How much of the content was written."""
        return self._at

    def flush(self) -> None:
        """Nothing waits that may be written yet."""

    def close(self) -> None:
        """The file is closed by who opened it."""

    def end(self) -> None:
        """The last chunk, which says so; there is always one."""
        self._put(bytes(self._waiting), last=True)

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, None))
        self._number += 1


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _read(key: object) -> bytes:
    """A key of 32 bytes, or the 64 hexadecimal digits of one."""
    if isinstance(key, str):
        try:
            key = bytes.fromhex(key.strip())
        except ValueError:
            key = None
    if not isinstance(key, bytes) or len(key) != 32:
        raise refuse.bad_key()
    return key
