"""What becomes of a charge, as the caller sees it: a reservation to fulfil, or an answer that may leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Reservation:
    """A durable charge whose answer is still owed: now, and only now, may protected data be read.

    ``resumed`` says that an earlier attempt made the charge and did not finish. Running again with fresh noise is
    sound: an answer leaves only after its commit, a reservation is committed at most once, so at most one of the
    runs is ever seen.
    """

    seq: int
    hash: bytes
    question: str
    resumed: bool = False


@final
@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is in the book and may leave, now and again, at no further charge.

    ``seq`` is the place of the commit, ``reserve`` of the charge. ``fresh`` says that it was committed just now by this
    caller; otherwise it is the answer stored earlier, whatever the caller may have computed meanwhile.
    """

    seq: int
    reserve: int
    content: bytes
    fresh: bool = False
