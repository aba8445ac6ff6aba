"""Options written into the custodian's file, line by line: whatever else it says stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

Options = Mapping[str, object]
_HEADER = re.compile(r"^\s*\[[^\[].*\]\s*(#.*)?$|^\s*\[\[.*\]\]\s*(#.*)?$")


def applied(text: str, table: str, of_file: Options, of_columns: Mapping[str, Options]) -> str | None:
    """The same file with these options as well; nothing where it is written so that they cannot be put in safely.

    What comes out is read again and compared: it says what was said before, and the options, and nothing else.

    >>> print(applied("[tables.t.columns]\\na = { integers = [0, 9] }  # such as 3", "t", {}, {"a": {"unit": ["€"]}}))
    [tables.t.columns]
    a = { integers = [0, 9], unit = ["€"] }  # such as 3
    """
    lines = text.splitlines()
    for column, options in of_columns.items():
        place = _column(lines, table, column)
        if place is None:
            return None
        lines[place] = _beside(lines[place], column, options)
    if of_file:
        _below(lines, table, of_file)
    written = "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    try:
        before, after = tomllib.loads(text), tomllib.loads(written)
    except tomllib.TOMLDecodeError:
        return None
    return written if after == _expected(before, table, of_file, of_columns) else None


def written_as(value: object) -> str:
    """A value as TOML has it.

    >>> written_as(["€", "EUR"])
    '["€", "EUR"]'
    """
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    """A name as TOML has it on the left: in quotation marks where it needs them.

    >>> key("age"), key("Visit Date")
    ('age', '"Visit Date"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else written_as(name)


def _section(lines: list[str], table: str, name: str) -> range | None:
    """The lines below [tables.TABLE.NAME]."""
    for place, line in enumerate(lines):
        if _HEADER.match(line) and _keys(line) == ["tables", table, name]:
            end = next((at for at in range(place + 1, len(lines)) if _HEADER.match(lines[at])), len(lines))
            return range(place + 1, end)
    return None


def _keys(header: str) -> list[str]:
    """The words of a header, as TOML reads them."""
    try:
        found: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return []
    words = []
    while isinstance(found, dict) and found:
        word, found = next(iter(found.items()))
        words.append(word)
    return words


def _column(lines: list[str], table: str, column: str) -> int | None:
    """The one line on which a column is declared."""
    for place in _section(lines, table, "columns") or ():
        try:
            found = tomllib.loads(lines[place])
        except tomllib.TOMLDecodeError:
            continue
        if isinstance(found.get(column), dict | str):
            return place
    return None


def _beside(line: str, column: str, options: Options) -> str:
    """A line `a = { ... }  # words` with more options inside its braces; `a = "kind"` gets braces."""
    kind = tomllib.loads(line)[column]
    if isinstance(kind, str):
        line = line.replace(f'"{kind}"', f"{{ {key(kind)} = true }}")
    end = next((at for at in range(len(line), 0, -1) if line[at - 1] == "}" and _is_whole(line[:at])), None)
    if end is None:
        return line
    more = ", ".join(f"{name} = {written_as(value)}" for name, value in options.items())
    return f"{line[: end - 1].rstrip()}, {more} }}{line[end:]}"


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _below(lines: list[str], table: str, options: Options) -> None:
    """Put options of the whole file under their header, which is written where it is missing."""
    more = [f"{name} = {written_as(value)}" for name, value in options.items()]
    section = _section(lines, table, "reading")
    if section is not None:
        kept = [lines[place] for place in section if not _says(lines[place], options)]
        lines[section.start : section.stop] = [*more, *kept]
        return
    columns = _section(lines, table, "columns")
    place = len(lines) if columns is None else columns.start - 1
    lines[place:place] = [f"[tables.{key(table)}.reading]", *more, ""]


def _says(line: str, options: Options) -> bool:
    """Whether a line states one of these options."""
    try:
        return bool(tomllib.loads(line).keys() & options.keys())
    except tomllib.TOMLDecodeError:
        return False


def _whole(declared: str | dict[str, Any]) -> dict[str, Any]:
    return {declared: True} if isinstance(declared, str) else declared


def _expected(
    before: dict[str, Any], table: str, of_file: Options, of_columns: Mapping[str, Options]
) -> dict[str, Any] | None:
    try:
        declared = before["tables"][table]
        columns = {name: {**_whole(declared["columns"][name]), **options} for name, options in of_columns.items()}
        changed = {**declared, "columns": {**declared["columns"], **columns}}
        if of_file:
            changed["reading"] = {**declared.get("reading", {}), **of_file}
    except (KeyError, TypeError):
        return None
    return {**before, "tables": {**before["tables"], table: changed}}
