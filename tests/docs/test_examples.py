"""Every Python example in the README, the guides and the book runs, shows what it says, and draws what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Block, examples, pages, pictures, run, shown

SHOWING_CODE = [page for page in pages() if examples(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", SHOWING_CODE, ids=shown)
def test_the_examples_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    for block in examples(text):
        run(block, shown(page), names)
    for picture in pictures(text):
        assert Path(picture).read_text(encoding="utf-8").lstrip().startswith("<?xml"), picture


def test_an_example_with_a_wrong_answer_fails():
    with pytest.raises(AssertionError, match="Expected"):
        run(Block("python", ">>> 1 + 1\n3\n", 1), "page.md", {})


def test_a_later_example_sees_the_names_of_an_earlier_one():
    names: dict[str, object] = {}
    run(Block("python", "x = 1\n", 1), "page.md", names)
    run(Block("python", ">>> y = x + 1\n>>> y\n2\n", 5), "page.md", names)
    assert names["y"] == 2
