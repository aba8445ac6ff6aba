"""Pieces of the page: text that is never read as markup, lists, tables that fold up on a phone, pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from partita.errors import InvalidInput
from partita.explain.report.levels import Point


def user(text: str) -> str:
    """Text that somebody wrote, in any alphabet and either direction, kept from being read as markup."""
    return f'<span dir="auto">{escape(text)}</span>' if not text.isascii() else escape(text)


def loss(amount: object) -> str:
    """An amount of loss, kept on one line where it is short."""
    text = escape(str(amount))
    return f'<span class="loss">{text}</span>' if len(text) <= 30 else text


def items(lines: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{user(line)}</li>" for line in lines) + "</ul>"


def answers(points: Sequence[Point]) -> str:
    """Questions with their answers; what stands between backticks is code."""
    said = "".join(f"<dt>{user(one.asks)}</dt><dd>{user(one.answer)}</dd>" for one in points)
    return "<dl>" + re.sub(r"`([^`<]+)`", r"<code>\1</code>", said) + "</dl>"


def table(
    name: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()
) -> Iterator[str]:
    """A table with its name; on a narrow screen every row becomes a card, each cell with its heading."""
    yield f'<div class="wide"><table role="table" aria-label="{escape(name)}"><thead role="rowgroup"><tr role="row">'
    for at, head in enumerate(heads):
        yield f'<th role="columnheader" scope="col"{_class(at, numbers)}>{escape(head)}</th>'
    yield '</tr></thead><tbody role="rowgroup">'
    for row in rows:
        cells = "".join(
            f'<td role="cell" data-head="{escape(head)}"{_class(at, numbers)}>{cell}</td>'
            for at, (head, cell) in enumerate(zip(heads, row, strict=True))
        )
        yield f'<tr role="row">{cells}</tr>'
    yield "</tbody></table></div>"


def _class(at: int, numbers: Sequence[int]) -> str:
    return ' class="n"' if at in numbers else ""


def picture(name: str, draw: Callable[[], str], caption: str) -> str:
    """A picture inside the page, or a word that the library which draws is not installed."""
    try:
        drawn = draw()
    except InvalidInput as refusal:
        if refusal.code != "explain.no-matplotlib":
            raise
        return f'<p class="unsaid">{escape(refusal.message)}</p>'
    said = escape(caption)
    own = own_names(drawn, name)
    return f'<figure role="img" aria-label="{said}">{own}<figcaption>{said}</figcaption></figure>'


def own_names(svg: str, name: str) -> str:
    """A picture whose names are its own, so that several may stand on one page.

    >>> own_names('<path id="a"/><use xlink:href="#a"/><g clip-path="url(#b)"/>', "p")
    '<path id="p-a"/><use xlink:href="#p-a"/><g clip-path="url(#p-b)"/>'
    """
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", svg)
