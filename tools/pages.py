"""Pages of documentation as programs: their fenced blocks, and how the examples in them are run."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass
from typing import final

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@final
@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its text, and the line of the page where its text begins."""

    language: str
    code: str
    line: int


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page, in order.

    >>> blocks("Say:\\n\\n```python\\nx = 1\\n```\\n")
    [Block(language='python', code='x = 1\\n', line=4)]
    """
    found = []
    for fence in FENCE.finditer(page):
        lines = fence.group("code").splitlines(keepends=True)
        code = "".join(line.removeprefix(fence.group("indent")) for line in lines)
        line = page[: fence.start("code")].count("\n") + 1
        found.append(Block(fence.group("language"), code, line))
    return found


def examples(page: str) -> list[Block]:
    """The blocks of a page that are run."""
    return [block for block in blocks(page) if block.language == "python"]


def run(block: Block, page: str, names: dict[str, object]) -> None:
    """Run one block in the names left by the blocks before it; what it shows must be what it gives."""
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


def pictures(page: str) -> list[str]:
    """The pictures that a page shows and its own code makes.

    >>> pictures("![Two curves](curves.svg)")
    ['curves.svg']
    """
    return re.findall(r"!\[[^\]]*\]\(([\w-]+\.svg)\)", page)
