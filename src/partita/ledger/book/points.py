"""The named points between a question and its answer at which a test may pull the plug."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum, unique


@unique
class Point(StrEnum):
    """Where the path of one question may be cut, in the order in which they are passed."""

    RESERVE_LOCKED = "reserve-locked"  # the ledger is ours, nothing is written
    RESERVE_WRITTEN = "reserve-written"  # the charge is written, not yet durable
    RESERVED = "reserved"  # the charge is durable, nothing was read
    READ = "read"  # protected data was read; passed by the curator
    NOISED = "noised"  # the noisy answer exists in memory; passed by the curator
    COMMIT_LOCKED = "commit-locked"  # the ledger is ours, the answer is not written
    COMMIT_WRITTEN = "commit-written"  # the answer is written, not yet durable
    COMMITTED = "committed"  # the answer is in the book, the anchor is behind; a power cut may still take it
    ANCHORED = "anchored"  # the anchor is durable, the answer has not left


Faults = Callable[[Point], None]


def none(point: Point) -> None:
    """Nothing happens at any point: how every ledger runs outside the tests."""
