"""partita mcp: a language model as an analyst, with an account and limits of its own, over standard streams."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import version
from partita.errors import models as refuse

if TYPE_CHECKING:
    from partita.theory.measures.base import Measure


def mcp(
    analyst: Annotated[
        str, typer.Option(help="The account that it asks in; the limits of [analysts] hold too.")
    ] = "model",
    ceiling: Annotated[str | None, typer.Option(help="The most that one call may cost, such as rho=0.01.")] = None,
    ask_above: Annotated[
        str | None, typer.Option(help="What costs more is put to the person at the client first, such as rho=0.002.")
    ] = None,
    practice: Annotated[bool, typer.Option("--practice", help="Made-up rows and a ledger in memory; free.")] = False,
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
) -> None:
    """Serve one language model by the Model Context Protocol, until its client goes away."""
    from partita.curator.settings import opened_settings, read_settings

    try:
        from partita.server.models.tools import tools_of
    except ImportError:
        raise refuse.not_installed() from None
    from partita.server.accounts.register import Caller, Role
    from partita.server.models.seat import Seat
    from partita.server.service import Service
    from partita.server.settings import ServerSettings

    most, above = _loss("--ceiling", ceiling), _loss("--ask-above", ask_above)
    declared = read_settings(config)
    with opened_settings(config, declared) as curator:
        service = Service(curator, declared, ServerSettings())
        caller = Caller(analyst, Role.ANALYST, "")
        try:
            seat = Seat(service, caller, ceiling=most, ask_above=above, practice=practice)
            asyncio.run(tools_of(seat, version=version()).run_stdio_async())
        finally:
            service.close()


def _loss(option: str, text: str | None) -> Measure | None:
    from partita.curator.settings import read_loss

    if text is None:
        return None
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    if not all(name.strip() and value.strip() for name, value in parts.items()):
        raise refuse.not_a_loss(option, text)
    return read_loss("the command line", option, {name.strip(): value.strip() for name, value in parts.items()})
