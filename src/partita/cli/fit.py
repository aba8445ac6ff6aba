"""Tables on a screen of any width: no word and no number is cut; where there is no room the rows are stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

# What a table is measured with: wider than any.
_BOUNDLESS = 10**6
# A column with a few words a line is harder to read than rows one below the other.
_THIN = 16


def fitted(made: Table, screen: Console) -> RenderableType:
    """The table with columns that hold their longest word, or its rows one below the other if they do not fit.

    A pipe has no width, so there the table is as wide as its words need.
    """
    from rich.measure import Measurement

    wide = screen.options.update(max_width=_BOUNDLESS)
    least, most = [], []
    for column in made.columns:
        sizes = [Measurement.get(screen, wide, cell) for cell in (column.header, *column.cells)]
        most.append(max(size.maximum for size in sizes))
        least.append(most[-1] if column.no_wrap else max(size.minimum for size in sizes))
    around = Measurement.get(screen, wide, made).maximum - sum(most)
    room = screen.width - around
    if not screen.is_terminal:
        room = max(room, sum(least))
    if sum(least) > room:
        return _stacked(made)
    widths = shared(least, most, room)
    if any(width < min(_THIN, longest / 4) for width, longest in zip(widths, most, strict=True)):
        return _stacked(made)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = width
    made.width = sum(column.width or 0 for column in made.columns) + around
    return made


def shared(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Widths between the least and the most that fill the room; the widest give way first.

    >>> shared([1, 4, 3], [5, 4, 20], 16)
    [5, 4, 7]
    """
    widths = list(most)
    while sum(widths) > room:
        yielding = [place for place, width in enumerate(widths) if width > least[place]]
        widest = max(yielding, key=lambda place: widths[place])
        widths[widest] -= 1
    return widths


def _stacked(made: Table) -> RenderableType:
    """Every row as lines of its own, each with the heading of its column; an error bar stays with its number."""
    from rich.console import Group
    from rich.text import Text

    def text(cell: RenderableType) -> Text:
        return cell if isinstance(cell, Text) else Text.from_markup(str(cell))

    headings = [text(column.header) for column in made.columns]
    lines = [Text(str(made.title), style="bold"), Text()] if made.title else []
    for row in zip(*(column.cells for column in made.columns), strict=True):
        begun = len(lines)
        for heading, cell in zip(headings, map(text, row), strict=True):
            if heading.plain == "±" and len(lines) > begun:
                lines[-1] = Text.assemble(lines[-1], " ± ", cell)
            elif cell.plain:
                told = Text.assemble(heading, ": ", cell) if heading.plain else cell
                lines.append(Text.assemble("  ", told) if len(lines) > begun else told)
    return Group(*lines, Text())
