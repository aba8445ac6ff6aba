"""What the PostgreSQL endpoint says when it refuses."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import AccessRefused, InvalidInput, QueryRefused, ServiceFault
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, printable, shown, some

# --- the protocol -----------------------------------------------------------------------------------------------------


def malformed(reason: str) -> InvalidInput:
    """Bytes that are no message."""
    return InvalidInput("wire.malformed", f"This is not the protocol of PostgreSQL, version 3: {reason}. {UNTOUCHED}")


def too_long(most: int) -> InvalidInput:
    """A message that is too long, or of no length."""
    return InvalidInput("wire.too-long", f"A message may have {most:,} bytes here, and this says another length.")


def not_utf8() -> InvalidInput:
    """Bytes that are no text."""
    return InvalidInput("wire.not-utf8", f"A text is not valid UTF-8. {UNTOUCHED}")


def out_of_order(tag: str) -> InvalidInput:
    """A message that does not belong here."""
    return InvalidInput("wire.out-of-order", f"A message {printable(tag)!r} is not expected here. {UNTOUCHED}")


def too_slow(seconds: float) -> InvalidInput:
    """Signing in, or a message, took too long to arrive."""
    return InvalidInput("wire.too-slow", f"What was begun did not arrive within {seconds:g} seconds. {UNTOUCHED}")


def needs_tls() -> AccessRefused:
    """The address is reached from elsewhere, so nothing is said in the clear."""
    return AccessRefused(
        "wire.needs-tls", f"This server speaks TLS alone. Connect with sslmode=require or better. {UNTOUCHED}"
    )


def not_let_in(account: str) -> AccessRefused:
    """A wrong name or token, one that expired or was revoked: which of them is not said."""
    return AccessRefused(
        "wire.not-let-in",
        f"{shown(account)} is not let in. The user is the name of an account, and the password one of its tokens, "
        f"which was not revoked and has not expired; a token that is older than this protocol has to be rotated. "
        f"{UNTOUCHED}",
    )


def bad_exchange(reason: str) -> AccessRefused:
    """Signing in went wrong in its form."""
    return AccessRefused("wire.bad-exchange", f"Signing in by SCRAM-SHA-256 went wrong: {reason}. {UNTOUCHED}")


def cancelled() -> ServiceFault:
    """The client gave up waiting."""
    return ServiceFault(
        "wire.cancelled",
        "The wait was cancelled as you asked. What was begun runs to its end: a question is charged, and asking the "
        "same again is free.",
    )


# --- statements -------------------------------------------------------------------------------------------------------


def unterminated(what: str, at: int) -> QueryRefused:
    """A quotation or a comment has no end."""
    return QueryRefused("wire.unterminated", f"A {what} that begins at character {at + 1} has no end. {UNTOUCHED}")


def too_many_statements(most: int) -> InvalidInput:
    """Too much in one text."""
    return InvalidInput("wire.too-many-statements", f"One text may have {most:,} statements. {UNTOUCHED}")


def too_many_held(what: str, most: int) -> InvalidInput:
    """Too many prepared statements, or portals."""
    return InvalidInput("wire.too-many-held", f"A connection may hold {most:,} {what}. Close some. {UNTOUCHED}")


def several_prepared() -> InvalidInput:
    """Several statements where one is wanted."""
    return InvalidInput("wire.several-prepared", f"One statement at a time can be prepared. {UNTOUCHED}")


def not_answered(word: str) -> QueryRefused:
    """A statement that writes, copies or runs something."""
    return QueryRefused(
        "wire.not-answered",
        f"{printable(word)[:40]} is not answered: there are SELECT, EXPLAIN, SET, SHOW and transactions without "
        f"effect. {UNTOUCHED}",
    )


def bounds_of_owners() -> QueryRefused:
    """Bounds of what an owner adds to a group, where rows have owners."""
    return QueryRefused(
        "wire.bounds-of-owners",
        f"These bounds are of what one owner adds to a group, and here rows have owners: bounds of a row mean "
        f"something else. {UNTOUCHED} Write SUM(CLAMP(x, 0, 100)) for bounds of every row, beside rows_per_user and "
        f"groups_per_user.",
    )


def no_bar(name: str, known: Sequence[str]) -> QueryRefused:
    """An error bar of a column that has none."""
    return QueryRefused(
        "wire.no-bar",
        f"There is no noisy column {shown(name)} in this question, so it has no error bar.{meant(name, known)} "
        f"Give it a name, as in COUNT(*) AS n, and ask for ERROR(n). {UNTOUCHED}",
    )


def unknown_prepared(what: str, name: str) -> InvalidInput:
    """No statement, portal or cursor of this name."""
    return InvalidInput("wire.unknown-name", f"There is no {what} {shown(name)} on this connection. {UNTOUCHED}")


def name_taken(what: str, name: str) -> InvalidInput:
    """The name of a statement or cursor is in use."""
    return InvalidInput("wire.name-taken", f"There is a {what} {shown(name)} already. Close it first. {UNTOUCHED}")


def transaction_failed() -> InvalidInput:
    """An earlier statement of the transaction was refused."""
    return InvalidInput(
        "wire.transaction-failed",
        f"An earlier statement of this transaction was refused, so it waits for ROLLBACK. {UNTOUCHED}",
    )


def unknown_relation(name: str) -> QueryRefused:
    """No table of this name, protected or of the catalogue."""
    return QueryRefused(
        "wire.unknown-relation",
        f"There is no table {shown(name)} here. partita.columns lists what may be asked about. {UNTOUCHED}",
    )


def not_in_catalogue(reason: str) -> QueryRefused:
    """A statement about the catalogue that cannot be run."""
    return QueryRefused(
        "wire.catalogue", f"This statement names no protected table, and the catalogue cannot answer it: {reason}"
    )


# --- prices -----------------------------------------------------------------------------------------------------------


def no_price() -> InvalidInput:
    """Nothing says what a question may cost."""
    return InvalidInput(
        "wire.no-price",
        f"No price was given. Begin the statement with /* partita: rho=0.01 */ or /* partita: within=50 */, or say SET "
        f"partita.rho = '0.01' once for the connection. EXPLAIN tells a price free. {UNTOUCHED}",
    )


def unknown_option(name: str, known: Sequence[str]) -> InvalidInput:
    """A word about the price that is not known."""
    return InvalidInput(
        "wire.unknown-option",
        f"There is no option {shown(name)}.{meant(name, known)} There are {some(known, most=40)}. {UNTOUCHED}",
    )


def bad_option(name: str, value: object, wanted: str) -> InvalidInput:
    """A value that an option cannot have."""
    return InvalidInput("wire.bad-option", f"{printable(name)} = {shown(value)} cannot be used. Give {wanted}.")


def unreadable_options(text: str) -> InvalidInput:
    """Options that are not written as name = value."""
    return InvalidInput(
        "wire.unreadable-options",
        f"{shown(text)} cannot be read. Write options as name = value, with commas between them. {UNTOUCHED}",
    )


def other_unit(given: str, owner: str | None) -> QueryRefused:
    """Another column than the one that says whom a row belongs to."""
    there = f"{shown(owner)} is" if owner is not None else "here no column is"
    return QueryRefused(
        "wire.other-unit",
        f"privacy_unit_column = {shown(given)} is not whom the promise protects: {there} the declared owner. "
        f"{UNTOUCHED}",
    )


# --- values -----------------------------------------------------------------------------------------------------------


def bad_value(number: int, wanted: str) -> InvalidInput:
    """A parameter that cannot be read."""
    return InvalidInput("wire.bad-value", f"The parameter ${number} is not {wanted}. {UNTOUCHED}")


def unknown_type(number: int, kind: int) -> InvalidInput:
    """A parameter of a type that is not taken."""
    return InvalidInput(
        "wire.unknown-type",
        f"The parameter ${number} has the type {kind}, which is not taken. Send numbers, texts, dates, timestamps, "
        f"booleans or NULL. {UNTOUCHED}",
    )


def parameters_missing(wanted: int, given: int) -> InvalidInput:
    """Not as many values as parameters."""
    return InvalidInput(
        "wire.parameters-missing", f"The statement has {wanted} parameters, and {given} values came. {UNTOUCHED}"
    )
