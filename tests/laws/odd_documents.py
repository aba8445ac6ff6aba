"""Valid documents of every kind, and odd values to put into every place of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

import partita as pt

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1, 2, 10**6, 10**18, 10**400, -(10**40), 0.0, 0.5, -0.5, 1e300, 1e-300, float("inf")]),
    st.sampled_from(
        ["", "rows", "x", "1e-6", "1/3", "0.1", "1e999999999", "9" * 5000, "1/0", "nan", "\x00", "\ud800", "é" * 300]
    ),
    st.text(max_size=5),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.lists(st.one_of(st.none(), st.integers(-3, 300), st.text(max_size=2)), max_size=4),
    st.sampled_from(
        [{}, {"kind": "pure"}, {"a": {}}, [], [[]], [[[]]], [{}], [[0, 1]], [[[0, 1]]], {"": None}, [[None]]]
    ),
    st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=2), max_leaves=3),
)


def places(document: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a document."""
    yield way
    parts = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, part in parts:
        yield from places(part, (*way, name))


def changed(document: Any, way: tuple[Any, ...], value: Any, act: str) -> Any:
    """A document with one part exchanged, left out, written twice or put one level deeper."""
    if not way:
        return value
    made = copy.deepcopy(document)
    inner = made
    for name in way[:-1]:
        inner = inner[name]
    name = way[-1]
    match act:
        case "drop" if isinstance(inner, dict):
            del inner[name]
        case "twice" if isinstance(inner, list):
            inner.append(copy.deepcopy(inner[name]))
        case "deeper":
            inner[name] = [inner[name]]
        case "add" if isinstance(inner, dict):
            inner[str(value)[:20]] = value
        case _:
            inner[name] = value
    return made


WAYS = st.sampled_from(["put", "put", "put", "drop", "twice", "deeper", "add"])


@st.composite
def odd_versions(draw: Any, documents: list[Any]) -> Any:
    """A valid document with up to three odd parts."""
    found = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(found))
        found = changed(found, every[draw(st.integers(0, len(every) - 1))], draw(ODD), draw(WAYS))
    return found


PLANS: list[Any] = [
    {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 10}]},
    {"version": 1, "delta": 1e-5, "method": "zcdp", "events": [{"mechanism": "gaussian", "sigma": 10, "distance": 2}]},
    {"version": 1, "delta": "1e-6", "method": "pld", "events": [{"mechanism": "gaussian", "sigma": 4, "rate": "0.1"}]},
    {"version": 1, "users": 3, "owner": "who", "events": [{"loss": {"kind": "pure", "epsilon": "0.1"}, "count": 3}]},
    {"version": 1, "groups": 2, "events": [{"loss": {"kind": "zcdp", "rho": "0.1", "delta": "0"}}], "delta": "1e-6"},
    {"version": 1, "relation": "add-remove", "events": [{"mechanism": "randomized_response", "epsilon": 1}]},
    {
        "version": 1,
        "events": [{"loss": {"kind": "renyi", "orders": ["2", "3"], "taus": ["0.1", "0.2"]}}],
        "delta": "1e-6",
    },
]
CALIBRATIONS: list[Any] = [
    {"version": 1, "mechanism": "gaussian", "count": 100, "epsilon": 1, "delta": "1e-6"},
    {"version": 1, "mechanism": "laplace", "count": 10, "epsilon": "0.5", "distance": 3},
    {"version": 1, "mechanism": "laplace", "count": 5, "epsilon": 1, "delta": "1e-6", "method": "zcdp", "groups": 2},
    {"version": 1, "mechanism": "gaussian", "count": 3, "epsilon": 1, "delta": "1e-6", "rate": "0.1"},
    {"version": 1, "mechanism": "randomized_response", "count": 2, "epsilon": 2, "relation": "change-one"},
]
SETTINGS: list[Any] = [
    {
        "ledger": "x.ledger",
        "backend": "duckdb",
        "pace": "0.1",
        "promises": [
            {"protect": "rows", "rho": "0.5", "delta": "1e-6"},
            {"protect": {"users": {"column": "who", "rows": 3}}, "epsilon": 1},
            {"protect": {"groups": 3}, "mu": "0.5"},
            {"protect": {"windows": {"column": "day", "width": 7}}, "measure": "renyi", "orders": [2], "taus": ["0.1"]},
        ],
        "tables": {
            "visits": {
                "source": "visits.parquet",
                "people": 1000,
                "columns": {
                    "who": "identifier",
                    "age": {"integers": [0, 120], "missing": 0},
                    "cost": {"decimals": [0, 100], "step": "0.01"},
                    "sex": {"categories": ["F", "M"], "other": "F"},
                    "day": {"dates": ["2025-01-01", "2025-12-31"]},
                    "city": "text_keys",
                    "flag": {"booleans": True},
                },
            }
        },
        "analysts": {"ada": {"rho": "0.1"}},
        "public": {},
    }
]


def receipts() -> tuple[list[Any], list[Any]]:
    """A genuine receipt and a genuine certificate."""
    table = pt.Table(
        "visits",
        [{"age": 3, "sex": "F", "who": "a"}],
        {"age": pt.integers(0, 9), "sex": pt.categories("F", "M"), "who": pt.identifier()},
    )
    with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))]) as curator:
        answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 2 OR sex = 'F'", rho="0.1")
        from partita.ledger.reports.certificates import certificate

        return [answer.receipt.document()], [certificate(curator.ledger)]


def accounts() -> list[Any]:
    """Genuine certificates of accounts, of every shape."""
    domain = pt.Domain({"day": pt.integers(0, 9), "sex": pt.categories("F", "M")})
    found = []
    for granularity in (pt.rows(), pt.replace(), pt.windows("day", width=2)):
        account = pt.RegionAccount(domain, pt.Promise(granularity, pt.Pure(epsilon=9)), record=True)
        account.charge(pt.Region.where("day < 3 OR sex = 'F'", domain), pt.Pure(epsilon="0.1"))
        found.append(json.loads(account.certificate().to_json()))
    return found
