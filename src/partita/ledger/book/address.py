"""A ledger on a server: its address, and the files of this machine that belong to it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Final, final

from partita.errors import ledger_server as refuse_server

_STARTS: Final = ("postgresql://", "postgres://")


@final
@dataclass(frozen=True, slots=True)
class Address:
    """A book on a PostgreSQL server, such as ``postgresql://curator@db.example/clinic``.

    ``folder`` is where this machine keeps its own anchor of the book and the signing key.

    >>> book = Address("postgresql://curator:secret@db.example/clinic", "house")
    >>> print(book, book.beside("anchor"))
    postgresql://db.example/clinic house/db.example-clinic.ledger.anchor
    """

    text: str
    folder: str = ""

    @staticmethod
    def named(place: str) -> bool:
        """Whether a text names a server rather than a file."""
        return place.lower().startswith(_STARTS)

    def __str__(self) -> str:
        """The address without who connects, and without secrets."""
        host, database = self._called()
        return f"postgresql://{host}/{database}"

    def beside(self, ending: str) -> str:
        """The path of a file of this machine that belongs to the book."""
        name = re.sub(r"[^\w.-]+", "_", "-".join(filter(None, self._called())))
        return os.path.join(self.folder, f"{name}.ledger.{ending}")

    def _called(self) -> tuple[str, str]:
        parts = self.parts()
        return str(parts.get("host") or parts.get("hostaddr") or "localhost"), str(parts.get("dbname") or "")

    def parts(self) -> dict[str, Any]:
        """What the driver reads from the address."""
        driver = driver_of(self.text)
        try:
            return dict(driver.conninfo.conninfo_to_dict(self.text))
        except driver.Error:
            raise refuse_server.bad_address() from None


def driver_of(_address: str) -> Any:
    """The library that speaks to such a server."""
    try:
        import psycopg
    except ImportError:
        raise refuse_server.no_driver("postgres", "psycopg") from None
    return psycopg
