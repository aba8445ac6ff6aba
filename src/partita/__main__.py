"""python -m partita: the command line."""

from __future__ import annotations

import sys


def run() -> int:
    """The command line, silent also if somebody presses Ctrl-C while it is still being loaded."""
    try:
        from partita.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run())
