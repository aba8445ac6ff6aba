"""One server for all tests that can share it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.paths.serving import House


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A running server with accounts of all roles; a price above ρ = 1 waits for the custodian."""
    model = 'accounts = { model = { ceiling = { rho = "0.1" }, ask_above = { rho = "0.02" } } }'
    made = House(tmp_path_factory.mktemp("served") / "house", server=f'approve_above = {{ rho = "1" }}\n{model}')
    yield made
    made.close()
