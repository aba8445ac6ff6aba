"""Every Python example in the README and the guides runs and shows what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.docs.pages import Block, blocks, pages, shown

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(block: Block, page: str, names: dict[str, object]) -> None:
    """Run one block in the names left by the blocks before it."""
    if ">>>" not in block.code:
        padding = "\n" * (block.line - 1)
        exec(compile(padding + block.code, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line - 1)
    words: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=words.append, clear_globs=False)
    names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(words)


def examples(page: Path) -> list[Block]:
    return [block for block in blocks(page.read_text(encoding="utf-8")) if block.language == "python"]


SHOWING_CODE = [page for page in pages() if examples(page)]


@pytest.mark.parametrize("page", SHOWING_CODE, ids=shown)
def test_the_examples_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in examples(page):
        run(block, shown(page), names)


def test_an_example_with_a_wrong_answer_fails():
    with pytest.raises(AssertionError, match="Expected"):
        run(Block("python", ">>> 1 + 1\n3\n", 1), "page.md", {})


def test_a_later_example_sees_the_names_of_an_earlier_one():
    names: dict[str, object] = {}
    run(Block("python", "x = 1\n", 1), "page.md", names)
    run(Block("python", ">>> y = x + 1\n>>> y\n2\n", 5), "page.md", names)
    assert names["y"] == 2
