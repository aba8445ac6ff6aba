"""A real server for tests: a process of its own on a free port of this machine, with accounts and made-up rows."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

import partita as pt
from partita.curator.settings import declared_terms, read_settings
from partita.ledger.opening import open_ledger
from partita.server.accounts.register import Register

SETTINGS = """
ledger = "visits.ledger"
second_opinion = 2
{top}
[[promises]]
protect = "rows"
rho = "{rho}"
[[promises]]
protect = "replace"
epsilon = "1000"
delta = "1e-6"
[analysts]
limited = [{{ rho = "0.05" }}, {{}}]
[server]
port = 0
{server}
[tables.visits]
source = "visits.csv"
[tables.visits.columns]
age = {{ integers = [0, 120], missing = 0 }}
sex = {{ categories = ["F", "M"] }}
day = {{ dates = ["2025-01-01", "2025-01-31"] }}
"""


def folder(place: Path, *, rho: str = "10", server: str = "", top: str = "") -> Path:
    """A custodian's folder with a small table."""
    place.mkdir(parents=True, exist_ok=True)
    rng = random.Random(7)
    lines = [f"{rng.randint(0, 100)},{rng.choice('FM')},2025-01-{rng.randint(1, 31):02}" for _ in range(500)]
    (place / "visits.csv").write_text("\n".join(["age,sex,day", *lines]) + "\n", encoding="utf-8")
    (place / "partita.toml").write_text(SETTINGS.format(rho=rho, server=server, top=top), encoding="utf-8")
    return place


def tokens(place: Path, names: Mapping[str, str]) -> dict[str, str]:
    """A token for every account, given out as the command line does."""
    settings = read_settings(place / "partita.toml")
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        register = Register(ledger)
        return {name: register.give(name, role, by="tests")[0] for name, role in names.items()}


class Server:
    """A server process; its lines on standard error are its log."""

    def __init__(self, place: Path, environment: Mapping[str, str] | None = None, program: str | None = None) -> None:
        self.place = place
        command = [sys.executable, "-m", "partita"] if program is None else [sys.executable, "-c", program]
        self.process = subprocess.Popen(
            [*command, "serve", "--config", str(place / "partita.toml")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.log: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        said = self.process.stdout.readline()
        if "listens on" not in said:
            self.process.kill()
            raise AssertionError(f"the server did not start: {said}{''.join(self.log)}")
        self.url = said.split()[-1]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """End it, and say with which code and last words."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        said = self.process.stdout.read()
        code = self.process.wait(60)
        self.process.stdout.close()
        self._listener.join(60)
        self.process.stderr.close()
        return code, said

    def _listen(self) -> None:
        for line in self.process.stderr:
            self.log.append(line)


class House:
    """A server with an account of every role, reached by the client or by plain HTTP."""

    ROLES = {
        "carol": "custodian",
        "ada": "analyst",
        "bob": "analyst",
        "limited": "analyst",
        "model": "analyst",
        "audrey": "auditor",
    }

    def __init__(self, place: Path, **options: Any) -> None:
        self.place = folder(place, **options)
        self.tokens = tokens(self.place, self.ROLES)
        self.server = Server(self.place)
        self.url = self.server.url
        self._http = httpx.Client(base_url=self.url, timeout=120)

    def as_(self, name: str) -> Any:
        """A session of an account."""
        return pt.connect(self.url, token=self.tokens[name])

    def send(self, name: str | None, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """A plain request in somebody's name."""
        headers = {} if name is None else {"Authorization": f"Bearer {self.tokens.get(name, name)}"}
        headers.update(options.pop("headers", {}))
        if body is not None:
            options["content"] = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        return self._http.request(method, path, headers=headers, **options)

    def close(self) -> None:
        self._http.close()
        self.server.stop()
