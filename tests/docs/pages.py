"""The pages of the project as their reader meets them."""

from __future__ import annotations

from pathlib import Path

from tools.pages import Block, blocks, examples, pictures, run

ROOT = Path(__file__).resolve().parent.parent.parent

__all__ = ["ROOT", "Block", "blocks", "examples", "pages", "pictures", "run", "shown"]


def pages() -> list[Path]:
    """The pages whose code is executed: the README, the guides, and the other pages at the top."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()
