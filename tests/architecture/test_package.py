"""The package says of itself what is so: one version, its authors, its Pythons, and an image from this checkout."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import partita

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_there_is_one_version():
    assert PROJECT["version"] == partita.__version__
    assert f"\nversion: {partita.__version__}\n" in CITATION


def test_authors_and_licence_are_said_alike():
    (author,) = PROJECT["authors"]
    assert f"  - name: {author['name']}\n" in CITATION
    assert f"license: {PROJECT['license']}\n" in CITATION


def test_the_pythons_that_are_named_are_those_that_are_taken():
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert named == ["3.11", "3.12", "3.13"]
    assert PROJECT["requires-python"] == ">=3.11"
    assert {version.removesuffix("-slim") for version in re.findall(r"python:(\S+)", DOCKERFILE)} <= set(named)


def test_the_image_is_made_from_files_that_are_there_and_not_left_out():
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [
        name for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]
    ]
    assert copied == ["pyproject.toml", "README.md", "LICENSE", "src"]
    assert all((ROOT / name).exists() and f"!{name}" in let_in for name in copied)
    extras = re.findall(r"\[([a-z,]+)\]", DOCKERFILE)
    assert extras
    assert all(name in PROJECT["optional-dependencies"] for listed in extras for name in listed.split(","))


TEXTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), ROOT / "Makefile"]


@pytest.mark.parametrize("words", ["pip install partita", "pip install 'partita[", 'pip install "partita['])
def test_nobody_is_told_to_fetch_a_package_that_is_not_published(words):
    told = [path.name for path in TEXTS if path.name != "CHANGELOG.md" and words in path.read_text(encoding="utf-8")]
    assert told == []
