"""Sets of record values: public column domains, predicates, and finite unions of boxes over them."""

from partita.region.columns import (
    booleans,
    categories,
    dates,
    decimals,
    identifier,
    integers,
    key,
    text_keys,
    timestamps,
)
from partita.region.domain import Domain
from partita.region.region import Region

__all__ = [
    "Domain",
    "Region",
    "booleans",
    "categories",
    "dates",
    "decimals",
    "identifier",
    "integers",
    "key",
    "text_keys",
    "timestamps",
]
