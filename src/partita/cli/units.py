"""Options that say whom the total of a plan protects."""

from __future__ import annotations

from typing import Annotated

import typer

Relation = Annotated[str | None, typer.Option(help="add/remove or change-one, of a row; overrides a plan's.")]
Users = Annotated[str | None, typer.Option(help="Protect people with at most so many rows each.")]
Owner = Annotated[str | None, typer.Option(help="With --users: the column that names them, such as patient.")]
Groups = Annotated[str | None, typer.Option(help="Protect any so many rows together.")]


def unit_fields(relation: str | None, users: str | None, owner: str | None, groups: str | None) -> dict[str, str]:
    """What was said, as fields of a plan's document."""
    given = {"relation": relation, "users": users, "owner": owner, "groups": groups}
    return {name: value for name, value in given.items() if value is not None}
