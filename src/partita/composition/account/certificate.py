"""Certificates: an account's charges in order, its heaviest value as a witness, and a check from the list alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from partita.composition.account.booking import Booking, Shape, Vector
from partita.composition.account.verify import Item, Point, heaviest_pair, heaviest_value, heaviest_window
from partita.errors import PartitaError
from partita.errors import regions as refuse
from partita.region.box import Box
from partita.region.domain import Domain

VERSION = 1


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """What another organisation needs to recompute the loss of everybody (theory E25).

    ``charges`` are loads in the terms of the promise, in the order they were admitted; ``lower`` and ``upper``
    bracket the largest loss in each coordinate; ``witness`` bears the lower end of the first coordinate.
    """

    shape: Shape
    granularity: str
    measure: str
    budget: tuple[Fraction, ...]
    domain: Domain
    charges: tuple[Booking, ...]
    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    witness: tuple[Point, ...]
    axis: int = 0
    width: int = 1

    def to_json(self) -> str:
        """The certificate as text, the same on every machine."""
        document = {
            "version": VERSION,
            "shape": self.shape.name,
            "granularity": self.granularity,
            "measure": self.measure,
            "budget": _texts(self.budget),
            "domain": self.domain.describe(),
            "digest": self.domain.digest,
            "charges": [
                {
                    "region": [[[list(interval) for interval in axis] for axis in box] for box in charge.region.boxes],
                    "one": _texts(charge.one),
                    "both": None if charge.both is None else _texts(charge.both),
                    **({} if charge.same is None else {"same": _texts(charge.same)}),
                }
                for charge in self.charges
            ],
            "lower": _texts(self.lower),
            "upper": _texts(self.upper),
            "witness": [list(point) for point in self.witness],
            "axis": self.axis,
            "width": self.width,
        }
        return json.dumps(document, sort_keys=True, separators=(",", ":"))


@final
@dataclass(frozen=True, slots=True)
class Check:
    """What the verifier found: the bracket recomputed, and every reason not to believe the certificate."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    complaints: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the certificate is right and the promise is kept."""
        return not self.complaints


def check(text: str, nodes: int | None = None) -> Check:
    """Recompute everything in a certificate from its list of charges; nothing else of it is believed."""
    try:
        document: Mapping[str, Any] = json.loads(text)
        domain = Domain.described(document["domain"])
        budget = _numbers(document["budget"])
        shape = Shape[document["shape"]]
        charges = [(_boxes(charge["region"]), charge) for charge in document["charges"]]
        costs = [(boxes, *_costs(charge)) for boxes, charge in charges]
        claimed = _numbers(document["lower"]), _numbers(document["upper"])
        witness = tuple(tuple(int(code) for code in point) for point in document["witness"])
        axis, width = int(document["axis"]), int(document["width"])
        if document["version"] != VERSION:
            raise refuse.bad_certificate("its version is unknown")
    except PartitaError:
        raise
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as problem:
        raise refuse.bad_certificate(f"{type(problem).__name__} while reading it") from None
    complaints = [] if document["digest"] == domain.digest else ["the domain does not match its fingerprint"]
    complaints += _malformed(domain, budget, costs)
    if complaints:
        return Check((), (), tuple(complaints))
    lower, upper = [], []
    for place in range(len(budget)):
        items = [
            Item(boxes, one[place], (both or one)[place], Fraction(0) if same is None else same[place])
            for boxes, one, both, same in costs
        ]
        least, most = _extent(shape, domain, items, axis, width, nodes)
        lower.append(least)
        upper.append(most)
    complaints += [
        f"coordinate {i}: the loss may be {float(most):g}, above the budget"
        for i, (most, limit) in enumerate(zip(upper, budget, strict=True))
        if most > limit
    ]
    complaints += [
        f"coordinate {i}: a loss of {float(least):g} was found, above the claimed bound"
        for i, (least, most) in enumerate(zip(lower, claimed[1], strict=True))
        if least > most
    ]
    if shape is Shape.VALUES and witness:
        met = sum((one[0] for boxes, one, *_ in costs if _inside(boxes, witness[0])), Fraction(0))
        if met < claimed[0][0]:
            complaints.append("the witness bears less than is claimed")
    return Check(tuple(lower), tuple(upper), tuple(complaints))


def _costs(charge: Mapping[str, Any]) -> tuple[Vector, Vector | None, Vector | None]:
    """What a charge loses: with one value inside, with both, and between records of equal values."""
    found = [None if charge.get(name) is None else _numbers(charge[name]) for name in ("both", "same")]
    return _numbers(charge["one"]), found[0], found[1]


def _extent(
    shape: Shape, domain: Domain, items: Sequence[Item], axis: int, width: int, nodes: int | None
) -> tuple[Fraction, Fraction]:
    match shape:
        case Shape.VALUES:
            return heaviest_value(domain.shape, items, nodes)[:2]
        case Shape.PAIRS:
            return heaviest_pair(domain.shape, items, nodes)[:2]
        case Shape.WINDOWS:
            column = domain.bounded[axis]
            last = domain.shape[axis] - (1 if column.null is None else 2)
            return heaviest_window(domain.shape, items, axis, width, nodes, last=last, astray=column.code(None))[:2]


def _malformed(domain: Domain, budget: Sequence[Fraction], costs: Sequence[tuple[Any, ...]]) -> list[str]:
    """Charges that could hide a loss: wrong coordinates, negative costs, boxes that are empty, overlap or stick out."""
    found = []
    for number, (boxes, one, both, same) in enumerate(costs):
        if any(part is not None and len(part) != len(budget) for part in (one, both, same)):
            found.append(f"charge {number} has other coordinates than the budget")
        elif any(part < 0 for part in (*one, *(both or ()), *(same or ()))):
            found.append(f"charge {number} has a negative cost")
        for box in boxes:
            if len(box) != len(domain.shape) or not all(
                codes
                and all(0 <= low < high <= size for low, high in codes)
                and all(codes[k][1] < codes[k + 1][0] for k in range(len(codes) - 1))
                for codes, size in zip(box, domain.shape, strict=False)
            ):
                found.append(f"charge {number} has a box outside the domain")
        if len(boxes) > 1 and any(_meet(boxes[i], boxes[j]) for i in range(len(boxes)) for j in range(i)):
            found.append(f"charge {number} has overlapping boxes")
    return found


def _meet(first: Box, second: Box) -> bool:
    return all(
        any(a < d and c < b for a, b in mine for c, d in theirs) for mine, theirs in zip(first, second, strict=False)
    )


def _inside(boxes: Sequence[Box], point: Point) -> bool:
    return any(
        all(any(low <= code < high for low, high in codes) for codes, code in zip(box, point, strict=False))
        for box in boxes
    )


def _texts(numbers: Sequence[Fraction]) -> list[str]:
    return [str(number) for number in numbers]


def _numbers(texts: Sequence[str]) -> tuple[Fraction, ...]:
    return tuple(Fraction(text) for text in texts)


def _boxes(document: Sequence[Any]) -> tuple[Box, ...]:
    return tuple(tuple(tuple((int(low), int(high)) for low, high in axis) for axis in box) for box in document)
