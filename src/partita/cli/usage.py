"""A command line that fits no command, told in our own words: what is wrong with it, and what to write."""

from __future__ import annotations

import re
from typing import Any

from partita.errors import PartitaError
from partita.errors import cli as refuse

# For each command a line that works, as soon as the names are those of the reader's own files.
EXAMPLES = {
    "demo": "partita demo",
    "tour": "partita tour",
    "init": "partita init visits.csv",
    "check": "partita check --config partita.toml",
    "tables": "partita tables",
    "dummy": "partita dummy --rows 100",
    "shell": "partita shell --epsilon 0.1",
    "ask": 'partita ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1',
    "quote": 'partita quote "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1',
    "ingest": "partita ingest visits=new.csv",
    "forget": "partita forget patient p17",
    "ledger": "partita ledger show visits.ledger",
    "ledger show": "partita ledger show visits.ledger",
    "ledger raise": 'partita ledger raise visits.ledger --to 1 --who "The board" --why "A second year of questions"',
    "ledger lower": 'partita ledger lower visits.ledger --to 0.5 --who "The board" --why "Fewer questions"',
    "ledger move": "partita ledger move visits.ledger postgresql://localhost/books",
    "ledger verify": "partita ledger verify visits.ledger",
    "ledger certificate": "partita ledger certificate visits.ledger",
    "ledger export": "partita ledger export visits.ledger",
    "ledger check": "partita ledger check certificate.json",
    "ledger map": "partita ledger map visits.ledger map.png --x age --y sex",
    "ledger receipt": "partita ledger receipt visits.ledger 3",
    "mcp": "partita mcp --ceiling rho=0.01",
    "serve": "partita serve --port 8642",
    "token": "partita token new ada",
    "token new": "partita token new ada",
    "token list": "partita token list",
    "token revoke": "partita token revoke ada",
    "token rotate": "partita token rotate ada",
    "migrate": "partita migrate --config partita.toml",
    "compose": "partita compose plan.json",
    "calibrate": "partita calibrate gaussian --epsilon 1 --delta 1e-6 --count 100",
    "explain": "partita explain --epsilon 1",
    "audit": "partita audit partita.toml",
    "attack": "partita attack averaging",
    "report": "partita report visits.ledger",
}
_COMMAND = re.compile(r"No such command '(.*?)'\.")
_EXTRA = re.compile(r"unexpected extra arguments? *(?:\(s\))? \((.*)\)", re.DOTALL)


def wrong(mistake: Any) -> PartitaError:
    """What to say of a mistake in a command line that was found before any command ran."""
    path = str(getattr(mistake.ctx, "command_path", "partita")) if getattr(mistake, "ctx", None) else "partita"
    example = EXAMPLES.get(path.removeprefix("partita").strip(), EXAMPLES["ask"])
    parameter = getattr(mistake, "param", None)
    said = str(mistake.format_message()).strip()
    if hasattr(mistake, "param_type") and parameter is not None:
        name = parameter.opts[0] if parameter.param_type_name == "option" else (parameter.metavar or parameter.name)
        return refuse.missing(path, str(name).strip("{}.[]").lower(), example)
    if hasattr(mistake, "possibilities") and hasattr(mistake, "option_name"):
        known = [name for name in sorted(mistake.possibilities or ()) if name != "--help"]
        return refuse.unknown_option(path, str(mistake.option_name), known, example)
    command = _COMMAND.match(said)
    if command is not None:
        return refuse.unknown_command(command[1], re.findall(r"'([^']+)'", said[command.end() :]))
    extra = _EXTRA.search(said)
    if extra is not None:
        takes = [one.name for one in mistake.ctx.command.params if one.param_type_name == "argument"]
        return refuse.too_much(path, extra[1], takes, example)
    return refuse.unfit(path, said, example)
