"""What conditions are refused with that compare with NULL, in words."""

from __future__ import annotations

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


def compared_with_null(what: str) -> QueryRefused:
    """A condition that no row meets, because it compares something with NULL."""
    return QueryRefused(
        "query.compared-with-null",
        f"No row meets {what}: in SQL a comparison with NULL is never true, and the answer would be noise alone. Write "
        f"IS NULL or IS NOT NULL. {UNTOUCHED}",
    )
