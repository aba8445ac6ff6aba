"""partita check: the custodian's own look at the rows, before anybody asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.applying import applied, key, written_as
from partita.cli.screen import AsJson, busy, show, show_json
from partita.cli.tables import quoted, table
from partita.errors import cli as refuse
from partita.errors.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from partita.composition.plans.promise import Promise
    from partita.engine.sources.examine import Chain, Examined, Found

# Options that are rather said once, of the whole file.
_OF_FILES = ("decimal", "thousands", "null")
_FOR_YOU = (
    "For the custodian alone: what follows shows values of protected rows. Nothing is released by it, and nothing is "
    "written to the ledger. Do not choose bounds or categories by it: those must be public knowledge."
)


def check(
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the suggested options into the custodian's file.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read the declared tables, for the custodian alone: what is not read as declared, and what to write instead."""
    from partita.curator.settings import read_settings
    from partita.engine.sources.examine import Look

    settings = read_settings(config)
    look, chains = Look(), []
    try:
        with busy("Reading"):
            found = [look.examine(one, _cap(settings.promises, one.name)) for one in settings.tables]
            if all(one.columns for one in found):
                chains = [look.chain(*link) for link in _links(settings.promises)]
    finally:
        look.close()
    if as_json:
        show_json(
            {
                "for": "the custodian alone",
                "tables": [_document(one) for one in found],
                "chains": list(map(vars, chains)),
            }
        )
    else:
        show(quoted(_FOR_YOU))
        for one in found:
            show(*_shown(one))
        for chain in chains:
            show(quoted(_linked(chain)))
    if apply:
        _apply(config, found, as_json=as_json)
    elif any(one.problem for one in found):
        raise typer.Exit(1)


def _apply(config: Path, found: list[Examined], *, as_json: bool) -> None:
    """Write the options into the file, all of them or none; then the file is read again, to see that it can be."""
    from partita.curator.settings import read_settings

    text = written = config.read_text(encoding="utf-8")
    for one in found:
        more = applied(written, one.table, *advice(one))
        if more is None:
            raise refuse.cannot_apply(str(config), one.table)
        written = more
    if written != text:
        beside = config.with_name(f"{config.name}.new")
        beside.write_text(written, encoding="utf-8")
        try:
            read_settings(beside)
            beside.replace(config)
        finally:
            beside.unlink(missing_ok=True)
    if not as_json:
        changed = f"The options were written into {config}. Check again, and ask."
        show(quoted(changed if written != text else f"There is nothing to write into {config}."))


def _cap(promises: tuple[Promise, ...], name: str) -> int | None:
    """How many rows of one owner are kept of a table, at least by one promise."""
    from partita.granularity import Persons, Users

    caps = []
    for unit in (promise.granularity.single for promise in promises):
        if isinstance(unit, Users):
            caps.append(unit.rows)
        elif isinstance(unit, Persons) and name in (dict(unit.rows).keys() | {unit.table}):
            caps.append(unit.cap(name))
    return min(caps) if caps else None


def _links(promises: tuple[Promise, ...]) -> list[tuple[str, str, str]]:
    from partita.granularity import Persons

    units = [unit for promise in promises if isinstance(unit := promise.granularity.single, Persons)]
    return [(child, parent, key) for unit in units for child, (key, parent) in unit.through]


def advice(found: Examined) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """What to write under [tables.NAME.reading], and beside each column."""
    of_file: dict[str, object] = dict(found.advice)
    of_columns: dict[str, dict[str, object]] = {}
    for one in found.columns:
        for option, value in one.advice.items():
            if option == "null" and isinstance(value, list):
                known = of_file.setdefault("null", [])
                assert isinstance(known, list)
                known += [word for word in value if word not in known]
            elif option in _OF_FILES and of_file.get(option, value) == value:
                of_file[option] = value
            else:
                of_columns.setdefault(one.column, {})[option] = value
    return of_file, of_columns


def _document(found: Examined) -> dict[str, Any]:
    of_file, of_columns = advice(found)
    return {
        "table": found.table,
        "rows": found.rows,
        "problem": found.problem,
        "columns": [
            {
                "column": one.column,
                "kind": one.kind,
                "empty": one.empty,
                "unreadable": one.unreadable,
                "outside": one.outside,
                "examples": list(one.examples),
                "outside_examples": list(one.beyond),
                "in_other_letters": list(one.respelt),
            }
            for one in found.columns
        ],
        "owners": None if found.owners is None else vars(found.owners),
        "suggested": {"reading": of_file, "columns": of_columns},
    }


