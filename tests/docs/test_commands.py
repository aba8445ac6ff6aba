"""Every command a page names exists, and every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from partita.cli import main
from tests.docs.pages import ROOT, blocks, pages, pictures, shown
from tools import reference

LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)(?:#[^)\s]*)?\)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
TARGET = re.compile(r"\bmake ([a-z]+)")
COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?partita ([a-z]+)")


def commands(page: Path) -> list[str]:
    """The lines of a page that a reader would type: inline code, and shell blocks."""
    text = page.read_text(encoding="utf-8")
    shell = [block.code for block in blocks(text) if block.language in {"sh", "bash", "console"}]
    return [*INLINE.findall(text), *(line.strip() for code in shell for line in code.splitlines())]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_make_target_a_page_names_exists(page):
    named = {target for line in commands(page) for target in TARGET.findall(line)}
    assert named <= make_targets()


def test_the_readme_opens_with_the_two_commands():
    first = blocks((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    assert [line.split("#")[0].strip() for line in first.code.splitlines()] == ["make demo", "make test"]
    assert first.line < 12


NAMED = sorted({match.group(1) for page in pages() for line in commands(page) if (match := COMMAND.match(line))})


@pytest.mark.parametrize("command", NAMED)
def test_every_command_a_page_names_exists(command, capsys):
    assert main([command, "--help"]) == 0, capsys.readouterr()


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_link_leads_to_a_file(page):
    text = page.read_text(encoding="utf-8")
    targets = {match.group("target") for match in LINK.finditer(text)} - set(pictures(text))
    generated = {(ROOT / "docs" / name).resolve() for name in reference.places()}
    missing = [
        target
        for target in targets
        if not (page.parent / target).exists() and (page.parent / target).resolve() not in generated
    ]
    assert not missing
