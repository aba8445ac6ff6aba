"""The conformance vectors, and how a computed value is compared with one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

Vector = dict[str, Any]
_ALL: list[Vector] = json.loads((Path(__file__).parent / "vectors.json").read_text())


def group(letter: str) -> list[Any]:
    """The vectors of one group, as test parameters named after them."""
    return [pytest.param(vector, id=vector["name"]) for vector in _ALL if vector["name"].startswith(f"{letter}.")]


def stem(vector: Vector) -> str:
    """The name without its parameters."""
    return vector["name"].split("[")[0]


def agrees(computed: object, vector: Vector) -> bool:
    """Relative for nonzero finite expectations, absolute for zero; text compares exactly."""
    return _agrees(computed, vector["expected"], vector["tolerance"])


def _agrees(computed: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, list):
        return len(computed) == len(expected) and all(
            _agrees(mine, theirs, tolerance) for mine, theirs in zip(computed, expected, strict=True)
        )
    if isinstance(expected, str):
        return bool(computed == expected)
    scale = abs(expected) if expected else 1.0
    return math.isfinite(float(computed)) and abs(float(computed) - expected) <= tolerance * scale
