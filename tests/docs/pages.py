"""The pages of the project as their reader meets them: blocks of code in fences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import final

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)


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


def pages() -> list[Path]:
    """The pages whose code is executed: the README, the guides, and the other pages at the top."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()
