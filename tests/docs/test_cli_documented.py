"""Every command and every option of the command line stands on its page, and the page names no others."""

from __future__ import annotations

import re

import pytest
import typer
from typer.main import get_command

from partita.cli import app
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
HEADING = re.compile(r"^## `partita ([a-z ]+)`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"`(--[a-z-]+)")


def commands() -> dict[str, set[str]]:
    """The options of every command, by the words that name it."""
    found: dict[str, set[str]] = {}

    def walk(command: object, words: tuple[str, ...]) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            options = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
            found[" ".join(words)] = options - {"--help"}
            return
        for name, each in inner.items():
            walk(each, (*words, name))

    walk(get_command(app), ())
    return found


COMMANDS = commands()
SECTIONS: dict[str, str] = dict(HEADING.findall(PAGE))


def listed(name: str) -> set[str]:
    """The options in the table of a command's section."""
    rows = [line.split("|")[1] for line in SECTIONS.get(name, "").splitlines() if line.startswith("| `--")]
    return {option for cell in rows for option in OPTION.findall(cell)}


def test_there_are_commands():
    assert isinstance(app, typer.Typer)
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_documented(name):
    assert name in SECTIONS


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_of_a_command_is_documented(name):
    assert listed(name) == COMMANDS[name]


def test_the_page_documents_no_command_that_is_not_there():
    assert set(SECTIONS) <= set(COMMANDS)
