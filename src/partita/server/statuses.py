"""The status of every refusal: fixed for its code, and never a matter of what rows hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from partita.errors import (
    AccessRefused,
    BadCall,
    BudgetExceeded,
    EngineFault,
    InvalidInput,
    LedgerFault,
    NotProven,
    PartitaError,
    QueryRefused,
    ServiceFault,
)

BY_KIND: Final[Mapping[type[PartitaError], int]] = {
    InvalidInput: 400,
    BadCall: 400,
    BudgetExceeded: 402,
    AccessRefused: 403,
    QueryRefused: 422,
    NotProven: 422,
    EngineFault: 500,
    ServiceFault: 503,
    LedgerFault: 503,
}
"""What a kind of refusal is answered with, unless its code says otherwise."""

BY_CODE: Final[Mapping[str, int]] = {
    "ledger.account-exists": 409,
    "ledger.key-reused": 409,
    "ledger.abandoned": 409,
    "ledger.unknown-reservation": 404,
    "ledger.no-account": 404,
    "server.bad-host": 421,
    "server.fault": 500,
    "server.no-answer": 404,
    "server.not-found": 404,
    "server.not-remade": 409,
    "server.not-signed-in": 401,
    "server.other-role": 409,
    "server.too-large": 413,
    "server.too-many": 429,
    "server.too-slow": 408,
    "server.unknown-plan": 404,
    "server.unknown-request": 404,
    "server.unknown-token": 404,
    "server.waiting": 202,
    "server.wrong-method": 405,
    "server.wrong-type": 415,
}
"""The codes that have a status of their own."""


def status_of(refusal: PartitaError) -> int:
    """The status with which a refusal is answered.

    >>> from partita.errors import server
    >>> status_of(server.not_signed_in()), status_of(server.overloaded())
    (401, 503)
    """
    return BY_CODE.get(refusal.code) or BY_KIND[type(refusal)]
