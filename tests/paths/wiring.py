"""A server that answers clients of PostgreSQL, and connections to it."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Any

import psycopg

from tests.paths.serving import House

COUNT = "SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY sex"
PRICED = f"/* partita: rho=0.01 */ {COUNT}"


class Wired:
    """A house with the second door."""

    def __init__(self, place: Path, server: str = "") -> None:
        self.house = House(place, server=f'postgres = "127.0.0.1:0"\n{server}')
        said = self.house.server.process.stdout.readline()
        self.port = int(said.rpartition(":")[2])

    def at(self, name: str = "ada", **more: Any) -> dict[str, Any]:
        """How an account connects."""
        return {"host": "127.0.0.1", "port": self.port, "user": name, "password": self.house.tokens[name], **more}

    def as_(self, name: str = "ada", **more: Any) -> psycopg.Connection:
        """A connection of an account, each statement by itself."""
        told = {"dbname": "partita", "autocommit": True, "connect_timeout": 30, **more}
        return psycopg.connect(**self.at(name, **told))

    def plain(self) -> socket.socket:
        """A line without a client."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def close(self) -> None:
        self.house.close()


def startup(**given: str) -> bytes:
    """The first message of a client."""
    body = struct.pack("!i", 3 << 16) + b"".join(f"{a}\0{b}\0".encode() for a, b in given.items()) + b"\0"
    return struct.pack("!i", len(body) + 4) + body
