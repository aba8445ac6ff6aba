"""The exception tree.

    PartitaError
    ├── InvalidInput      a value of the caller's cannot be used (also a ValueError)
    ├── BadCall           a call does not fit its arguments (also a TypeError)
    ├── NotProven         no theorem gives what was asked
    ├── BudgetExceeded    a filter, an account or a ledger refuses; nothing was read or charged
    ├── QueryRefused      a question outside the language that is answered
    ├── LedgerFault       the ledger cannot be used: corrupt, rolled back, full, locked
    └── EngineFault       the engine failed; always the same words, whatever the data

    Caution               a warning for the custodian: nothing is refused

Every error carries a stable code (``layer.words``) and a message that says what failed with the caller's own
values, what it means for the budget and the data, and what to do next. No message holds a protected value.
"""

from __future__ import annotations

from typing import final


class PartitaError(Exception):
    """Anything Partita refuses or cannot do, with a stable code.

    >>> InvalidInput("number.negative", "epsilon = -1 is negative.").code
    'number.negative'
    """

    code: str
    message: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[PartitaError], tuple[str, str]]:
        return type(self), (self.code, self.message)


@final
class InvalidInput(PartitaError, ValueError):
    """A value of the caller's cannot be used."""


@final
class BadCall(PartitaError, TypeError):
    """A call does not fit: an argument too many, one too few, or one of another name."""


@final
class NotProven(PartitaError):
    """No theorem gives what was asked, so no number is given."""


@final
class BudgetExceeded(PartitaError):
    """The budget cannot pay for this; nothing was read and nothing was charged."""


@final
class QueryRefused(PartitaError):
    """A question outside the language that is answered."""


@final
class LedgerFault(PartitaError):
    """The ledger cannot be used as it is."""


@final
class EngineFault(PartitaError):
    """The engine failed; the words never depend on the data."""


@final
class Caution(UserWarning):
    """Something that the custodian should know; nothing is refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
