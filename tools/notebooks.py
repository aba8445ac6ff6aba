"""Runs the example notebooks, and writes into them what they show.

python tools/notebooks.py docs/notebooks/*.ipynb
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

# One width for everybody who runs them, and pages that say nothing about this machine.
SCREEN = {"COLUMNS": "100", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def run(path: Path) -> None:
    """One notebook, in a kernel and a folder of its own."""
    import nbformat
    from nbclient import NotebookClient

    made: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    os.environ.update(SCREEN)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(made, timeout=120, resources={"metadata": {"path": folder}}, record_timing=False).execute()
    nbformat.write(made, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    for given in sys.argv[1:]:
        run(Path(given))
        print(f"ran {given}")
