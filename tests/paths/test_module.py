from __future__ import annotations

import subprocess
import sys


def test_python_dash_m_is_the_command_line():
    shown = subprocess.run([sys.executable, "-m", "partita", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("partita ")
    refused = subprocess.run(
        [sys.executable, "-m", "partita", "ledger", "show", "nothing.ledger"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
