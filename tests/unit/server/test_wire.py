"""Conversations that no client would begin: nothing fails, and nothing is charged without an answer."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import random
import socket
import struct
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import partita as pt
from partita.ledger.book.store import State
from partita.server.service import Service
from partita.server.settings import ServerSettings
from partita.server.wire import conversation
from partita.server.wire.listening import bound, listening
from tests.sizes import tried

SQL = (
    "SELECT COUNT(*) AS n FROM t",
    "/* partita: rho=0.0001 */ SELECT COUNT(*) AS n FROM t",
    "/* partita: rho=0.0001 */ SELECT x, COUNT(*) AS n FROM t WHERE x > $1 GROUP BY x",
    "SELECT 1; SELECT 'a' ; BEGIN",
    "ROLLBACK",
    "SELECT * FROM partita.remaining",
    "SELECT c.oid::regclass FROM pg_class c WHERE relname ~ $1",
    "DECLARE c CURSOR FOR SELECT relname FROM pg_class",
    "FETCH 3 FROM c",
    "SET partita.rho = '0.0001'",
    "COPY t TO STDOUT",
    "",
    "\ufffd\u202e; /* open",
    "SELECT " + "(" * 400 + "1" + ")" * 400,
)


class Served:
    """An endpoint in this process, over TLS if it is asked for."""

    def __init__(self, place: Path) -> None:
        certificate(place)
        table = pt.Table("t", source=[{"x": 1}, {"x": 3}], columns={"x": pt.integers(0, 9)})
        promise = pt.Promise(pt.rows(), pt.ZCDP(rho=1000))
        self.curator = pt.Curator(tables=[table], promises=[promise], ledger=":memory:", second_opinion=0)
        declared: Any = SimpleNamespace(tables=(table,), promises=(promise,), public=())
        settings = ServerSettings(
            postgres="127.0.0.1:0",
            body_seconds=1,
            body_bytes=100_000,
            requests_per_minute=10**9,
            certificate=str(place / "cert.pem"),
            key=str(place / "key.pem"),
        )
        service = Service(self.curator, declared, settings)
        self.token, _ = service.register.give("ada", "analyst", by="tests")
        taken = bound(settings)
        self.port = taken.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._ended, begun = asyncio.Event(), threading.Event()

        async def serving() -> None:
            async with listening(service, taken):
                begun.set()
                await self._ended.wait()

        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(serving()))
        self._thread.start()
        begun.wait(30)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(30)
        self._loop.close()
        self.curator.close()

    def line(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def client(self, **more: Any) -> psycopg.Connection:
        told = {"password": self.token, "dbname": "partita", "autocommit": True, **more}
        return psycopg.connect(host="127.0.0.1", port=self.port, user="ada", **told)

    def signed_in(self) -> socket.socket:
        """A line on which somebody has signed in by hand."""
        one = self.line()
        one.sendall(opening(struct.pack("!i", 3 << 16) + b"user\0ada\0database\0partita\0\0"))
        heard(one, b"R")
        bare = "n=,r=nonce"
        one.sendall(message(b"p", b"SCRAM-SHA-256\0" + sized(f"n,,{bare}".encode())))
        first = heard(one, b"R")[4:].decode()
        parts = dict(part.split("=", 1) for part in first.split(","))
        salted = hashlib.pbkdf2_hmac("sha256", self.token.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
        client = hmac.digest(salted, b"Client Key", "sha256")
        last = f"c={base64.b64encode(b'n,,').decode()},r={parts['r']}"
        said = f"{bare},{first},{last}".encode()
        signature = hmac.digest(hashlib.sha256(client).digest(), said, "sha256")
        proof = base64.b64encode(bytes(a ^ b for a, b in zip(client, signature, strict=True))).decode()
        one.sendall(message(b"p", f"{last},p={proof}".encode()))
        heard(one, b"Z")
        return one


def certificate(place: Path) -> None:
    """A certificate that nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    (place / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    kinds = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (place / "key.pem").write_bytes(key.private_bytes(*kinds))


def message(tag: bytes, body: bytes) -> bytes:
    return tag + struct.pack("!i", len(body) + 4) + body


def opening(body: bytes) -> bytes:
    return struct.pack("!i", len(body) + 4) + body


def sized(body: bytes) -> bytes:
    return struct.pack("!i", len(body)) + body


def read(one: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        more = one.recv(count - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def heard(one: socket.socket, tag: bytes) -> bytes:
    """The body of the next message of this kind; an error before it is none."""
    while True:
        kind, length = struct.unpack("!ci", read(one, 5))
        body = read(one, length - 4)
        if kind == tag:
            return body
        assert kind != b"E", body


def told(one: socket.socket) -> bytes:
    """All that is said until the line is closed."""
    found = b""
    try:
        while more := one.recv(65536):
            found += more
    except ConnectionError:
        pass
    return found


ADA = opening(struct.pack("!i", 3 << 16) + b"user\0ada\0\0")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("wire"))
    yield made
    made.close()


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    found: list[BaseException] = []
    monkeypatch.setattr(conversation, "failed", lambda _, error: found.append(error))
    return found


def test_tls_is_spoken_and_nothing_before_it_counts(served):
    with served.client(sslmode="require") as one:
        assert one.execute("SELECT 1").fetchone() == (1,)
        assert one.pgconn.ssl_in_use
    with served.line() as one:
        one.sendall(opening(struct.pack("!i", 80877103)) + b"stuffed")
        assert b"before TLS" in told(one)


def test_a_line_that_is_wrong_from_the_start_is_closed_with_a_word(served, faults):
    for said, word in (
        (struct.pack("!i", 7), b"08P01"),
        (struct.pack("!i", 2**31 - 1), b"08P01"),
        (opening(struct.pack("!i", 2 << 16)), b"another version"),
        (opening(struct.pack("!i", 3 << 16) + b"user\0ada"), b"no end"),
        (opening(struct.pack("!i", 3 << 16) + b"user\0\xff\0\0"), b"UTF-8"),
        (opening(struct.pack("!i", 3 << 16) + b"user\0ada\0\0") + message(b"Q", b"SELECT 1\0"), b"not expected"),
        (
            opening(struct.pack("!i", 3 << 16) + b"user\0ada\0\0") + message(b"p", b"SCRAM-SHA-256-PLUS\0"),
            b"only SCRAM",
        ),
        (
            opening(struct.pack("!i", 3 << 16) + b"user\0ada\0\0")
            + message(b"p", b"SCRAM-SHA-256\0" + sized(b"p=tls-server-end-point,,n=,r=x")),
            b"cannot be bound",
        ),
        (b"", b"did not arrive"),
        (b"\0\0", b"did not arrive"),
    ):
        with served.line() as one:
            one.sendall(said)
            assert word in told(one), said
    assert faults == []


def test_a_cancellation_needs_the_secret(served):
    with served.client() as one:
        with served.line() as other:
            other.sendall(opening(struct.pack("!iii", 80877102, one.info.backend_pid, 12345)))
            assert told(other) == b""
        assert one.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.soak
def test_no_conversation_fails_the_server_or_is_charged_without_an_answer(served, faults):
    chance = random.Random(20)
    for _ in range(tried(120, soaking=100_000)):
        with served.signed_in() as one:
            one.sendall(b"".join(spoken(chance) for _ in range(chance.randint(1, 12))) + message(b"X", b""))
            one.shutdown(socket.SHUT_WR)
            told(one)
    assert faults == []
    states = served.curator.ledger.states()
    assert states[State.UNFINISHED] == 0
    assert states[State.ANSWERED] > 0
    with served.client() as one:
        assert one.execute("SELECT 1").fetchone() == (1,)


def spoken(chance: random.Random) -> bytes:
    """A message that a client could send, or nearly."""
    name = chance.choice([b"", b"a", b"c"]) + b"\0"
    text = chance.choice(SQL).encode() + b"\0"
    form = chance.choice([0, 1, 7])
    short, long = chance.choice([0, 1, 2, 65535]), chance.choice([-1, 0, 1, 2**31 - 1])
    value = chance.choice([sized(b"1"), sized(b"\0\0\0\1"), struct.pack("!i", -1), struct.pack("!i", 9)])
    made = chance.choice(
        [
            message(b"Q", text),
            message(b"P", name + text + struct.pack("!h", 0)),
            message(b"P", name + text + struct.pack("!hi", 1, chance.choice([0, 20, 23, 600, 1016]))),
            message(b"B", name + name + struct.pack("!hh", 0, 0) + struct.pack("!h", 0)),
            message(
                b"B",
                name + name + struct.pack("!hhh", 1, form, 1) + value + struct.pack("!hh", 1, 1),
            ),
            message(b"D", chance.choice([b"S", b"P", b"?"]) + name),
            message(b"E", name + struct.pack("!i", long)),
            message(b"C", chance.choice([b"S", b"P"]) + name),
            message(b"S", b""),
            message(b"H", b""),
            message(chance.choice([b"F", b"d", b"p", b"\0", b"\xff"]), name),
            message(b"B", name + name + struct.pack("!H", short)),
        ]
    )
    if chance.random() < 0.15:
        place = chance.randrange(5, len(made) + 1)
        made = made[:1] + struct.pack("!i", place - 1) + made[5:place]
    if chance.random() < 0.1:
        place = chance.randrange(len(made))
        made = made[:place] + bytes([chance.randrange(256)]) + made[place + 1 :]
    return made


def test_an_address_that_others_reach_needs_a_certificate():
    with pytest.raises(pt.InvalidInput, match="in the clear"):
        bound(ServerSettings(postgres="0.0.0.0:0"))
    with pytest.raises(pt.InvalidInput, match="host and port"):
        bound(ServerSettings(postgres="here"))
