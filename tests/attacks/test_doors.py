"""The laboratory's attacks through accounts at every door of one server: whoever asks, wherever, one ledger pays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Any

import psycopg
import pytest

import partita as pt
from partita.attacks.cohort import Cohort, made
from partita.attacks.laboratory.collusion import collude
from partita.attacks.laboratory.differencing import difference
from partita.attacks.laboratory.reconstruction import reconstruct
from partita.errors import PartitaError
from partita.sampling.bits import TestBits
from tests.paths.serving import Server, tokens
from tests.paths.test_mcp_over_http import refused, talk

SETTINGS = """
ledger = "patients.ledger"
second_opinion = 0
[[promises]]
protect = "rows"
epsilon = "{epsilon}"
[server]
port = 0
postgres = "127.0.0.1:0"
practice = false
requests_per_minute = 1000000
[tables.patients]
source = "patients.csv"
[tables.patients.columns]
ward = {{ integers = [0, {wards}], missing = 0 }}
person = {{ integers = [0, {people}], missing = 0 }}
"""
ACCOUNTS = {"carol": "custodian", "ada": "analyst", "bob": "analyst", "model": "analyst"}


class Doors:
    """One server asked by three accounts in turn: over HTTP, by the protocol of PostgreSQL, and as a language model."""

    def __init__(self, place: Path, cohort: Cohort, epsilon: str) -> None:
        place.mkdir()
        rows = cohort.rows().to_pylist()
        lines = ["ward,person", *(f"{row['ward']},{row['person']}" for row in rows)]
        (place / "patients.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        limits = {"wards": cohort.wards - 1, "people": cohort.people - 1}
        (place / "partita.toml").write_text(SETTINGS.format(epsilon=epsilon, **limits), encoding="utf-8")
        self.place, self.tokens = place, tokens(place, ACCOUNTS)
        self.server = Server(place)
        self.url = self.server.url
        port = int(self.server.process.stdout.readline().rpartition(":")[2])
        self.promises = (pt.Promise(pt.rows(), pt.Pure(epsilon=epsilon)),)
        self._http = pt.connect(self.url, token=self.tokens["ada"])
        self._wire = psycopg.connect(
            host="127.0.0.1", port=port, user="bob", password=self.tokens["bob"], dbname="partita", autocommit=True
        )
        self._next: cycle[Callable[[str, str], list[dict[str, Any]]]] = cycle(
            (self._by_http, self._by_wire, self._by_model)
        )
        self.asked: dict[str, int] = {}

    def session(self, **_: Any) -> Doors:
        """Whoever asks here has an account already."""
        return self

    def ask(self, sql: str, *, analyst: str = "", epsilon: Fraction) -> Any:
        """What the next door says."""
        door = next(self._next)
        self.asked[door.__name__] = self.asked.get(door.__name__, 0) + 1
        return Rows(door(sql, str(Fraction(epsilon))))

    def close(self) -> None:
        self._http.close()
        self._wire.close()
        self.server.stop()

    def _by_http(self, sql: str, epsilon: str) -> list[dict[str, Any]]:
        return self._http.ask(sql, epsilon=epsilon).rows()

    def _by_wire(self, sql: str, epsilon: str) -> list[dict[str, Any]]:
        try:
            found = self._wire.execute(f"/* partita: epsilon='{epsilon}' */ {sql}")
        except psycopg.Error as refusal:
            raise over() if refusal.diag.source_function == "ledger.over-budget" else refusal from None
        names = [column.name for column in found.description]
        return [dict(zip(names, line, strict=True)) for line in found.fetchall()]

    def _by_model(self, sql: str, epsilon: str) -> list[dict[str, Any]]:
        house: Any = self
        said = talk(
            house, "model", lambda client: client.call_tool("ask", {"question": sql, "epsilon": epsilon}), "auto"
        )
        if said.is_error:
            assert refused(said).startswith("ledger.over-budget"), refused(said)
            raise over()
        return said.structured_content["rows"]


class Rows:
    """An answer, as far as an attack looks at it."""

    def __init__(self, found: list[dict[str, Any]]) -> None:
        self._found = found

    def rows(self) -> list[dict[str, Any]]:
        return self._found


def over() -> PartitaError:
    """The refusal that a curator would have raised."""
    return pt.BudgetExceeded("ledger.over-budget", "over")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doors")


ATTACKS = {
    "differencing": (lambda **options: difference(epsilon=1, **options), (120, 4)),
    "reconstruction": (lambda **options: reconstruct(epsilon=1, questions=24, **options), (60, 8)),
    "collusion": (lambda **options: collude(epsilon=1, analysts=6, **options), (200, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_it_stays_where_it_is_through_all_doors_together(name, folders):
    """It succeeds where nothing protects, and no better against accounts that put together what they were told."""
    attack, size = ATTACKS[name]
    cohort = made(*size, bits=TestBits(7))
    doors = Doors(folders / name, cohort, "1")
    try:
        against: Any = doors
        outcome = attack(among=cohort, against=against, bits=TestBits(8))
        assert set(doors.asked) == {"_by_http", "_by_wire", "_by_model"} or name == "differencing"
        assert outcome.withstood
        assert outcome.against < outcome.without
        with pt.connect(doors.url, token=doors.tokens["carol"]) as carol:
            assert carol.spent()[0].fits(pt.Pure(epsilon=1))
            assert carol.verify()["sound"]
    finally:
        doors.close()
