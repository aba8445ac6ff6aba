"""Tables fit every screen: nothing is cut, whatever its width."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from partita.cli.fit import fitted
from partita.cli.tables import table

WORDS = ["north", "12,042", "41.5", "-1,234,567.25", "18,200", "one row, added or removed"]


def shown(width: int, *, terminal: bool) -> str:
    made = table(
        "A title", [("clinic", ""), ("n", "right"), ("±", "right"), ("total", "right"), ("±", "right"), ("", "")]
    )
    made.add_row(*WORDS)
    made.add_row(*WORDS)
    file = StringIO()
    screen = Console(file=file, width=width, force_terminal=terminal, color_system=None)
    found = fitted(made, screen)
    screen.print(found, width=getattr(found, "width", None), crop=False)
    return file.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("width", [1, 7, 20, 40, 60, 80, 200])
def test_no_number_is_cut_and_no_row_is_lost(width, terminal):
    told = shown(width, terminal=terminal)
    assert "…" not in told
    plain = "".join(told.split()) if width < 20 else told
    for word in WORDS[:-1]:
        assert plain.count(word) == 2


def test_a_terminal_without_room_gets_a_line_for_each_number():
    told = shown(40, terminal=True)
    assert "\nclinic: north\n  n: 12,042 ± 41.5\n  total: -1,234,567.25 ± 18,200\n" in told
    assert told.count("\n  one row, added or removed\n") == 2


def test_words_are_not_squeezed_into_a_thin_column():
    made = table("", [("protected", ""), ("budget", "")])
    made.add_row("one patient with at most ten rows in all tables, added or removed", "ρ = 0.00483742 of ρ = 0.25")
    screen = Console(file=StringIO(), width=30, force_terminal=True, color_system=None)
    assert fitted(made, screen) is not made


def test_a_terminal_never_gets_lines_longer_than_it_is():
    for width in (40, 60, 62, 64, 66, 70, 80):
        assert max(map(len, shown(width, terminal=True).splitlines())) <= width


def test_a_wide_screen_gets_a_table():
    assert " 12,042   41.5   -1,234,567.25   18,200   one row, added or removed" in shown(100, terminal=True)
