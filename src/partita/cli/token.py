"""partita token: give out, list, revoke and exchange the tokens of a server's accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import quoted, table

if TYPE_CHECKING:
    from partita.server.accounts.register import Register, Token

app = typer.Typer(help="Who may use the server.", no_args_is_help=True, rich_markup_mode=None)

Config = Annotated[Path, typer.Option("--config", help="The custodian's file.")]
Days = Annotated[int | None, typer.Option(help="How many days it is valid; without it, until it is revoked.")]
Number = Annotated[str, typer.Argument(help="The number of the token, as `partita token list` shows it.")]
_BY = "command line"


@app.command("new", short_help="A new token, shown once.")
def new(
    account: Annotated[str, typer.Argument(help="Whose it is: a name such as ada.")],
    role: Annotated[
        str | None, typer.Option(help="custodian, analyst or auditor; by default what the name says, else analyst.")
    ] = None,
    days: Days = None,
    config: Config = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Give out a new token for an account, which is new with its first token; it is shown once and kept as a digest."""
    from partita.server.accounts.register import Role

    given = role or (account if account in list(Role) else Role.ANALYST.value)
    with _register(config) as register:
        text, token = register.give(account, given, days=days, by=_BY)
    _hand_over(text, token, as_json=as_json)


@app.command("list", short_help="All tokens, without their texts.")
def listed(config: Config = Path("partita.toml"), as_json: AsJson = False) -> None:
    """List all tokens that were given out, and which of them are valid; their texts are kept nowhere."""
    with _register(config) as register:
        found = [(token, register.valid(token)) for token in register.tokens()]
    if as_json:
        show_json({"tokens": [document(token, valid=valid) for token, valid in found]})
        return
    made = table("Tokens", [(name, "left") for name in ("number", "account", "role", "made", "until", "state")])
    for token, valid in found:
        state = "valid" if valid else "revoked" if token.revoked else "expired"
        until = "no end" if token.expires is None else token.expires[:10]
        made.add_row(token.number, quoted(token.account), token.role.value, token.made[:10], until, state)
    show(made)


@app.command("revoke", short_help="Let a token in no more.")
def revoke(number: Number, config: Config = Path("partita.toml"), as_json: AsJson = False) -> None:
    """Revoke a token: a running server refuses it from the next request on."""
    with _register(config) as register:
        register.revoke(number, by=_BY)
    if as_json:
        show_json({"revoked": number})
    else:
        show(quoted(f"Token {number} is revoked."))


@app.command("rotate", short_help="Exchange a token for a new one.")
def rotate(number: Number, days: Days = None, config: Config = Path("partita.toml"), as_json: AsJson = False) -> None:
    """Exchange a token for a new one of the same account, in one step; the new one is shown once."""
    with _register(config) as register:
        text, token = register.rotate(number, days=days, by=_BY)
    _hand_over(text, token, as_json=as_json)


def document(token: Token, *, valid: bool) -> dict[str, object]:
    """A token as plain data; neither its text nor its digest."""
    return {
        "number": token.number,
        "account": token.account,
        "role": token.role.value,
        "made": token.made,
        "expires": token.expires,
        "by": token.by,
        "valid": valid,
    }


@contextmanager
def _register(config: Path) -> Iterator[Register]:
    """The register of the ledger that a file declares; the ledger is made where there is none. No row is read."""
    from partita.curator.settings import declared_terms, read_settings
    from partita.errors import server as refuse
    from partita.ledger.book.sqlite import MEMORY
    from partita.ledger.opening import open_ledger
    from partita.server.accounts.register import Register

    settings = read_settings(config)
    if settings.ledger == MEMORY:
        raise refuse.in_memory()
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        yield Register(ledger)


def _hand_over(text: str, token: Token, *, as_json: bool) -> None:
    if as_json:
        show_json({**document(token, valid=True), "token": text})
        return
    until = "until it is revoked" if token.expires is None else f"until {token.expires[:10]}"
    show(quoted(f"Token {token.number} of {token.account} ({token.role}), valid {until}. It is shown only now:"))
    typer.echo(text)
