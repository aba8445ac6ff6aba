"""Every public name stands in the reference, says what it means, and has an example that runs as it is shown."""

from __future__ import annotations

import builtins
import doctest
import re

import pytest

import partita
from tests.docs.pages import ROOT
from tools import reference
from tools.pages import FLAGS

NAMES = reference.names()
PAGES = reference.pages()
NOUNS = "table granularity measure promise region mechanism plan quote charge ledger answer receipt".split()
ENTRY = re.compile(r"^\*\*(.+)\*\*\n((?::   .*\n?(?:    .*\n)*)+)", re.MULTILINE)


def test_the_reference_has_every_public_name():
    assert {one.name for one in NAMES} == set(partita.__all__) - {"__version__"}
    headings = re.findall(r"^## `(\w+)` \{#\w+\}", "\n".join(PAGES.values()), re.MULTILINE)
    assert {one.name for one in NAMES} <= set(headings)


@pytest.mark.parametrize("one", NAMES, ids=lambda one: one.name)
def test_a_public_name_says_what_it_means_and_shows_an_example(one):
    assert one.meaning.endswith(".") or one.meaning.endswith(":")
    assert one.examples


@pytest.mark.parametrize("one", NAMES, ids=lambda one: one.name)
def test_the_example_of_a_public_name_runs_with_the_public_names_alone(one, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = {each.name: each.value for each in NAMES if not hasattr(builtins, each.name)} | {one.name: one.value}
    if isinstance(one.value, type(partita)):
        known |= {name: value for name, value in vars(one.value).items() if not name.startswith("__")}
    test = doctest.DocTestParser().get_doctest("\n".join(one.examples), known, one.name, one.name, 0)
    words: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=words.append)
    assert not runner.failures, "".join(words)


def test_every_page_of_the_reference_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [place for place in reference.places() if place not in menu] == []
    assert sorted(PAGES) == sorted(reference.places())


def test_a_name_without_a_topic_is_an_error():
    with pytest.raises(LookupError, match="belongs to no topic"):
        reference.topic(reference.Name("Lost", "partita", "partita.nowhere", object()))


def glossary() -> dict[str, str]:
    return dict(ENTRY.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_of_the_design_is_in_the_glossary(noun):
    assert noun in glossary()


CLASSES = [one.name for one in NAMES if isinstance(one.value, type) and not issubclass(one.value, BaseException)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_is_a_word_of_the_glossary_or_named_under_one(name):
    assert name.lower() in glossary() or f"`{name}`" in " ".join(glossary().values())


def test_the_glossary_is_in_order_and_has_each_word_once():
    words = re.findall(r"^\*\*(.+)\*\*$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert words == sorted(set(words), key=str.lower)
