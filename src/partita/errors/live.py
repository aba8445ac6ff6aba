"""What is said when something alive is used by a process that did not make it."""

from __future__ import annotations

from partita.errors.base import InvalidInput


def forked(what: str, instead: str) -> InvalidInput:
    """A forked process uses something of its parent's that counts or keeps private state."""
    return InvalidInput(
        "live.forked",
        f"{what} belongs to the process that made it, which goes on with it: used in a forked one too, it would be "
        f"spent twice. No data was read and nothing was charged. {instead}",
    )
