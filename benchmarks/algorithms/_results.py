"""One page of results for several scripts: each writes its own section and leaves the others as they are."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

PAGE = Path(__file__).with_name("RESULTS.md")
TITLE = "# Algorithms\n\nWritten by the scripts of this folder, each its own section.\n"


def write(section: str, script: str, text: str) -> None:
    """Put a section on the page, in place of the one that has its name."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else TITLE
    stamp = (
        f"`benchmarks/algorithms/{script}`, {datetime.now(UTC).date()}: {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, numpy {np.__version__}."
    )
    body = f"\n## {section}\n\n{stamp}\n\n{text.strip()}\n"
    found = re.compile(rf"\n## {re.escape(section)}\n.*?(?=\n## |\Z)", re.DOTALL)
    page = found.sub(lambda _: body, page) if found.search(page) else page.rstrip("\n") + "\n" + body
    PAGE.write_text(page, encoding="utf-8")
    print(body)


def table(head: list[str], rows: list[list[object]]) -> str:
    """Rows as a Markdown table."""
    lines = [head, ["---"] * len(head), *[[str(cell) for cell in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
