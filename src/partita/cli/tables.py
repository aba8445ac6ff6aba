"""Tables and panels for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from partita.errors.wording import printable
from partita.explain.totals import NAMES

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from partita.attacks.audits.suite import Verdict
    from partita.composition.guarantees.guarantee import Guarantee
    from partita.explain.words import Explanation


# Wide enough to read, narrow enough for any terminal.
WIDTH = 100


def table(title: str, columns: Sequence[tuple[str, str]]) -> Table:
    """An empty table; each column has a heading and is justified left or right."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, justify in columns:
        made.add_column(heading, justify="right" if justify == "right" else "left")
    return made


def quoted(text: str) -> Text:
    """What somebody else wrote, as it is: no markup, and nothing that a terminal would obey."""
    from rich.text import Text

    return Text("\n".join(map(printable, text.split("\n"))))


def explained(said: Explanation) -> Iterator[RenderableType]:
    """An explanation, one panel for each reader."""
    from rich import box
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    yield Text.assemble(("The guarantee: ", "bold"), said.guarantee)
    for section in said.sections:
        points = Table.grid(padding=(0, 1, 0, 0))
        for sentence in section.sentences:
            points.add_row("•", Text(sentence))
        yield Panel(points, title=section.title, title_align="left", box=box.ROUNDED, width=WIDTH)


def verdicts(title: str, found: Sequence[Verdict]) -> Table:
    """What each audit claimed and showed."""
    made = table(
        title,
        [("mechanism", "left"), ("neighbours", "left"), ("claim", "left"), ("shown", "right"), ("verdict", "left")],
    )
    for column in made.columns[1:]:
        column.no_wrap = True
    for verdict in found:
        words = ("caught", "[red]missed[/red]") if verdict.case.broken else ("[red]refuted[/red]", "stands")
        word = words[0] if verdict.refuted else words[1]
        made.add_row(verdict.case.name, verdict.case.relation.value, str(verdict.claim), verdict.found(), word)
    return made


def totalled(totals: Mapping[str, Guarantee]) -> Table:
    """What each method gives for the same plan."""
    made = table("", [("method", "left"), ("total ε", "right"), ("", "left"), ("by", "left")])
    largest = max((total.epsilon for total in totals.values()), default=0.0)
    least = min((total.epsilon for total in totals.values()), default=0.0)
    for method, total in totals.items():
        mark = "[bold]" if total.epsilon == least else ""
        number = f"{mark}{total.epsilon:.4f}"
        made.add_row(f"{mark}{NAMES[method]}", number, bar(total.epsilon, largest, 20), total.theorem)
    return made


def bar(value: float, largest: float, width: int = 28) -> str:
    """A bar of text as long as the value.

    >>> bar(5, 10, 4), bar(-3, 10)
    ('██', '')
    """
    eighths = round(8 * width * max(0.0, value) / largest) if largest > 0 else 0
    rest = " ▏▎▍▌▋▊▉"[eighths % 8]
    return ("█" * (eighths // 8) + rest).rstrip()