def _shown(found: Examined) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if found.problem:
        parts.append(quoted(f"{found.table}: it cannot be read as declared: {found.problem.rstrip('.')}."))
        if found.columns:
            parts.append(quoted("Below it is read with the options suggested at the end."))
    if found.columns:
        headings = [
            ("column", "left"),
            ("kind", "left"),
            ("empty", "right"),
            ("not read", "right"),
            ("outside", "right"),
        ]
        made = table(f"{found.table}: {counted(found.rows, 'row')}", [*headings, ("such as", "left")])
        for one in found.columns:
            shares = [_share(number, found.rows) for number in (one.empty, one.unreadable, one.outside)]
            texts = ", ".join(map(_brief, (*one.examples, *one.beyond)[:3]))
            made.add_row(quoted(one.column), one.kind, *shares, quoted(texts))
        parts.append(made)
    if found.owners is not None:
        parts.append(quoted(_owned(found)))
    parts += [quoted(_respelt(one)) for one in found.columns if one.respelt]
    of_file, of_columns = advice(found)
    if of_file or of_columns:
        parts.append(quoted("\n".join(_written(found.table, of_file, of_columns))))
    elif not found.problem:
        unread = sum(one.unreadable for one in found.columns)
        beyond = any(one.outside for one in found.columns)
        said = "Every value is read as declared." if not unread else "No option reads more of them; they count as NULL."
        if beyond:
            said += " What is outside is moved to the nearer bound, or to OTHER where categories do not list it."
        parts.append(quoted(said))
    return parts


def _respelt(one: Found) -> str:
    """What to do about declared names in other letters."""
    words = ", ".join(written_as(text) for text in one.respelt)
    return (
        f"{one.column}: {words} {'is a declared name' if len(one.respelt) == 1 else 'are declared names'} in other "
        f"letters, and OTHER as it stands. List them among the categories too, and put them together in questions: "
        f"GROUP BY UPPER({key(one.column)})."
    )


def _owned(found: Examined) -> str:
    assert found.owners is not None
    owners = found.owners
    said = f"{counted(owners.owners, 'owner')}; one of them has {counted(owners.most, 'row')}."
    if owners.cap is not None:
        left = f"{counted(owners.left_out, 'row')} ({_share(owners.left_out, found.rows) or '0%'})"
        said += f" At most {owners.cap} are kept of each, which leaves out {left}."
    if owners.ownerless:
        said += f" {counted(owners.ownerless, 'row')} name no owner."
    return said


def _written(name: str, of_file: dict[str, object], of_columns: dict[str, dict[str, object]]) -> list[str]:
    """What to write in the custodian's file."""
    lines = ["To read more, write in the custodian's file:"]
    if of_file:
        lines += [
            "",
            f"[tables.{key(name)}.reading]",
            *(f"{option} = {written_as(value)}" for option, value in of_file.items()),
        ]
    if of_columns:
        lines += ["", f"[tables.{key(name)}.columns]"]
        for column, options in of_columns.items():
            listed = ", ".join(f"{option} = {written_as(value)}" for option, value in options.items())
            lines.append(f"{key(column)} = {{ ..., {listed} }}")
    return [*lines, "", "and check again; or let it be written: partita check --apply"]


def _linked(chain: Chain) -> str:
    said = (
        f"{chain.child}.{chain.key} leads to {chain.parent}: {counted(chain.lost, 'row')} of {chain.rows:,} find none"
    )
    said += f", {counted(chain.without_key, 'row')} have no key"
    if chain.repeated:
        said += f"; {counted(chain.repeated, 'key')} of {chain.parent} stand in several rows"
    return f"{said}. Rows without an owner are in no answer."


def _share(part: int, whole: int) -> str:
    """A share for a table; nothing where there is nothing.

    >>> _share(0, 10), _share(1, 3), _share(1, 100000)
    ('', '33%', '<0.1%')
    """
    if not part:
        return ""
    share = 100 * part / whole
    return "<0.1%" if share < 0.1 else f"{share:.1f}%" if share < 10 else f"{share:.0f}%"


def _brief(text: str) -> str:
    short = text if len(text) <= 24 else f"{text[:23]}…"
    return repr(short)
