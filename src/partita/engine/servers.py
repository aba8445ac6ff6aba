"""Where a database server is, and what its custodian allows there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from partita.engine.log import log
from partita.errors import InvalidInput
from partita.errors import engine as refuse
from partita.exact import whole

_OPTIONS = ("address", "superuser", "views", "timeout")


@final
@dataclass(frozen=True, slots=True)
class Server:
    """An address such as ``postgresql://reader@db.example/clinic``, as ``database=`` gives it.

    ``superuser`` allows a role with all rights, ``views`` allows views, foreign tables and columns that are computed
    when they are read, all of which may fail on a row; ``timeout`` is how many seconds a statement may take, if
    there is an end at all: a question that is cut short answers with noise on nothing, which tells of many rows.

    >>> Server.of("postgresql://reader:secret@db.example/clinic").shown
    'db.example/clinic'
    """

    address: str
    superuser: bool = False
    views: bool = False
    timeout: int | None = None

    @classmethod
    def of(cls, given: object) -> Server:
        """The server that a setting names: an address, or a table with an address and what is allowed there."""
        if isinstance(given, Server):
            return given
        if isinstance(given, str):
            given = {"address": given}
        if not isinstance(given, Mapping) or not isinstance(given.get("address"), str) or not given["address"]:
            raise refuse.no_address(None if isinstance(given, Mapping) else given)
        unknown = sorted(set(map(str, given)) - set(_OPTIONS))
        if unknown:
            raise refuse.bad_database(unknown[0], f"There are: {', '.join(_OPTIONS)}.")
        for option in ("superuser", "views"):
            if not isinstance(given.get(option, False), bool):
                raise refuse.bad_database(option, "Give true or false.")
        timeout = given.get("timeout")
        try:
            timeout = None if timeout is None else whole(timeout, "timeout", least=1)
        except InvalidInput:
            raise refuse.bad_database("timeout", "Give whole seconds, 1 or more.") from None
        made = cls(given["address"], given.get("superuser", False), given.get("views", False), timeout)
        if not made._parts():
            raise refuse.no_address(None)
        return made

    def _parts(self) -> dict[str, Any]:
        from_address = _driver().conninfo.conninfo_to_dict
        try:
            return dict(from_address(self.address))
        except Exception:  # noqa: BLE001 - what the driver says may show a password
            return {}

    @property
    def shown(self) -> str:
        """The server without who asks and without secrets."""
        parts = self._parts()
        return f"{parts.get('host') or 'the local server'}/{parts.get('dbname') or ''}".rstrip("/")

    def connected(self) -> Any:
        """A connection of its own, which begins no transaction by itself."""
        driver = _driver()
        wait = {} if "connect_timeout" in self._parts() else {"connect_timeout": 10}
        try:
            made = driver.connect(
                self.address,
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                application_name="partita",
                **wait,
            )
            # Between questions, however long that is: it cannot be said in a transaction.
            made.execute("SET idle_session_timeout = 0")
        except driver.Error:
            log.exception("The server %s cannot be reached.", self.shown)
        else:
            return made
        raise refuse.unreachable(self.shown)


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise refuse.no_driver("postgres", "psycopg") from None
    return psycopg
