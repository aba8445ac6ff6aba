"""partita tables: what may be asked about, who is protected, and what is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.screen import AsJson, show, show_json
from partita.cli.tables import quoted, table
from partita.theory.documents import to_document

if TYPE_CHECKING:
    from partita.curator.settings import Settings


def tables(
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """List tables and columns, who is protected and what is left; no row is read, and nothing is spent."""
    from partita.curator.settings import read_settings
    from partita.query.tables.holding import holds

    settings = read_settings(config)
    left = _left(settings)
    if as_json:
        show_json(
            {
                "tables": [
                    {
                        "table": one.name,
                        "owner": one.owner,
                        "columns": [
                            {"column": name, "kind": column.kind, "holds": holds(column)}
                            for name, column in one.columns.items()
                        ],
                    }
                    for one in settings.tables
                ],
                "public": [
                    {"table": one.name, "key": one.key, "columns": list(one.columns)} for one in settings.public
                ],
                "promises": [
                    {"unit": str(promise.granularity), "budget": to_document(promise.budget), "left": to_document(rest)}
                    for promise, rest in zip(settings.promises, left, strict=True)
                ],
            }
        )
        return
    for one in settings.tables:
        made = table(one.name, [("column", "left"), ("kind", "left"), ("what it holds", "left")])
        for name, column in one.columns.items():
            before, _, behind = holds(column).partition(column.kind)
            words = (before or behind).lstrip(",: ")
            made.add_row(quoted(name), column.kind, quoted(f"true, false, {words}" if words == "or NULL" else words))
        show(made)
    for public in settings.public:
        show(quoted(f"{public.name}, public, joined on {public.key}: {', '.join(public.columns)}"))
    promised = table("Promises", [("protected", "left"), ("budget", "left"), ("left", "left")])
    for promise, rest in zip(settings.promises, left, strict=True):
        promised.add_row(quoted(str(promise.granularity)), str(promise.budget), str(rest))
    show(promised)


def _left(settings: Settings) -> list[Any]:
    """What is left of each promise for those who were asked about most; all of it before the first question."""
    budgets: list[Any] = [promise.budget for promise in settings.promises]
    if isinstance(settings.ledger, str) and not Path(settings.ledger).is_file():
        return budgets
    from partita.ledger.opening import open_ledger
    from partita.ledger.reports.report import summary

    with open_ledger(settings.ledger) as opened:
        found = [one.left for one in summary(opened, 0).balances]
    return found if len(found) == len(budgets) else budgets
