"""What is said to a language model that may not spend what it wants to spend."""

from __future__ import annotations

from partita.errors.base import BudgetExceeded, InvalidInput
from partita.errors.wording import UNTOUCHED


def above_ceiling(cost: str, ceiling: str) -> BudgetExceeded:
    """A call that costs more than one call of this account may."""
    return BudgetExceeded(
        "models.above-ceiling",
        f"This costs {cost}, and one call of this account may cost {ceiling}. {UNTOUCHED} Ask for a longer error bar, "
        f"or at a lower price.",
    )


def nobody_to_ask() -> BudgetExceeded:
    """A price that a person has to agree to, and a client that cannot ask one."""
    return BudgetExceeded(
        "models.nobody-to-ask",
        f"A person has to agree to this price, and the client cannot ask one. {UNTOUCHED} Ask for a longer error bar, "
        f"or at a lower price.",
    )


def declined() -> BudgetExceeded:
    """A price that a person did not agree to."""
    return BudgetExceeded("models.declined", f"The person did not agree to this price. {UNTOUCHED}")


def not_installed() -> InvalidInput:
    """The package for the protocol is missing."""
    return InvalidInput("models.not-installed", "Language models are served by MCP. Install the extra partita[mcp].")


def not_a_loss(option: str, given: str) -> InvalidInput:
    """A limit on the command line that is no loss."""
    return InvalidInput("models.not-a-loss", f"{option} {given!r} is no loss. Write for example {option} rho=0.01.")
