"""partita migrate: what differs between partita.toml and its ledger, whether it is a refinement, and going on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import quoted, table
from partita.errors import refinement as refuse
from partita.errors.wording import counted

if TYPE_CHECKING:
    from partita.ledger.refined import Difference


def migrate(
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what differs between the file and its ledger, and go on with the same ledger if all of it is a refinement.

    No row is read. What was charged stays charged. Without --yes it asks first; with --json it only
    shows unless --yes is given. The exit code is 1 if something is no refinement.
    """
    from partita.curator.settings import declared_terms, open_settings, read_settings
    from partita.ledger.opening import open_ledger
    from partita.ledger.refined import differences

    declared = read_settings(config)
    terms = declared_terms(declared)
    with open_ledger(declared.ledger) as ledger:
        found = differences(ledger.declared, terms, sealed=ledger.sealed() is not None)
        charged = any(ledger.states().values())
        fits = not charged or all(one.refines for one in found)
        if not as_json:
            _tell(str(declared.ledger), found, charged=charged)
        going = bool(found) and fits and (yes or (not as_json and typer.confirm("Go on with the same ledger?")))
    if going:
        # As it will be used: a column that the table does not have is refused before the ledger is bound to it.
        open_settings(config, migrate=True).close()
    if as_json:
        show_json(
            {
                "ledger": str(declared.ledger),
                "differences": [
                    {"part": one.part, "was": one.was, "now": one.now, "refines": one.refines, "why": one.why}
                    for one in found
                ],
                "migrated": going,
            }
        )
    elif going:
        show("The ledger goes on under the new declaration.")
    if not fits:
        raise typer.Exit(1)


def _tell(name: str, found: tuple[Difference, ...], *, charged: bool) -> None:
    if not found:
        show(quoted(f"{name} is declared as in the file; there is nothing to migrate."))
        return
    listed = table(
        f"What differs from {name}", [("", "left"), ("the ledger has", "left"), ("declared now", "left"), ("", "left")]
    )
    for one in found:
        said = "a refinement" if one.refines else f"no refinement: {one.why}"
        listed.add_row(*map(quoted, (one.part, one.was or "-", one.now or "-", said if charged else "free")))
    show(listed)
    refused = sum(not one.refines for one in found)
    if not charged:
        show("Nothing was charged yet, so everything may still be declared anew.")
    elif refused:
        show(quoted(f"{counted(refused, 'difference')} of {len(found)} cannot be migrated. {refuse.GO_ON}"))
    else:
        show("Everything is a refinement: what was charged stays charged, to whoever had the old values.")
