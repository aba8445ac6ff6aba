"""What is said of a declaration that changed: why it does not refine the old one, and how a ledger may go on."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import LedgerFault
from partita.errors.wording import UNREAD, some


def other_kind(old: str, new: str) -> str:
    """A column of another kind."""
    return f"{old} became {new}: a stored value is read in another way"


def unproven(kind: str) -> str:
    """A kind of column whose changes nobody has looked at."""
    return f"of {kind} nothing is proven but that they stay as they are"


def other_constant() -> str:
    """The claim that a column is constant for each owner was changed."""
    return "whether it is constant for each owner is another claim about the data"


def other_reading() -> str:
    """Texts that are read in another way."""
    return "its texts are read in another way, so that the same text may be another value"


def narrower(low: object, high: object) -> str:
    """Bounds that are not as wide as before."""
    return f"values up to the old bounds ({low} and {high}) were told apart, and no longer are: bounds can only widen"


def other_step(old: object, new: object) -> str:
    """Another grid; nearest rounding is not nested (theory I12)."""
    return (
        f"the step was {old} and is {new}: a number goes to the nearest step, so that two numbers with one new value "
        f"may have had two old ones"
    )


def steps_apart(old: object, new: object) -> str:
    """Steps of times that are not nested, or a stand-in for missing times beside another step (theory I12)."""
    return (
        f"the step was {old} s and is {new} s: a finer step must divide the old one, and missing times must be NULL "
        f"with it"
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
        f"columns: with other columns, other rows would be kept. Once rows are sealed, even by an empty batch (partita "
        f"ingest), it is decided, and columns can be refined"
    )


def named_by_promise(unit: str) -> str:
    """The column that a promise itself speaks of."""
    return f"[{unit}] is about this column, so another declaration of it is another promise"


def old_book() -> str:
    """A book of the first format, whose charges are looked at anew by its own declaration."""
    return "it was born before version 0.2; what was booked too low then is told by the declaration of then"


def sealed_otherwise() -> str:
    """Sealed values that are no values of the new declaration as they stand."""
    return "rows are sealed, and their values are not read anew: they would be written in another way now"


def sealed_without() -> str:
    """A further column that decides which rows of an owner are kept."""
    return "rows are sealed without it, and whose they are, or what is constant about an owner, was decided then"


def sealed_table() -> str:
    """A further table where rows are sealed: its source would not be read."""
    return "rows are sealed, and a table that comes later is not read from its source"


def pairs_over(unit: str) -> str:
    """Under change-one, what was one value may now be a pair, and the account has no room for it."""
    return (
        f"[{unit}] counts pairs of values: two new values that were one are booked as a pair, and there is no room "
        f"left for that in the budget"
    )


def owners_over(unit: str) -> str:
    """Where a question is booked for owners depends on how many values its region has, and those are others now."""
    return (
        f"[{unit}] counts owners: among the new values an answer of before is booked on more of them, and there is no "
        f"room left for that in the budget"
    )


# --- what a ledger says to another declaration ----------------------------------------------------------------------


def other_promises(path: str, changes: Sequence[tuple[str, str, str]]) -> LedgerFault:
    """The file was charged under other promises."""
    return LedgerFault(
        "ledger.other-promises",
        f"The ledger {path} was made for another declaration. {_changed(changes)} {UNREAD} A promise is made once, "
        f"before the first charge. {GO_ON}",
    )


def other_tables(path: str, changes: Sequence[tuple[str, str, str]], reasons: Sequence[tuple[str, str]]) -> LedgerFault:
    """The file was charged under other public domains, which the new ones do not refine."""
    return LedgerFault(
        "ledger.other-tables",
        f"The ledger {path} was made for another declaration. {_changed(changes)} {UNREAD} It cannot go on with it, "
        f"since what was charged would mean nothing: {_reasons(reasons)} {GO_ON}",
    )


def refinable(path: str, changes: Sequence[tuple[str, str, str]]) -> LedgerFault:
    """The file was charged under other public domains, and can go on under the new ones."""
    return LedgerFault(
        "ledger.refinable",
        f"The ledger {path} was made for another declaration. {_changed(changes)} {UNREAD} The new declaration refines "
        f"the old one, so the ledger can go on with it: run 'partita migrate', or pass migrate=True in Python. Or "
        f"declare it as the ledger has it.",
    )


def no_migration(path: str, reasons: Sequence[tuple[str, str]]) -> LedgerFault:
    """The new declaration does not refine that of the ledger."""
    return LedgerFault(
        "ledger.no-migration",
        f"The ledger {path} cannot go on under the new declaration: {_reasons(reasons)} {UNREAD} {GO_ON}",
    )


def _reasons(reasons: Sequence[tuple[str, str]]) -> str:
    said = [f"{part}: {why}." for part, why in reasons]
    more = f" And {len(said) - 8} more." if len(said) > 8 else ""
    return " ".join(said[:8]) + more


GO_ON = (
    "Declare it as the ledger has it; or go on under the new declaration with a ledger of its own (another ledger = in "
    "the file, or ledger= in Python), whose budget adds to what this one has spent on the same people."
)


def _changed(changes: Sequence[tuple[str, str, str]]) -> str:
    """What differs, each with how the ledger has it and how it is declared now."""
    said = [
        f"{name}: the ledger has [{old or 'none'}], declared now is [{new or 'none'}]." for name, old, new in changes
    ]
    more = f" And {len(said) - 8} more." if len(said) > 8 else ""
    return " ".join(said[:8]) + more
