"""Random public declarations, and pools of what may really be stored under them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import partita as pt

Row = dict[str, Any]
Stored = list[Row]

_WILD = [
    None,
    None,
    float("nan"),
    float("inf"),
    -float("inf"),
    2**63,
    -(10**30),
    "",
    "abc",
    "1e999",
    "nan",
    " 3 ",
    True,
]
_DAYS = [dt.date(2024, 2, day) for day in (20, 26, 27, 28, 29)] + [dt.date(2024, 3, day) for day in (1, 2, 3, 4, 5, 9)]
# Naive on purpose: a stored moment without a zone.
_WILD_DAYS = [
    None, "soon", "2024-02-30", "2024-03-01", dt.datetime(2024, 3, 1, 23, 30), "2024-03-01 07:00",  # noqa: DTZ001
    "0000-01-01", dt.date(1, 1, 1), dt.date(9999, 12, 31), 7, float("nan"), "2024-02-29T10:00:00.5",
]  # fmt: skip


@dataclass(frozen=True)
class Schema:
    """Declared columns by the letter of their kind, and what may be stored in each: likely values, and wild ones."""

    columns: dict[str, Any]
    likely: dict[str, Sequence[Any]]
    wild: dict[str, Sequence[Any]]
    facts: dict[str, Any]
    theme: str

    def of(self, *kinds: str) -> list[str]:
        """The columns of some kinds."""
        return [name for name in self.columns if self.facts[name]["kind"] in kinds]

    def row(self, rng: random.Random) -> Row:
        """One stored row."""
        odd = rng.random() < 0.6
        return {
            name: rng.choice(self.wild[name] if odd and rng.random() < 0.25 else self.likely[name])
            for name in self.columns
        }


def schema(rng: random.Random, *, constant: bool, theme: str) -> Schema:
    """A random declaration; ``constant`` columns are for promises on users alone.

    The theme is what is asked about: open keys, ragged regions of wide columns, narrow regions, or anything.
    """
    columns: dict[str, Any] = {"who": pt.identifier()}
    likely: dict[str, Sequence[Any]] = {"who": ["p", "p", "q", "r"]}
    wild: dict[str, Sequence[Any]] = {"who": [None, "s", "", 5, "é"]}
    facts: dict[str, Any] = {"who": {"kind": "who"}}

    def declare(name: str, column: Any, kind: str, usual: Sequence[Any], odd: Sequence[Any], **more: Any) -> None:
        columns[name], likely[name], wild[name] = column, usual, odd
        facts[name] = {"kind": kind, **more}

    for name in ("a", "b"):
        low, high = rng.choice([(0, 3), (-2, 2), (5, 8), (-9, -6), (0, 1), (100, 101)])
        missing = rng.choice([None, None, low, high])
        usual = [*range(low, high + 1), low - 1, high + 1, low + 0.5, str(low)]
        declare(name, pt.integers(low, high, missing=missing), "number", usual, _WILD, low=low, high=high)
    if theme == "ragged":
        for name in ("x", "y"):
            usual = [0, 1, 2, 7, 9, 64, 65, 130, 131]
            declare(name, pt.integers(0, 130, missing=0), "wide", usual, _WILD, low=0, high=130)
    if rng.random() < 0.5:
        usual = [0, 0.1, 0.125, 0.25, Decimal("0.5"), 0.74, 0.75, 9, -3]
        missing = rng.choice([None, "0.5"])
        declare("c", pt.decimals(0, "0.75", step="0.25", missing=missing), "number", usual, _WILD, low=0, high="0.75")
    listed = rng.choice([("x", "y"), ("x", "y", "z")])
    other, missing = rng.choice(["OTHER", "x", "y"]), rng.choice([None, None, "x", "y"])
    always = constant and rng.random() < 0.5
    declare("d", pt.categories(*listed, other=other, missing=missing, constant=always), "name", [*listed, "w"],
            [None, "", "X", "x ", "OTHER", 3, float("nan")], names=listed)  # fmt: skip
    missing_day = rng.choice([None, "2024-02-28", "2024-03-03"])
    declare("f", pt.dates("2024-02-27", "2024-03-03", missing=missing_day), "day", _DAYS, _WILD_DAYS)
    if rng.random() < 0.5:
        missing = rng.choice([None, True, False])
        declare("g", pt.booleans(missing=missing), "flag", [True, False], [None, "true", "NO", 1, "maybe", 2])
    if theme == "keys" or rng.random() < 0.5:
        always = constant and rng.random() < 0.3
        declare("t", pt.text_keys(constant=always), "key", ["s", "u"], [None, "", "S", "s ", 4, "é", float("nan")])
    return Schema(columns, likely, wild, facts, theme)


FACTS = pt.PublicTable(
    "facts", [{"d": "x", "w": 3, "s": "A"}, {"d": "y", "w": -2, "s": "B"}, {"d": "OTHER", "w": None, "s": "A"}], key="d"
)
