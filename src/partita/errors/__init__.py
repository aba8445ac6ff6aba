"""What Partita says when it refuses: the exception tree, and all wording, one module a layer."""

from partita.errors.base import (
    AccessRefused,
    BadCall,
    BudgetExceeded,
    Caution,
    EngineFault,
    InvalidInput,
    LedgerFault,
    NotProven,
    PartitaError,
    QueryRefused,
    ServiceFault,
)

__all__ = [
    "AccessRefused",
    "BudgetExceeded",
    "Caution",
    "EngineFault",
    "BadCall",
    "InvalidInput",
    "LedgerFault",
    "NotProven",
    "PartitaError",
    "QueryRefused",
    "ServiceFault",
]
