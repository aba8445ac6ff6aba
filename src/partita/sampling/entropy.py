"""The one module that asks the operating system for randomness."""

from __future__ import annotations

import os
from typing import final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from partita.sampling.bits import BitSource, Words

# Below this many words the system call is as cheap as setting up a cipher.
_DIRECT = 256
_CHUNK = 1 << 16  # bytes of key stream made at a time
_PER_KEY = 1 << 30  # bytes of key stream from one key
_ZEROS = bytes(_CHUNK)


@final
class SystemBits(BitSource):
    """Bits of the operating system, stretched by AES-256 in counter mode where many are asked for at once.

    Every call asks the system anew: a few words are the system's own bytes, more are the key stream of a key made for
    this call alone. Nothing is kept between calls, so there is no state that a fork, a thread or a restored
    snapshot of the machine could repeat.

    >>> system().words(2).dtype
    dtype('uint64')
    """

    __slots__ = ()

    def words(self, count: int) -> Words:
        """Fresh words that nobody has seen or will see again."""
        if count <= _DIRECT:
            return np.frombuffer(os.urandom(8 * count), dtype=np.uint64).copy()
        found = np.empty(count, dtype=np.uint64)
        raw = found.data.cast("B")
        for start in range(0, len(raw), _PER_KEY):
            _fill(raw[start : start + _PER_KEY])
        return found


def _fill(target: memoryview) -> None:
    # A key is used once, so the counter may start at zero.
    stream = Cipher(algorithms.AES256(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
    for start in range(0, len(target), _CHUNK):
        part = target[start : start + _CHUNK]
        stream.update_into(_ZEROS[: len(part)], part)


_SYSTEM = SystemBits()


def system() -> SystemBits:
    """The source of every real release: safe to share between threads and across forks.

    >>> system() is system()
    True
    """
    return _SYSTEM
