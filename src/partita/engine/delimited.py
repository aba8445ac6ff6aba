"""Delimited files line by line: one line is one row, whoever reads it, or the file is not read at all."""

from __future__ import annotations

import codecs
import csv
import re
from itertools import chain
from pathlib import Path


def delimiter(path: Path) -> str:
    """What stands between two values."""
    return "\t" if path.suffix.lower() == ".tsv" else ","


def header(path: Path) -> list[str] | None:
    """The names in the first line, or None if some line is not one row in the plainest form.

    Readers disagree about quotation marks inside a value, blanks before them and carriage returns, and one that finds
    a quotation where another finds none swallows the rows behind it: one row would decide about all others. So a
    value either has no quotation mark at all or stands in quotation marks from end to end, marks inside doubled; no
    value runs over the end of its line; and all lines end alike.
    """
    mark = re.escape(delimiter(path)).encode()
    value = rb'(?:"(?:[^"\r\n]|"")*+"|[^"\r\n' + mark + rb"]*+)"
    plain = re.compile(value + rb"(?:" + mark + value + rb")*+")
    with path.open("rb") as stream:
        first = stream.readline()
        end = b"\r\n" if first.endswith(b"\r\n") else b"\n"
        first = first.removesuffix(end).removeprefix(codecs.BOM_UTF8)
        if any(plain.fullmatch(line.removesuffix(end)) is None for line in chain((first,), stream)):
            return None
    return next(csv.reader([first.decode(errors="replace")], delimiter=delimiter(path)), [])
