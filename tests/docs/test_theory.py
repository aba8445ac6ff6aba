"""Every theorem that the code cites stands on the theory page."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, pages

NUMBER = r"[A-I]\d+[a-z]?"
CITATION = re.compile(rf"\btheory ({NUMBER}(?:(?:, | and | to |, and )?{NUMBER})*)")
ANCHOR = re.compile(r'<a id="([a-i]\d+[a-z]?)"></a>')


def stated() -> set[str]:
    return {anchor.upper() for anchor in ANCHOR.findall((ROOT / "docs" / "theory.md").read_text(encoding="utf-8"))}


def cited() -> set[tuple[str, str]]:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md"), *pages()]
    return {
        (path.relative_to(ROOT).as_posix(), number)
        for path in sources
        for citation in CITATION.findall(path.read_text(encoding="utf-8"))
        for number in re.findall(NUMBER, citation)
    }


def known(number: str) -> bool:
    """Whether a number, or the statement it is a lettered part of, is on the page."""
    return bool({number.upper(), number.rstrip("abcdefgh")} & stated())


def test_every_theorem_that_is_cited_exists():
    missing = sorted((path, number) for path, number in cited() if not known(number))
    assert not missing


@pytest.mark.parametrize("letter", "ABCDEFGI")
def test_the_statements_of_a_section_are_numbered_without_a_gap(letter):
    numbers = {int(re.sub(r"\D", "", number)) for number in stated() if number.startswith(letter)}
    assert numbers == set(range(1, max(numbers) + 1))
