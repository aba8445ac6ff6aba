"""A draft of the custodian's file: column names and types from a file's schema, and not one value from its rows."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Final

from partita.errors.query import tables as refuse

_OWNERS: Final = ("id", "user", "patient", "person", "customer", "member", "client", "owner", "account")
_HEADER: Final = """# What Partita may tell about {name}, and what it must know first.
#
# Only column names and types were looked at; no value was read. Write something for every "?" below: what is
# PUBLIC KNOWLEDGE about the column (an age is between 0 and 120), never what you find by looking at the data,
# because bounds that fit the data tell about the people in it.
# Values outside are moved to the nearer bound; columns that are left out are never read.

# The book of everything ever released: keep it, and keep the .anchor and .key files beside it.
ledger = "{name}.ledger"

[tables.{name}]
source = {source}

[tables.{name}.columns]
"""
_FOOTER: Final = """
# Who is protected, and how much may ever be told. One table for each promise.
[[promises]]
# ρ = 0.25 reads as ε = 3.54 but for one chance in a million. A delta is needed only for keys that nobody has listed.
protect = {protect}
rho = "0.25"
"""


def draft(path: str | Path) -> str:
    """The text of a commented ``partita.toml`` for a parquet or CSV file, from its schema alone."""
    source = Path(path)
    if not source.is_file():
        raise refuse.absent_source(drafted_name(source), path)
    columns = _schema(source)
    name = drafted_name(source)
    lines, owner = [], None
    for column, kind in columns:
        words = re.split(r"[\W_]+", column.lower())
        if owner is None and ("id" in words or any(word in _OWNERS for word in words)):
            owner = column
            lines.append(f'{_key(column)} = "identifier"            # whom the row belongs to')
        else:
            lines.append(f"{_key(column)} = {_declared(kind)}")
    text = _HEADER.format(name=name, source=_text(str(path).replace("\\", "/"))) + "\n".join(lines) + "\n"
    protect = '"rows"' if owner is None else f"{{ users = {{ column = {_text(owner)}, rows = 10 }} }}"
    return text + _FOOTER.format(protect=protect)


def drafted_name(path: str | Path) -> str:
    """What a draft calls the table in a file.

    >>> drafted_name("Survey 2025.csv")
    'survey_2025'
    """
    name = "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in Path(path).stem.lower())
    return name if name[:1].isalpha() else f"t_{name}"


def _schema(source: Path) -> list[tuple[str, str]]:
    match source.suffix.lower():
        case ".parquet":
            from pyarrow import ArrowInvalid, parquet

            try:
                schema = parquet.read_schema(source)
            except ArrowInvalid:
                raise refuse.unknown_source(source.stem, str(source)) from None
            return [(field.name, str(field.type)) for field in schema]
        case ".csv" | ".tsv":
            with source.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
                header = next(csv.reader(stream, delimiter="\t" if source.suffix.lower() == ".tsv" else ","), [])
            return [(column, "unknown") for column in header]
        case _:
            raise refuse.unknown_source(source.stem, str(source))


def _declared(kind: str) -> str:
    """A placeholder for a stored type."""
    if kind.startswith(("int", "uint")):
        return '{ integers = ["?", "?"] }         # such as [0, 120]; stored as ' + kind
    if kind.startswith(("float", "double", "half", "decimal")):
        return '{ decimals = ["?", "?"], step = "0.01" }   # such as [0, 1000]; stored as ' + kind
    if kind.startswith("timestamp"):
        # Questions then compare days: a time of day is dropped before anything else.
        return (
            '{ dates = ["?", "?"] }            # such as ["2025-01-01", "2025-12-31"]; stored as '
            + kind
            + "; times of day are dropped, so that BETWEEN two days counts all of the last one"
        )
    if kind.startswith("date"):
        return '{ dates = ["?", "?"] }            # such as ["2025-01-01", "2025-12-31"]; stored as ' + kind
    if kind == "bool":
        return '"booleans"'
    if kind == "unknown":
        return '{ categories = ["?"] }            # such as ["one", "two"]; or integers, decimals, dates, "booleans"'
    return '{ categories = ["?"] }            # such as ["one", "two"]; stored as ' + kind


def _key(column: str) -> str:
    if column and all(sign.isascii() and (sign.isalnum() or sign in "_-") for sign in column):
        return column
    escaped = column.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in escaped) + '"'


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
