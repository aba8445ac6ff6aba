"""What the OpenAPI document allows, and much that it does not, is answered or refused in one shape, in every role."""

from __future__ import annotations

import warnings
from typing import Any

import httpx
import hypothesis
import pytest

from tests.sizes import tried

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the packages that it is made of
    schemathesis = pytest.importorskip("schemathesis")

NEGATIVE = schemathesis.GenerationMode.NEGATIVE
ROLES = ("carol", "ada", "audrey")
EACH = 2
SOAKING = 200


def operations(house: Any) -> list[Any]:
    schema = schemathesis.openapi.from_dict(house.send("carol", "GET", "/v1/openapi.json").json())
    return [found.ok() for found in schema.get_all_operations()]


def sent(house: Any, name: str, case: Any) -> Any:
    """The answer to one case."""
    told = case.as_transport_kwargs(base_url=house.url)
    options = {word: told[word] for word in ("params", "json", "data", "files") if told.get(word) is not None}
    if isinstance(options.get("data"), str | bytes):
        options["content"] = options.pop("data")
    headers = {**dict(told.get("headers") or {}), "Authorization": f"Bearer {house.tokens[name]}"}
    try:
        return house._http.request(told["method"], told["url"], headers=headers, **options)
    except httpx.InvalidURL:
        hypothesis.reject()  # the client does not send it


@pytest.mark.soak
@pytest.mark.parametrize("name", ROLES)
def test_every_route_keeps_to_its_description_in_every_role(house, name):
    """Nothing is a fault of the server, and every refusal has the one shape; rows are nowhere."""
    seen = set()
    for operation in operations(house):

        @hypothesis.settings(
            max_examples=tried(EACH, soaking=SOAKING),
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate],
        )
        @hypothesis.given(case=operation.as_strategy() | operation.as_strategy(generation_mode=NEGATIVE))
        def one(case: Any) -> None:
            found = sent(house, name, case)
            assert found.status_code < 500, (case.method, case.path, found.text[:300])
            if found.status_code >= 400:
                assert set(found.json()["error"]) == {"code", "kind", "message"}, found.text[:300]
            assert "set-cookie" not in found.headers
            assert found.headers["x-content-type-options"] == "nosniff"
            seen.add(case.operation.path)

        one()
    assert {"/v1/ask", "/v1/practice/ask", "/v1/tokens", "/v1/map", "/v1/compose"} <= seen
