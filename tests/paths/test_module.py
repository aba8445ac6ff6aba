from __future__ import annotations

import subprocess
import sys

from partita.__main__ import run


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


def test_who_presses_ctrl_c_sees_no_traceback(monkeypatch, capsys):
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("partita.cli.app", pressed)
    assert run() == 130
    assert capsys.readouterr().err.startswith("Stopped. A question that was under way may have been charged")
    monkeypatch.setattr("partita.cli.main", pressed)
    assert run() == 130
