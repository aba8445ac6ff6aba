"""What Partita says when it refuses: the exception tree, and all wording, one module a layer."""

from partita.errors.base import (
    BadCall,
    BudgetExceeded,
    Caution,
    EngineFault,
    InvalidInput,
    LedgerFault,
    NotProven,
    PartitaError,
    QueryRefused,
)

__all__ = [
    "BudgetExceeded",
    "Caution",
    "EngineFault",
    "BadCall",
    "InvalidInput",
    "LedgerFault",
    "NotProven",
    "PartitaError",
    "QueryRefused",
]
