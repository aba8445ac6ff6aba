"""A language model over HTTP: the official client of the protocol, in both of its ways, with the tokens of accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from partita.server.models.guide import GUIDE

WAYS = ("legacy", "auto")
COUNT = "SELECT sex, COUNT(*) AS n FROM visits WHERE age > {} GROUP BY sex"
BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}},
}
BOTH = {"Accept": "application/json, text/event-stream"}


def talk(house, name: str, said: Callable[[Client], Awaitable[Any]], way: str, path: str = "/mcp", **more: Any) -> Any:
    """One conversation."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {house.tokens[name]}"}
        async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
            line = streamable_http_client(house.url + path, http_client=http)
            async with Client(line, mode=way, **more) as client:
                return await said(client)

    return asyncio.run(run())


def refused(result: Any) -> str:
    assert result.is_error
    return str(result.content[0].text)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_has_the_account_of_its_token(house, way):
    question = COUNT.format(33 + len(way))

    async def said(client: Client) -> Any:
        assert client.instructions == GUIDE
        names = {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}
        assert [name for name, free in names.items() if not free] == ["ask", "ask_plan"]
        described = (await client.call_tool("describe", {})).structured_content
        assert described["most_a_call_may_cost"] == "ρ = 0.1"
        assert described["a_person_is_asked_above"] == "ρ = 0.02"
        first = (await client.call_tool("ask", {"question": question, "rho": "0.01"})).structured_content
        again = (await client.call_tool("ask", {"question": question, "rho": "0.01"})).structured_content
        assert (first["free"], again["free"]) == (False, True)
        assert "query.rows-themselves" in refused(
            await client.call_tool("ask", {"question": "SELECT * FROM visits", "rho": "0.01"})
        )
        assert "models.above-ceiling" in refused(await client.call_tool("ask", {"question": question, "rho": "0.2"}))
        return first

    first = talk(house, "model", said, way)
    with house.as_("model") as session:
        assert session.ask(question, rho="0.01").free
        assert [line["n"] for line in session.ask(question, rho="0.01").rows()] == [line["n"] for line in first["rows"]]


@pytest.mark.parametrize("way", WAYS)
def test_a_person_at_the_client_is_asked_and_nothing_is_charged_without_a_yes(house, way):
    heard: list[str] = []
    question = COUNT.format(50 + len(way))
    yes = {"spend": False}

    async def person(_: Any, asked: Any) -> types.ElicitResult:
        heard.append(asked.message)
        return types.ElicitResult(action="accept", content=dict(yes))

    async def said(client: Client) -> None:
        dear = {"question": question, "rho": "0.05"}
        before = (await client.call_tool("left", {})).structured_content
        assert "models.declined" in refused(await client.call_tool("ask", dear))
        assert (await client.call_tool("left", {})).structured_content == before
        yes["spend"] = True
        assert (await client.call_tool("ask", dear)).structured_content["costs"][0] == "ρ = 0.05"
        assert len(heard) == 2
        assert all(question in one for one in heard)

    async def nobody(client: Client) -> None:
        assert "models.nobody-to-ask" in refused(
            await client.call_tool("ask", {"question": COUNT.format(7), "rho": "0.05"})
        )

    talk(house, "model", said, way, elicitation_callback=person)
    talk(house, "model", nobody, way)


def test_the_ceiling_of_an_account_holds_at_every_door(house):
    dear = {"question": COUNT.format(61), "rho": "0.11"}
    for path, body in (
        ("/v1/ask", dear),
        ("/v1/ask-many", {"questions": [dear["question"]], "rho": "0.11"}),
        ("/v1/plans", {"questions": [dear["question"]], "rho": "0.11"}),
    ):
        found = house.send("model", "POST", path, body)
        assert (found.status_code, found.json()["error"]["code"]) == (402, "models.above-ceiling"), path
    assert house.send("model", "POST", "/v1/practice/ask", dear).status_code == 200
    assert house.send("ada", "POST", "/v1/ask", dear).status_code == 200
    assert house.send("model", "POST", "/v1/ask", dear).json()["free"], "what was answered is free, whatever it cost"


def test_practice_is_a_seat_of_its_own(house):
    async def said(client: Client) -> Any:
        return (await client.call_tool("ask", {"question": COUNT.format(1), "rho": "0.05"})).structured_content

    with house.as_("model") as session:
        before = session.spent()
        assert talk(house, "model", said, "auto", "/mcp/practice")["practice"] is True
        assert session.spent() == before


def test_who_may_not_is_refused_in_the_one_shape(house):
    def begun(token: str | None, **more: Any) -> httpx.Response:
        headers = {**BOTH, **more.pop("headers", {})}
        return house.send(token, more.pop("method", "POST"), "/mcp", more.pop("body", BEGIN), headers=headers, **more)

    made = house.send("carol", "POST", "/v1/tokens", {"account": "passing", "role": "analyst"}).json()
    assert begun(made["text"]).status_code == 200
    house.send("carol", "DELETE", f"/v1/tokens/{made['number']}")
    told = {begun(token).text for token in (None, "partita-" + "A" * 43, made["text"])}
    assert len(told) == 1
    assert "server.not-signed-in" in told.pop()
    assert begun("model", method="GET").status_code == 405
    assert begun("model", headers={"Host": "evil.example"}).status_code == 421
    assert begun("model", headers={"Content-Type": "text/plain"}).status_code == 415
    assert begun("model", body={**BEGIN, "x": "y" * 1_100_000}).status_code == 413
    opened = begun("model")
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert begun("model", body=listing, headers=session).status_code == 200
    assert begun("ada", body=listing, headers=session).status_code == 404
    assert opened.headers["cache-control"] == "no-store"
    for wrong in ([], "x", {"jsonrpc": "2.0"}, [BEGIN] * 3, {**listing, "id": None, "method": "tools/call"}):
        assert begun("model", body=wrong).status_code in (400, 404, 406), wrong


def test_an_auditor_looks_and_asks_nothing(house):
    async def said(client: Client) -> str:
        assert not (await client.call_tool("quote", {"question": COUNT.format(2), "rho": "0.01"})).is_error
        return refused(await client.call_tool("ask", {"question": COUNT.format(2), "rho": "0.01"}))

    assert "server.not-allowed" in talk(house, "audrey", said, "auto")
