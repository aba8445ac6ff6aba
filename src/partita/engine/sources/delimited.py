"""Delimited files: each row stands alone, whoever reads it, or the file is not read at all."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, final

from partita.query.tables.sources import Delimited

_CHUNK = 50_000


@final
class Malformed(Exception):
    """A file that is not written as was declared: the line, and what is wrong with it."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line, self.why = line, why


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


def records(source: Delimited) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with the lines they begin in, the names first; one that is not well-formed raises Malformed.

    The same form as ``header`` asks for. Where line breaks are declared, a value in quotation marks may hold them; a
    row ends with the first line at whose end every mark is closed, and has as many values as there are names, so that
    a mark which the writer of the file forgot to double does not quietly join two rows.
    """
    mark, inside = re.escape(source.delimiter), "" if source.line_breaks else r"\r\n"
    quoted, bare = rf'"(?:[^"{inside}]|"")*+"', rf'[^"\r\n{mark}]*+'
    whole = re.compile(rf"(?:{mark}(?:{quoted}|{bare}))++")
    value = re.compile(rf'{mark}(?:"((?:[^"]|"")*+)"|({bare}))')
    width = len(source.names)
    if width:
        yield 0, list(source.names)
    with _opened(source) as stream:
        end, line = "", 0
        for first in stream:
            end = end or ("\r\n" if first.endswith("\r\n") else "\n")
            line, start, row = line + 1, line + 1, first
            if source.line_breaks and row.count('"') % 2:
                parts, marks = [row], row.count('"')
                for further in stream:
                    parts.append(further)
                    line, marks = line + 1, marks + further.count('"')
                    if not marks % 2:
                        break
                row = "".join(parts)
            row = row.removesuffix(end)
            if not row:
                continue
            if '"' not in row and "\r" not in row and "\n" not in row:
                values = row.split(source.delimiter)
            elif whole.fullmatch(source.delimiter + row) is None:
                raise Malformed(start, _why(row, end))
            else:
                found = value.finditer(source.delimiter + row)
                values = [one[2] if one[1] is None else one[1].replace('""', '"') for one in found]
            width = width or len(values)
            if len(values) > width or (source.line_breaks and len(values) != width):
                raise Malformed(start, f"it has {len(values)} values, and the first line has {width}")
            yield start, values


def columns(source: Delimited, wanted: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """The names in a file, and its texts under each wanted name; a text without signs is none.

    A wanted name is found whatever its capitals; one that is not there is left out.
    """
    import pyarrow as pa

    from partita.engine.sources.frames import strings

    rows = records(source)
    _, names = next(rows, (1, []))
    folded = [name.lower() for name in names]
    places = {name: folded.index(name.lower()) for name in wanted if name.lower() in folded}
    for name in places:
        if folded.count(name.lower()) > 1:
            raise Malformed(1, f"two columns are called {name}")
    chunks: dict[str, list[Any]] = {name: [] for name in places}
    texts: dict[str, list[str | None]] = {name: [] for name in places}
    for count, (_, values) in enumerate(rows, start=1):
        for name, place in places.items():
            texts[name].append((values[place] if place < len(values) else "") or None)
        if count % _CHUNK == 0:
            for name, listed in texts.items():
                chunks[name].append(strings(listed))
                listed.clear()
    for name, listed in texts.items():
        chunks[name].append(strings(listed))
    return names, {name: pa.chunked_array(parts) for name, parts in chunks.items()}


def _opened(source: Delimited) -> IO[str]:
    """The file as text; whoever reads it closes it."""
    packed = source.path.lower().endswith(".gz")
    binary: Any = gzip.open(source.path, "rb") if packed else open(source.path, "rb")  # noqa: SIM115
    encoding = "utf-8-sig" if source.encoding == "utf-8" else source.encoding
    return io.TextIOWrapper(binary, encoding=encoding, errors="strict", newline="\n")


def _why(row: str, end: str) -> str:
    """What is wrong with a row, in words that hold nothing of it."""
    if row.count('"') % 2:
        return "a quotation mark is not closed; if values hold line breaks, declare line_breaks = true"
    if row.endswith(("\r", "\n")) or ("\r" in row and end == "\n"):
        return "it ends differently from the first line"
    return "a quotation mark stands inside a value that is not in quotation marks from end to end"
