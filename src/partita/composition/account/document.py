"""A certificate as it comes from outside: every part is read strictly and held against the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, final

from partita.composition.account.booking import Shape, Vector, shape
from partita.composition.account.loads.windows import Steps
from partita.composition.account.split import Split
from partita.composition.account.verify import Point
from partita.errors import PartitaError
from partita.errors import region as refuse
from partita.exact import written
from partita.granularity import Granularity, Windows
from partita.granularity.documents import unit_from
from partita.region.box import Box
from partita.region.domain import Domain

VERSION = 2
LONGEST = 16_000_000
_BITS = 1 << 14
# How many numbers a loss of each measure has; a Rényi loss has one for each order.
_COORDINATES: Mapping[str, int | None] = {"pure": 1, "approximate": 2, "zcdp": 2, "gdp": 1, "renyi": None}


@final
@dataclass(frozen=True, slots=True)
class Costs:
    """A charge: its boxes, and what it loses with one value inside, with both, and between records of equal values."""

    boxes: tuple[Box, ...]
    one: Vector
    substitution: Vector | None
    same: Vector | None

    def parts(self) -> list[Fraction]:
        """All numbers of it."""
        return [*self.one, *(self.substitution or ()), *(self.same or ())]


@final
@dataclass(frozen=True, slots=True)
class Written:
    """What a certificate says; the shape, axis and width follow from the granularity and the domain alone."""

    domain: Domain
    granularity: Granularity
    budget: Vector
    charges: tuple[Costs, ...]
    lower: Vector
    upper: Vector
    witness: tuple[Point, ...]
    split: Split | None
    complaints: tuple[str, ...]

    @property
    def shape(self) -> Shape:
        """Which maximum the promise is about."""
        return shape(self.granularity)

    @property
    def window(self) -> tuple[int, int]:
        """The axis of time and the steps of a window; the first axis and one step if it is about no windows."""
        return _window(self.domain, self.granularity)


def read(text: str) -> Written:
    """The certificate that a text is, or a refusal; what could hide a loss is a complaint."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise refuse.bad_certificate(f"it is no text of at most {LONGEST:,} characters")
    try:
        return _read(json.loads(text))
    except PartitaError as problem:
        if problem.code == "region.bad-certificate":
            raise
        raise refuse.bad_certificate(f"a part of it is refused ({problem.code})") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as problem:
        raise refuse.bad_certificate(f"{type(problem).__name__} while reading it") from None


def _read(document: Any) -> Written:
    if not isinstance(document, dict):
        raise refuse.bad_certificate("it is no object")
    if document["version"] != VERSION:
        raise refuse.bad_certificate("its version is unknown")
    domain, granularity = Domain.described(document["domain"]), unit_from(document["unit"])
    budget, lower, upper = (_numbers(document[name]) for name in ("budget", "lower", "upper"))
    charges = tuple(_charge(charge) for charge in _listed(document["charges"]))
    witness = tuple(tuple(_whole(code) for code in _listed(point)) for point in _listed(document["witness"]))
    _small([*budget, *lower, *upper, *(part for charge in charges for part in charge.parts())])
    complaints = [] if document["digest"] == domain.digest else ["the domain does not match its fingerprint"]
    axis, width = _window(domain, granularity)
    if Shape[document["shape"]] is not shape(granularity) or document["granularity"] != str(granularity):
        complaints.append("the maximum that was taken is not that of its granularity")
    if (_whole(document["axis"]), _whole(document["width"])) != (axis, width):
        complaints.append("its windows are not those of its granularity")
    complaints += _amiss(document["measure"], budget, lower, upper)
    pairs = shape(granularity) is Shape.PAIRS
    for number, charge in enumerate(charges):
        complaints += [f"charge {number} has {what}" for what in _malformed(domain, len(budget), charge, pairs=pairs)]
    if not all(
        len(point) == len(domain.shape)
        and all(0 <= code < size for code, size in zip(point, domain.shape, strict=True))
        for point in witness
    ):
        complaints.append("the witness is outside the domain")
    split = _split(document.get("split"))
    if split is not None:
        if shape(granularity) is not Shape.VALUES:
            complaints.append("its split is for loads of values, and the promise is about others")
        what = split.amiss(len(domain.shape), len(charges), len(budget))
        complaints += [] if what is None else [what]
    return Written(domain, granularity, budget, charges, lower, upper, witness, split, tuple(complaints))


def _split(document: Any) -> Split | None:
    if document is None:
        return None
    return Split(
        tuple(tuple(_whole(axis) for axis in _listed(group)) for group in _listed(document["groups"])),
        tuple(
            tuple(tuple((_whole(group), _whole(part)) for group, part in _listed(given)) for given in _listed(mine))
            for mine in _listed(document["shares"])
        ),
    )


def _window(domain: Domain, granularity: Granularity) -> tuple[int, int]:
    windows = granularity.single
    if not isinstance(windows, Windows):
        return 0, 1
    found = Steps.of(domain, windows)
    return found.axis, found.width


def _amiss(measure: object, budget: Vector, lower: Vector, upper: Vector) -> list[str]:
    """What is wrong with the budget and the claimed losses."""
    if not isinstance(measure, str) or measure not in _COORDINATES:
        raise refuse.bad_certificate("its measure is unknown")
    found = []
    if len(budget) != (_COORDINATES[measure] or len(budget)) or not any(budget) or min(budget) < 0:
        found.append("the budget is none of its measure")
    if len(lower) != len(budget) or len(upper) != len(budget):
        found.append("the claimed losses have other coordinates than the budget")
    return found


def _malformed(domain: Domain, coordinates: int, charge: Costs, *, pairs: bool) -> list[str]:
    """What could hide a loss: wrong coordinates, negative costs, boxes that are empty, overlap or stick out."""
    found = []
    if any(part is not None and len(part) != coordinates for part in (charge.one, charge.substitution, charge.same)):
        found.append("other coordinates than the budget")
    elif pairs != (charge.substitution is not None) or (charge.same is not None and not pairs):
        found.append("other costs than its granularity asks for")
    elif any(part < 0 for part in charge.parts()):
        found.append("a negative cost")
    if not charge.boxes:
        found.append("no region")
    found += ["a box outside the domain" for box in charge.boxes if not _within(box, domain.shape)]
    return found


def _within(box: Box, sizes: Sequence[int]) -> bool:
    return len(box) == len(sizes) and all(
        codes
        and all(0 <= low < high <= size for low, high in codes)
        and all(before[1] < after[0] for before, after in pairwise(codes))
        for codes, size in zip(box, sizes, strict=True)
    )


def _charge(document: Any) -> Costs:
    substitution, same = (None if document.get(name) is None else _numbers(document[name]) for name in ("both", "same"))
    return Costs(_boxes(document["region"]), _numbers(document["one"]), substitution, same)


def _boxes(document: Any) -> tuple[Box, ...]:
    return tuple(
        tuple(tuple((_whole(low), _whole(high)) for low, high in _listed(axis)) for axis in _listed(box))
        for box in _listed(document)
    )


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _numbers(texts: Any) -> Vector:
    if not all(isinstance(text, str) for text in _listed(texts)):
        raise TypeError
    return tuple(written(text) for text in texts)


def _small(numbers: Sequence[Fraction]) -> None:
    """Sums of all of them must be short too: what an account writes down is counted in one unit a coordinate."""
    common = 1
    for denominator in {number.denominator for number in numbers}:
        common = lcm(common, denominator)
        if common.bit_length() > _BITS:
            raise refuse.bad_certificate("its numbers have no short common unit")
