"""A draft of the custodian's file: column names and types from a file's schema, and not one value from its rows."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any, Final

from partita.errors.query import tables as refuse
from partita.query.tables.column_guesses import guessed, links, owns, tells
from partita.query.tables.sources import DELIMITERS, bare

_LONGEST: Final = 1_000_000
_TEXT: Final = ("unknown", "string", "large_string")

_HEADER: Final = """# What Partita may tell about {name}, and what it must know first.
#
# Only column names and types were looked at; no value was read. Kinds are guessed from names: see that they are
# right, and that the bounds are PUBLIC KNOWLEDGE about the column (an age is between 0 and 120), never what you find
# by looking at the data, because bounds that fit the data tell about the people in it.
# Values outside are moved to the nearer bound. Columns that are not declared are never read: take the # away from
# those that you need, and write something for every "?".

# The book of everything ever released: keep it, and keep the .anchor and .key files beside it.
ledger = "{name}.ledger"

[tables.{name}]
source = {source}
{reading}
[tables.{name}.columns]
"""
_READING: Final = """
# How the file is written. `partita check` reads it, for you alone, and says what is missing here.
[tables.{name}.reading]
delimiter = {delimiter}
# line_breaks = true          # values in quotation marks may run over the end of a line
# decimal = ","               # 1234,50
# thousands = "."             # 1.234
# null = ["NA", "-"]          # words for no value
# trim = true                 # drop blanks around values
# encoding = "cp1252"
"""
_FOOTER: Final = """
# Who is protected, and how much may ever be told. One table for each promise.{counted}
[[promises]]
# ρ = 0.25 reads as ε = 3.54 but for one chance in a million. A delta is needed only for keys that nobody has listed.
protect = {protect}
rho = "0.25"
"""
_COUNTED: Final = """
# At most so many rows of one person count in all answers: the fewer, the less noise, and the more rows are left out."""


def draft(path: str | Path) -> str:
    """The text of a commented ``partita.toml`` for a parquet or CSV file, from its schema alone."""
    source = Path(path)
    if not source.is_file():
        raise refuse.absent_source(drafted_name(source), path)
    columns, delimiter = _schema(source)
    name = drafted_name(source)
    known: list[str] = []
    unknown: list[str] = []
    texts: list[str] = []
    owner = None
    for column, kind in columns:
        if owner is None and owns(column):
            owner = column
            known.append(_line(column, '"identifier"', "whom the row belongs to"))
            continue
        found = guessed(column, kind)
        if found is not None:
            known.append(_line(column, *found))
        elif tells(column) and kind in _TEXT:
            texts.append(_line(column, '"text_keys"', "what people are called, or wrote"))
        else:
            unknown.append(_line(column, *_asked(column, kind)))
    listed = known
    if unknown and len(known) > (owner is not None):
        listed = [*known, "", "# Not guessed:", *(f"# {line}" for line in unknown)]
    elif unknown:
        # Nothing to ask about yet: the first question says what to fill in.
        listed = [*known, *unknown]
    if texts:
        listed = [*listed, "", "# Text about people: rather leave it out.", *(f"# {line}" for line in texts)]
    reading = "" if delimiter is None else _READING.format(name=name, delimiter=_text(delimiter))
    place = _text(str(path).replace("\\", "/"))
    protect = '"rows"' if owner is None else f"{{ users = {{ column = {_text(owner)}, rows = 10 }} }}"
    text = _HEADER.format(name=name, source=place, reading=reading) + "\n".join(listed) + "\n"
    counted = "" if owner is None else _COUNTED
    return text + _FOOTER.format(protect=protect, counted=counted)


def drafted_name(path: str | Path) -> str:
    """What a draft calls the table in a file.

    >>> drafted_name("Survey 2025.csv")
    'survey_2025'
    """
    stem = bare(str(path)).stem.lower()
    name = "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in stem)
    return name if name[:1].isalpha() else f"t_{name}"


def _schema(source: Path) -> tuple[list[tuple[str, str]], str | None]:
    """Names and types, and for a delimited file the sign between its names."""
    match bare(source).suffix.lower():
        case ".parquet":
            from pyarrow import ArrowInvalid, parquet

            try:
                schema = parquet.read_schema(source)
            except ArrowInvalid:
                raise refuse.unknown_source(source.stem, str(source)) from None
            return [(field.name, str(field.type)) for field in schema], None
        case ".csv" | ".tsv" | ".txt":
            packed = source.suffix.lower() == ".gz"
            opened: Any = gzip.open if packed else open
            with opened(source, "rb") as stream:
                first = stream.readline(_LONGEST).decode("utf-8-sig", errors="replace")
            delimiter = max(DELIMITERS[:4], key=lambda sign: len(_split(first, sign)))
            return [(column, "unknown") for column in _split(first, delimiter) if column], delimiter
        case _:
            raise refuse.unknown_source(source.stem, str(source))


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])


def _line(column: str, declared: str, told: str) -> str:
    return f"{f'{_key(column)} = {declared}'.ljust(60)} # {told}"


def _asked(column: str, kind: str) -> tuple[str, str]:
    """A placeholder for a stored type, and an example."""
    stored = "" if kind == "unknown" else f"; stored as {kind}"
    if links(column):
        return '"key"', f"links rows, or names something; never shown{stored}"
    if kind.startswith(("int", "uint")):
        return '{ integers = ["?", "?"] }', f"such as [0, 120]{stored}"
    if kind.startswith(("float", "double", "half", "decimal")):
        return '{ decimals = ["?", "?"], step = "0.01" }', f"such as [0, 1000]{stored}"
    if kind.startswith("timestamp"):
        told = f'such as ["2025-01-01", "2025-12-31 23:59:59"]{stored}'
        return '{ timestamps = ["?", "?"], step = "1s", zone = "UTC" }', told
    if kind.startswith("date"):
        return '{ dates = ["?", "?"] }', f'such as ["2025-01-01", "2025-12-31"]{stored}'
    return '{ categories = ["?"] }', f'such as ["one", "two"]; or integers, decimals, dates, "booleans"{stored}'


def _key(column: str) -> str:
    if column and all(sign.isascii() and (sign.isalnum() or sign in "_-") for sign in column):
        return column
    escaped = column.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in escaped) + '"'


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
