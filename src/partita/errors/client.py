"""What the client says when a server cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput, ServiceFault
from partita.errors.wording import shown


def no_httpx() -> InvalidInput:
    """The extra is not installed."""
    return InvalidInput("client.not-installed", "Connecting needs httpx. Install the extra partita[client].")


def bad_address(url: object) -> InvalidInput:
    """An address that no server can have."""
    return InvalidInput(
        "client.bad-address", f"{shown(url)} is no address of a server. Give one such as https://partita.example.org."
    )


def in_the_clear(url: str) -> InvalidInput:
    """The token would travel in the clear."""
    return InvalidInput(
        "client.in-the-clear",
        f"{shown(url)} would carry the token in the clear. Use https, or http on this machine alone.",
    )


def bad_token(token: object) -> InvalidInput:
    """A token that no server has given out."""
    kind = "empty" if token == "" else "not the text that `partita token new` printed"
    return InvalidInput("client.bad-token", f"The token is {kind}. Give it as it was shown.")


def unreachable(url: str, reason: str) -> ServiceFault:
    """No answer came."""
    return ServiceFault(
        "client.unreachable",
        f"The server {url} gave no answer: {reason}. A question that reached it runs to its end, and is charged once: "
        f"ask again with the same key.",
    )


def not_understood(url: str, status: int) -> ServiceFault:
    """Something else than a server of ours answered."""
    return ServiceFault("client.not-understood", f"What answers at {url} is no Partita server (status {status}).")


def no_bars(confidence: object, known: Sequence[str]) -> InvalidInput:
    """The answer came with bars of other confidences."""
    return InvalidInput(
        "client.no-bars",
        f"The answer came with bars of {', '.join(known)}, not of {shown(confidence)}. Ask again, free: "
        f"ask(..., bars=[{shown(str(confidence))}]).",
    )


def not_remote(what: str) -> InvalidInput:
    """Something that only works where the curator is."""
    return InvalidInput("client.not-remote", f"A server takes questions as SQL text, not {what}. Give plan.sql().")
