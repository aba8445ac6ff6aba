"""What the server says when it refuses."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import AccessRefused, BudgetExceeded, InvalidInput, ServiceFault
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, printable, shown, some

# --- who is asking ----------------------------------------------------------------------------------------------------


def not_signed_in() -> AccessRefused:
    """No token, or one that is wrong, expired or revoked: which of them is not said."""
    return AccessRefused(
        "server.not-signed-in",
        f"There is no valid token. Give one that was not revoked and has not expired. {UNTOUCHED}",
    )


def not_vouched() -> AccessRefused:
    """The service did not say who it is, or they have no account here: which of them is not said."""
    return AccessRefused(
        "server.not-vouched",
        f"Signing in there did not lead to an account with a valid token here. {UNTOUCHED} Begin again at the sign-in "
        f"page, or ask the custodian whether there is a token for your account.",
    )


def provider_silent() -> ServiceFault:
    """The service of the organisation gave no answer that could be used."""
    return ServiceFault(
        "server.provider-silent",
        f"The service that says who you are gave no answer that could be used. {UNTOUCHED} Try again later, or sign in "
        f"with a token.",
    )


def not_allowed(role: str, doing: str) -> AccessRefused:
    """The role does not cover it."""
    return AccessRefused("server.not-allowed", f"The role {role} does not cover this: {doing}. {UNTOUCHED}")


def cross_site() -> AccessRefused:
    """A form of another site."""
    return AccessRefused(
        "server.cross-site",
        f"This form was not sent from a page of this server, or the page is old. {UNTOUCHED} Load the page again.",
    )


def waiting(cost: str, above: str, number: str) -> BudgetExceeded:
    """The price is above what may be spent without an approval."""
    return BudgetExceeded(
        "server.waiting",
        f"The price {cost} is above {above}, so it waits for the custodian's approval, as request {number}. Nothing "
        f"was read, reserved or charged. Ask again when it is approved.",
    )


# --- accounts ---------------------------------------------------------------------------------------------------------


def bad_account(name: object) -> InvalidInput:
    """A name that an account cannot have."""
    return InvalidInput(
        "server.bad-account",
        f"An account cannot be named {shown(name)}. Give 1 to 100 letters, digits and the signs . _ @ + -.",
    )


def unknown_role(role: object, roles: Sequence[str]) -> InvalidInput:
    """A role that does not exist."""
    return InvalidInput(
        "server.unknown-role", f"There is no role {shown(role)}.{meant(role, roles)} There are {', '.join(roles)}."
    )


def other_role(name: str, role: str, given: str) -> InvalidInput:
    """The account has another role."""
    return InvalidInput(
        "server.other-role",
        f"The account {shown(name)} has the role {role}, not {given}. Nothing was changed. Take another name.",
    )


def unknown_token(number: object) -> InvalidInput:
    """No token that could be revoked has this number."""
    return InvalidInput(
        "server.unknown-token",
        f"There is no valid token with the number {shown(number)}. Nothing was changed. `partita token list` has them "
        f"all.",
    )


def bad_days(days: object) -> InvalidInput:
    """How long a token is valid."""
    return InvalidInput("server.bad-days", f"A token is valid for 1 to 3650 days, not for {shown(days)}.")


def unknown_request(number: object) -> InvalidInput:
    """Nothing with this number waits for an approval."""
    return InvalidInput("server.unknown-request", f"No request {shown(number)} is waiting. Nothing was changed.")


# --- requests ---------------------------------------------------------------------------------------------------------


def bad_request(where: str, reason: str) -> InvalidInput:
    """A request that does not fit its description."""
    return InvalidInput("server.bad-request", f"The request cannot be read: {where}: {reason}. {UNTOUCHED}")


def not_json(reason: str) -> InvalidInput:
    """The body is no JSON, or too deep."""
    return InvalidInput("server.not-json", f"The body is not a JSON object that can be read: {reason}. {UNTOUCHED}")


def wrong_type(found: str) -> InvalidInput:
    """The body is of another kind than is read here."""
    return InvalidInput(
        "server.wrong-type", f"The body is said to be {shown(found)}. Send application/json. {UNTOUCHED}"
    )


def not_found(path: str) -> InvalidInput:
    """There is nothing at this address."""
    return InvalidInput(
        "server.not-found", f"There is nothing at {shown(path)}. /v1/openapi.json lists what there is. {UNTOUCHED}"
    )


def wrong_method(method: str) -> InvalidInput:
    """The address does not take this method."""
    return InvalidInput("server.wrong-method", f"This address does not take {printable(method)[:20]}. {UNTOUCHED}")


def too_large(most: int) -> InvalidInput:
    """The body is too long."""
    return InvalidInput("server.too-large", f"A request may have {most:,} bytes, and this has more. {UNTOUCHED}")


def too_slow(seconds: float) -> InvalidInput:
    """The body did not arrive in time."""
    return InvalidInput("server.too-slow", f"The request was not complete after {seconds:g} seconds. {UNTOUCHED}")


def too_many(seconds: int) -> ServiceFault:
    """More requests than this token may send."""
    return ServiceFault(
        "server.too-many", f"These are more requests than are taken. Try again in {seconds} seconds. {UNTOUCHED}"
    )


def bad_host(host: str) -> InvalidInput:
    """A host that is not served here."""
    return InvalidInput("server.bad-host", f"{shown(host)} is not served here. {UNTOUCHED}")


def no_answer(number: object) -> InvalidInput:
    """No answer that this caller may see has this number."""
    return InvalidInput(
        "server.no-answer",
        f"There is no answer of yours with the number {shown(number)}. Give the number of its entry in the ledger.",
    )


def not_remade(number: int) -> InvalidInput:
    """The stored numbers cannot be laid out again; their receipt can be had."""
    return InvalidInput(
        "server.not-remade",
        f"The answer of entry {number} is a plan, a computation, or was made by another version, and cannot be laid "
        f"out by its number. Ask the same again: it is free. Its receipt is at /v1/receipts/{number}.",
    )


def unknown_plan(number: object) -> InvalidInput:
    """This process does not hold the plan."""
    return InvalidInput(
        "server.unknown-plan",
        f"No plan of yours with the number {shown(number)} is held here. Send the same plan again: it is charged once.",
    )


def fault() -> ServiceFault:
    """Something failed; the words never depend on the data."""
    return ServiceFault(
        "server.fault",
        "The server failed at this request. If it was a question, it may be charged; asking again costs nothing more. "
        "The operator's log says what happened.",
    )


def overloaded() -> ServiceFault:
    """Too many questions at once."""
    return ServiceFault("server.overloaded", f"The server is busy or closing. Try again. {UNTOUCHED}")


# --- starting ---------------------------------------------------------------------------------------------------------


def no_server() -> InvalidInput:
    """The extra is not installed."""
    return InvalidInput(
        "server.not-installed", "A server needs FastAPI and uvicorn. Install the extra partita[server]."
    )


def unknown_server_setting(path: str, name: str, known: Sequence[str]) -> InvalidInput:
    """A key that the server does not know."""
    return InvalidInput(
        "server.unknown-setting",
        f"{path}: [server] has no key {name!r}.{meant(name, known)} The keys are {some(known, most=40)}.",
    )


def bad_server_setting(name: str, value: object, wanted: str) -> InvalidInput:
    """A value that the server cannot use."""
    return InvalidInput("server.bad-setting", f"server.{name} = {shown(value)} cannot be used. Give {wanted}.")


def not_loopback(host: str) -> InvalidInput:
    """Tokens would travel in the clear."""
    return InvalidInput(
        "server.not-loopback",
        f"The server does not listen on {host}: tokens and answers would travel in the clear. Give certificate and "
        f"key, or behind_proxy = true if a proxy before it speaks TLS, or listen on 127.0.0.1.",
    )


def in_memory() -> InvalidInput:
    """A ledger that is forgotten."""
    return InvalidInput(
        "server.in-memory", "A server needs a ledger in a file: accounts and what is spent must outlive it. Name one."
    )


def port_taken(host: str, port: int, reason: str) -> InvalidInput:
    """Another program listens there."""
    return InvalidInput("server.port-taken", f"The server cannot listen on {host}:{port}: {reason}. Give another port.")


def nobody(path: str) -> InvalidInput:
    """There is no custodian yet."""
    return InvalidInput(
        "server.nobody",
        f"The ledger {path} knows no custodian with a valid token, so nobody could sign in. Run "
        f"`partita token new custodian` first.",
    )
