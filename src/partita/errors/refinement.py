"""Why a changed declaration does not refine the old one, in words for the refusal and for ``partita migrate``."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.wording import some


def other_kind(old: str, new: str) -> str:
    """A column of another kind."""
    return f"{old} became {new}: a stored value is read in another way"


def unproven(kind: str) -> str:
    """A kind of column whose changes nobody has looked at."""
    return f"of {kind} nothing is proven but that they stay as they are"


def other_constant() -> str:
    """The claim that a column is constant for each owner was changed."""
    return "whether it is constant for each owner is another claim about the data"


def narrower(low: object, high: object) -> str:
    """Bounds that are not as wide as before."""
    return f"values up to the old bounds ({low} and {high}) were told apart, and no longer are: bounds can only widen"


def other_step(old: object, new: object) -> str:
    """Another grid; nearest rounding is not nested (theory I12)."""
    return (
        f"the step was {old} and is {new}: a number goes to the nearest step, so that two numbers with one new value "
        f"may have had two old ones"
    )


def fewer_names(names: Sequence[str]) -> str:
    """Names that are no longer listed."""
    return f"{some(names)} would become one with everything that is not listed: names can only be added"


def listed_other(other: str) -> str:
    """What unlisted names become was a category of its own, or is one now."""
    return f"unlisted values now become {other!r}, which they were told apart from"


def stand_in(old: object, new: object) -> str:
    """Missing values stand for another value."""
    if old is None:
        return f"missing values were told apart, and would now count as {new!r}"
    return f"missing values counted as {old!r}, and would now count as {new!r}"


def column_gone() -> str:
    """A column that is no longer declared."""
    return "charges may be about this column, so it has to stay declared (a new spelling is a new column)"


def table_gone() -> str:
    """A table that is no longer declared."""
    return "the ledger keeps charges about this table, so it has to stay declared"


def promise_changed() -> str:
    """A promise is made once."""
    return "a promise is made once, before the first charge, and so are its unit, its caps and its budget"


def order_of_rows(unit: str) -> str:
    """The rows of an owner that are kept were chosen by all declared columns (theory E14, I12)."""
    return (
        f"[{unit}] keeps the same rows of an owner for the ledger's life, chosen by an order over the declared "
        f"columns: with other columns, other rows would be kept"
    )


def named_by_promise(unit: str) -> str:
    """The column that a promise itself speaks of."""
    return f"[{unit}] is about this column, so another declaration of it is another promise"


def pairs_over(unit: str) -> str:
    """Under change-one, what was one value may now be a pair, and the account has no room for it."""
    return (
        f"[{unit}] counts pairs of values: two new values that were one are booked as a pair, and there is no room "
        f"left for that in the budget"
    )
