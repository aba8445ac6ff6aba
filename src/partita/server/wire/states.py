"""The SQLSTATE of every refusal: fixed for its code or its kind, and never a matter of what rows hold."""

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

BY_KIND: Final[Mapping[type[PartitaError], str]] = {
    InvalidInput: "22023",
    BadCall: "22023",
    BudgetExceeded: "53400",
    AccessRefused: "42501",
    QueryRefused: "0A000",
    NotProven: "0A000",
    EngineFault: "58000",
    ServiceFault: "58000",
    LedgerFault: "58030",
}
BY_CODE: Final[Mapping[str, str]] = {
    "query.unreadable": "42601",
    "query.unknown-table": "42P01",
    "query.unknown-column": "42703",
    "server.too-many": "53300",
    "wire.bad-exchange": "28000",
    "wire.bad-value": "22P02",
    "wire.cancelled": "57014",
    "wire.catalogue": "42601",
    "wire.malformed": "08P01",
    "wire.no-bar": "42703",
    "wire.name-taken": "42P05",
    "wire.needs-tls": "28000",
    "wire.not-let-in": "28P01",
    "wire.not-utf8": "22021",
    "wire.out-of-order": "08P01",
    "wire.parameters-missing": "08P01",
    "wire.several-prepared": "42601",
    "wire.too-long": "08P01",
    "wire.too-many-held": "54000",
    "wire.too-many-statements": "54000",
    "wire.too-slow": "08006",
    "wire.transaction-failed": "25P02",
    "wire.unknown-name": "26000",
    "wire.unknown-option": "42704",
    "wire.unknown-relation": "42P01",
    "wire.unterminated": "42601",
}
"""The codes that have a state of their own."""


def state_of(refusal: PartitaError) -> str:
    """The state with which a refusal is answered.

    >>> from partita.errors import wire
    >>> state_of(wire.cancelled()), state_of(wire.no_price())
    ('57014', '22023')
    """
    return BY_CODE.get(refusal.code) or BY_KIND[type(refusal)]
