"""The exception tree.

    PartitaError
    ├── InvalidInput      a value of the caller's cannot be used (also a ValueError)
    ├── BadCall           a call does not fit its arguments (also a TypeError)
    ├── NotProven         no theorem gives what was asked
    ├── BudgetExceeded    a filter, an account or a ledger refuses; nothing was read or charged
    ├── QueryRefused      a question outside the language that is answered
    ├── LedgerFault       the ledger cannot be used: corrupt, rolled back, full, locked
    ├── EngineFault       the engine failed; always the same words, whatever the data
    ├── AccessRefused     a server does not let this caller do this
    └── ServiceFault      a server cannot be reached, or cannot answer now

    Caution               a warning for the custodian: nothing is refused

Every error carries a stable code (``layer.words``) and a message that says what failed with the caller's own
values, what it means for the budget and the data, and what to do next. No message holds a protected value.
"""

from __future__ import annotations

from typing import Self, final


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

    def also(self, said: str) -> Self:
        """The same refusal with a further sentence at its end."""
        return type(self)(self.code, f"{self.message} {said}") if said else self

    def __reduce__(self) -> tuple[type[PartitaError], tuple[str, str]]:
        return type(self), (self.code, self.message)


@final
class InvalidInput(PartitaError, ValueError):
    """A value of the caller's cannot be used.

    >>> import partita as pt
    >>> try:
    ...     pt.Laplace(epsilon="-1")
    ... except InvalidInput as refusal:
    ...     print(refusal.code, "|", refusal)
    number.not-positive | epsilon = '-1' must be more than zero. Give a positive number.
    """


@final
class BadCall(PartitaError, TypeError):
    """A call does not fit: an argument too many, one too few, or one of another name."""


@final
class NotProven(PartitaError):
    """No theorem gives what was asked, so no number is given.

    >>> import partita as pt
    >>> try:
    ...     pt.convert(pt.ZCDP(rho="0.5"), to=pt.Pure)
    ... except NotProven as refusal:
    ...     print(refusal.code, "|", refusal)
    theory.no-conversion | ρ does not give ε: its privacy loss may be unbounded, so no ε holds on every output.
    """


@final
class BudgetExceeded(PartitaError):
    """The budget cannot pay for this; nothing was read and nothing was charged.

    >>> import partita as pt
    >>> budget = pt.Filter(pt.ZCDP(rho="0.5"))
    >>> try:
    ...     budget.admit(pt.ZCDP(rho="0.6"))
    ... except BudgetExceeded as refusal:
    ...     print(refusal.code, "|", refusal)
    composition.filter-refuses | The budget of ρ = 0.5 cannot pay ρ = 0.6: ρ = 0 is spent, and at most ρ = 0.5 would
    fit. Nothing was run and nothing was charged; smaller questions are still answered.
    """


@final
class QueryRefused(PartitaError):
    """A question outside the language that is answered.

    >>> import partita as pt
    >>> visits = pt.Table("visits", [], {"age": pt.integers(0, 120, missing=0)})
    >>> try:
    ...     with pt.Curator(
    ...         tables=[visits], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=":memory:"
    ...     ) as curator:
    ...         curator.ask("SELECT age FROM visits", epsilon="0.1")
    ... except QueryRefused as refusal:
    ...     print(refusal.code)
    query.rows-themselves
    """


@final
class LedgerFault(PartitaError):
    """The ledger cannot be used as it is.

    >>> import partita as pt
    >>> try:
    ...     pt.check_export(["not an entry"])
    ... except LedgerFault as refusal:
    ...     print(refusal.code, "|", refusal)
    ledger.broken-chain | Entry 1 of the ledger export does not follow from the entry before it: something was
    altered, removed or inserted. ...
    """


@final
class EngineFault(PartitaError):
    """The engine failed; the words never depend on the data.

    >>> from partita.errors import engine
    >>> print(engine.fault())
    The question could not be computed. It stays charged, because rows may have been read; asking again costs nothing
    more with the same key. The operator's log says what happened.
    """


@final
class AccessRefused(PartitaError):
    """A server does not let this caller do this; nothing was read and nothing was charged.

    >>> from partita.errors import server
    >>> print(server.not_signed_in())
    There is no valid token. Give one that was not revoked and has not expired. Nothing was read and nothing was
    charged.
    """


@final
class ServiceFault(PartitaError):
    """A server cannot be reached, or cannot answer now.

    >>> from partita.errors import client
    >>> client.unreachable("http://127.0.0.1:1", "connection refused").code
    'client.unreachable'
    """


@final
class Caution(UserWarning):
    """Something that the custodian should know; nothing is refused.

    >>> import warnings
    >>> import partita as pt
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     table = pt.Table("visits", [], {"age": pt.integers(0, 120, missing=0)}, people=1000)
    ...     promises = [pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="0.01"))]
    ...     pt.Curator(tables=[table], promises=promises, ledger=":memory:").close()
    >>> print(told[0].category.__name__, told[0].message.code)
    Caution curator.large-delta
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
