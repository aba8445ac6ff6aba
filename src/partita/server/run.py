"""A server from its start to its end: settings, curator, socket, and a quiet close."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.routing import BaseRoute

from partita.curator.settings import Settings, opened_settings, read_settings
from partita.errors import server as refuse
from partita.ledger.book.sqlite import MEMORY
from partita.ledger.book.store import State
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger
from partita.server.accounts.register import Role
from partita.server.app import application
from partita.server.board import Board
from partita.server.log import log, note
from partita.server.punctual import Punctual
from partita.server.service import Service
from partita.server.settings import ServerSettings, read_server
from partita.server.wire.listening import bound
from partita.server.wire.listening import listening as wire_listening
from partita.server.workers import Workers

if TYPE_CHECKING:
    from partita.server.routes.talks import Talks

Told = Callable[[str], None]


def serve(
    path: str | os.PathLike[str],
    *,
    environment: Mapping[str, str],
    version: str,
    told: Told,
    overrides: Mapping[str, Any] | None = None,
) -> None:
    """Run the server that a file declares, until it is told to end."""
    declared = read_settings(path)
    given = {**declared.server, **(overrides or {})}
    settings = read_server(str(path), given, environment, Path(path).parent)
    if declared.ledger == MEMORY:
        raise refuse.in_memory()
    listening, beside = _socket(settings), bound(settings)
    _log_to_stderr()
    listening.listen(settings.connections)
    if beside is not None:
        beside.listen(settings.connections)

    def ready() -> None:
        scheme = "https" if settings.certificate is not None else "http"
        told(f"Partita listens on {scheme}://{_shown(*listening.getsockname()[:2])}")
        if beside is not None:
            told(f"Partita answers clients of PostgreSQL on {_shown(*beside.getsockname()[:2])}")

    if settings.workers == 1:
        _work(path, declared, settings, version, listening, beside, told, Board, ready)
        return
    keeper, folder = os.getpid(), tempfile.mkdtemp(prefix="partita-")
    try:
        begun = Workers(settings.workers).begin(ready)
        if begun is not None:
            worker, well = begun
            board = partial(Board, folder, worker=worker, workers=settings.workers)
            _work(path, declared, settings, version, listening, beside, lambda _: None, board, well)
            return
    finally:
        if os.getpid() == keeper:
            shutil.rmtree(folder, ignore_errors=True)
    with open_ledger(declared.ledger) as ledger:
        _farewell(ledger, told)


def _work(
    path: str | os.PathLike[str],
    declared: Settings,
    settings: ServerSettings,
    version: str,
    listening: socket.socket,
    beside: socket.socket | None,
    told: Told,
    board: Callable[[], Board],
    ready: Callable[[], None],
) -> None:
    """The work of one process, until it is told to end."""
    with opened_settings(path, declared) as curator:
        service = Service(curator, declared, settings, board=board())
        if not any(one.role is Role.CUSTODIAN and service.register.valid(one) for one in service.register.tokens()):
            raise refuse.nobody(str(declared.ledger))
        port = listening.getsockname()[1]
        ready()
        talks = _talks(service, version)
        server = uvicorn.Server(_config(service, settings, version, () if talks is None else talks.routes()))
        note("start", port=port, version=version, **({} if settings.workers == 1 else {"worker": service.board.worker}))
        for one in (signal.SIGINT, signal.SIGTERM):
            # Uvicorn ends by them and raises them again when it has: by then they have done their work.
            signal.signal(one, lambda *_: None)
        try:
            asyncio.run(_serving(server, service, talks, listening, beside))
        finally:
            service.close()
            _farewell(curator.ledger, told)


async def _serving(
    server: uvicorn.Server, service: Service, talks: Talks | None, http: socket.socket, beside: socket.socket | None
) -> None:
    async with wire_listening(service, beside), nullcontext() if talks is None else talks.open():
        await server.serve([http])


def _talks(service: Service, version: str) -> Talks | None:
    """Conversations with language models, where the package for their protocol is installed."""
    try:
        from partita.server.routes.talks import Talks
    except ImportError:
        return None
    return Talks(service, version=version)


def _shown(host: str, port: int) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def _config(service: Service, settings: ServerSettings, version: str, talks: Sequence[BaseRoute]) -> uvicorn.Config:
    return uvicorn.Config(
        application(service, version=version, talks=talks),
        http=Punctual,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=settings.behind_proxy,
        forwarded_allow_ips="127.0.0.1" if settings.behind_proxy else None,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        limit_concurrency=settings.connections,
        timeout_keep_alive=settings.body_seconds,
        timeout_graceful_shutdown=settings.grace_seconds,
        h11_max_incomplete_event_size=64 * 1024,
        ws="none",
        lifespan="off",
    )


def _socket(settings: ServerSettings) -> socket.socket:
    """The socket, taken before anything is opened, so that two servers on one port are told at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
    except OSError as problem:
        made.close()
        raise refuse.port_taken(settings.host, settings.port, problem.strerror or "the system refused") from None
    return made


def _log_to_stderr() -> None:
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False


def _farewell(ledger: Ledger, told: Told) -> None:
    """Say what is left open: charged, kept, and finished by asking again."""
    open_now = ledger.states()[State.UNFINISHED]
    note("end", unfinished=open_now)
    told(
        "Closed. Every charge has its answer."
        if not open_now
        else f"Closed. {open_now} charges have no answer yet: they count as spent, and asking again finishes them free."
    )
