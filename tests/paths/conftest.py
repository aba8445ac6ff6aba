"""One server for all tests that can share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.paths.serving import House


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A running server with accounts of all roles; a price above ρ = 1 waits for the custodian."""
    made = House(tmp_path_factory.mktemp("served") / "house", server='approve_above = { rho = "1" }')
    yield made
    made.close()
