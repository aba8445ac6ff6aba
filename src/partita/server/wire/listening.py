"""Listening for clients of PostgreSQL beside HTTP, with TLS wherever others than this machine could listen."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import final

from partita.errors import server as refuse
from partita.server.log import note
from partita.server.service import Service
from partita.server.settings import ServerSettings, is_loopback
from partita.server.wire.conversation import Conversation
from partita.server.wire.endpoint import Endpoint
from partita.server.wire.line import Line


def address(text: str) -> tuple[str, int]:
    """Host and port of an address.

    >>> address("127.0.0.1:5433"), address("[::1]:0")
    (('127.0.0.1', 5433), ('::1', 0))
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise refuse.bad_server_setting("postgres", text, "host and port, such as 127.0.0.1:5433")
    return host.strip("[]"), int(port)


def bound(settings: ServerSettings) -> socket.socket | None:
    """The socket, taken before anything is opened; None where no address is declared."""
    if settings.postgres is None:
        return None
    host, port = address(settings.postgres)
    if not is_loopback(host) and settings.certificate is None:
        raise refuse.not_loopback(host)
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as problem:
        made.close()
        raise refuse.port_taken(host, port, problem.strerror or "the system refused") from None
    return made


@asynccontextmanager
async def listening(service: Service, taken: socket.socket | None) -> AsyncIterator[None]:
    """Clients are talked to inside."""
    if taken is None:
        yield
        return
    settings = service.settings
    tls = None
    if settings.certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.minimum_version = ssl.TLSVersion.TLSv1_2
        tls.load_cert_chain(settings.certificate, settings.key)
    endpoint = Endpoint(service, tls=tls, tls_only=not is_loopback(taken.getsockname()[0]))
    talks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(endpoint, talks), sock=taken, backlog=settings.connections)
    note("wire start", port=taken.getsockname()[1])
    try:
        with endpoint.listening():
            yield
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await endpoint.close()


@final
class Answering(asyncio.Protocol):
    """Begins a conversation on every new line."""

    def __init__(self, endpoint: Endpoint, talks: set[asyncio.Task[None]]) -> None:
        self._endpoint, self._talks = endpoint, talks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        assert isinstance(transport, asyncio.Transport)
        if self._endpoint.full:
            transport.abort()
            return
        line = Line()
        transport.set_protocol(line)
        line.connection_made(transport)
        talk = asyncio.ensure_future(Conversation(line, self._endpoint).talk())
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)
