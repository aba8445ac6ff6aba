"""Certificates: an account's charges in order, its heaviest value as a witness, and a check from the list alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, final

from partita.composition.account.booking import Booking, Shape, shape
from partita.composition.account.document import VERSION, Costs, Written, read
from partita.composition.account.engine import Extent, OfValues, OfWindows
from partita.composition.account.loads.wide.values import WideLoads
from partita.composition.account.split import UNIT, Split
from partita.composition.account.verify import Item, Point, heaviest_pair, heaviest_value, heaviest_window
from partita.exact import shown
from partita.granularity import Granularity
from partita.granularity.documents import unit_document
from partita.limits import current
from partita.region.box import Box
from partita.region.codes import holds
from partita.region.domain import Domain

if TYPE_CHECKING:
    from partita.composition.account.account import RegionAccount

# Comparisons that a check may take before it searches, and as many again while it does; most are made many at once.
_WORK = 50_000_000


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """What another organisation needs to recompute the loss of everybody (theory E25).

    ``charges`` are loads in the terms of the promise, in the order they were admitted; ``lower`` and ``upper``
    bracket the largest loss in each coordinate; ``witness`` bears the lower end of the first coordinate. Where a table
    has so many columns that no search comes to an end, ``split`` shows an upper bound (theory I14 d).
    """

    shape: Shape
    granularity: Granularity
    measure: str
    budget: tuple[Fraction, ...]
    domain: Domain
    charges: tuple[Booking, ...]
    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    witness: tuple[Point, ...]
    axis: int = 0
    width: int = 1
    split: Split | None = None

    def to_json(self) -> str:
        """The certificate as text, the same on every machine."""
        document = {
            "version": VERSION,
            "shape": self.shape.name,
            "granularity": str(self.granularity),
            "unit": unit_document(self.granularity),
            "measure": self.measure,
            "budget": _texts(self.budget),
            "domain": self.domain.describe(),
            "digest": self.domain.digest,
            "charges": [
                {
                    "region": [[[list(interval) for interval in axis] for axis in box] for box in charge.region.boxes],
                    "one": _texts(charge.one),
                    "both": None if charge.substitution is None else _texts(charge.substitution),
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
        if self.split is not None:
            document["split"] = {"groups": self.split.groups, "shares": self.split.shares}
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


def certified(account: RegionAccount, record: Sequence[Booking], extents: Sequence[Extent]) -> Certificate:
    """The certificate of an account from the list of its charges and its heaviest loads."""
    promise, units, engine = account.promise, account.units, account.engine
    windows = engine if isinstance(engine, OfWindows) else None
    split = None
    if isinstance(engine, OfValues) and isinstance(engine.loads, WideLoads) and not engine.loads.exact:
        groups, shares = engine.loads.split([charge.region.boxes for charge in record], UNIT)
        split = Split(tuple(groups), tuple(map(tuple, shares)))
    return Certificate(
        shape=shape(promise.granularity),
        granularity=promise.granularity,
        measure=promise.budget.kind,
        budget=promise.budget.vector(),
        domain=account.domain,
        charges=tuple(record),
        lower=units.exact([extent.lower for extent in extents]),
        upper=units.exact([extent.upper for extent in extents]),
        witness=extents[0].witness,
        axis=0 if windows is None else windows.steps.axis,
        width=1 if windows is None else windows.steps.width,
        split=split,
    )


def check(text: str, nodes: int | None = None) -> Check:
    """Recompute everything in a certificate from its list of charges; nothing else of it is believed.

    The work is bounded, whatever the certificate says: what cannot be shown within it is a complaint.
    """
    stated = read(text)
    if stated.complaints:
        return Check((), (), stated.complaints)
    fixed, each = _work(stated)
    items = [[_item(charge, place) for charge in stated.charges] for place in range(len(stated.budget))]
    shows = stated.split is not None and stated.split.work(items[0]) <= _WORK
    if fixed > _WORK and not shows:
        return Check((), (), ("it could not be shown, within the work allowed, that the promise is kept",))
    overlapping = [
        f"charge {number} has overlapping boxes"
        for number, charge in enumerate(stated.charges)
        if fixed <= _WORK and any(_meet(one, other) for one, other in combinations(charge.boxes, 2))
    ]
    if overlapping:
        return Check((), (), tuple(overlapping))
    lower, upper = [], []
    for place, mine in enumerate(items):
        if fixed <= _WORK:
            least, most = _extent(stated, mine, min(current().nodes if nodes is None else nodes, _WORK // each))
        else:
            # Too many to be searched: the witness and the split alone, which need no search.
            least, most = Fraction(0), sum((item.one for item in mine), Fraction(0))
        if shows and stated.split is not None:
            held = (item.one for item in mine if stated.witness and _inside(item.boxes, stated.witness[0]))
            least = max(least, sum(held, Fraction(0)))
            branches = min(current().nodes, _WORK // max(1, stated.split.work(mine)))
            most = min(most, stated.split.bound(stated.domain.shape, mine, place, branches))
        lower.append(least)
        upper.append(most)
    complaints = [
        f"coordinate {i}: the loss may be {shown(most)}, above the budget"
        for i, (most, limit) in enumerate(zip(upper, stated.budget, strict=True))
        if most > limit
    ]
    complaints += [
        f"coordinate {i}: a loss of {shown(least)} was found, above the claimed bound"
        for i, (least, most) in enumerate(zip(lower, stated.upper, strict=True))
        if least > most
    ]
    complaints += [
        f"coordinate {i}: no loss is above {shown(most)}, and a larger one is claimed"
        for i, (least, most) in enumerate(zip(stated.lower, upper, strict=True))
        if least > most
    ]
    if stated.shape is Shape.VALUES and stated.witness:
        met = sum((charge.one[0] for charge in stated.charges if _inside(charge.boxes, stated.witness[0])), Fraction(0))
        if met < stated.lower[0]:
            complaints.append("the witness bears less than is claimed")
    return Check(tuple(lower), tuple(upper), tuple(complaints))


def _item(charge: Costs, place: int) -> Item:
    substitution, same = (Fraction(0) if part is None else part[place] for part in (charge.substitution, charge.same))
    return Item(charge.boxes, charge.one[place], substitution, same)


def _extent(stated: Written, items: Sequence[Item], nodes: int) -> tuple[Fraction, Fraction]:
    sizes = stated.domain.shape
    match stated.shape:
        case Shape.VALUES:
            return heaviest_value(sizes, items, nodes)[:2]
        case Shape.PAIRS:
            return heaviest_pair(sizes, items, nodes)[:2]
        case Shape.WINDOWS:
            axis, width = stated.window
            column = stated.domain.bounded[axis]
            last = sizes[axis] - (1 if column.null is None else 2)
            return heaviest_window(sizes, items, axis, width, nodes, last=last, astray=column.code(None))[:2]


def _work(stated: Written) -> tuple[int, int]:
    """How many comparisons the verifier makes in any case, and for each branch that it looks at; both at most."""
    pieces = [box for charge in stated.charges for box in charge.boxes]
    axes = range(len(stated.domain.shape))
    numbers = [number for charge in stated.charges for number in charge.parts()]
    longest = max((max(part.numerator, part.denominator).bit_length() for part in numbers), default=0)
    # Longer numbers are added more slowly.
    weight = len(stated.budget) * (1 + longest // 256)
    meetings = sum(sum(len(box[axis]) for box in charge.boxes) ** 2 for charge in stated.charges for axis in axes)
    if stated.shape is not Shape.WINDOWS:
        fixed, each = _searching(pieces, len(axes), pairs=stated.shape is Shape.PAIRS)
        return meetings + weight * fixed, weight * each
    axis, width = stated.window
    steps = stated.domain.shape[axis]
    summing = meetings + weight * (steps * (1 + len(pieces)) + (steps + width) * width)
    if summing > _WORK:
        return summing, 1
    at = [_searching([box for box in pieces if holds(box[axis], step)], len(axes)) for step in range(steps)]
    return summing + weight * sum(fixed for fixed, _ in at), weight * sum(each for _, each in at)


def _searching(pieces: Sequence[Box], axes: int, *, pairs: bool = False) -> tuple[int, int]:
    """The same for one search: classes of an axis are told apart at its cuts, by which pieces hold them."""
    count = 1 + len(pieces)
    cuts = [2 + 2 * sum(len(box[axis]) for box in pieces) for axis in range(axes)]
    if pairs:
        return sum(count * cut * cut for cut in cuts), max((count * cut * cut for cut in cuts), default=1)
    return sum(count * cut for cut in cuts), max((cut * (cut + count) for cut in cuts), default=1)


def _meet(first: Box, second: Box) -> bool:
    return all(
        any(a < d and c < b for a, b in mine for c, d in theirs) for mine, theirs in zip(first, second, strict=True)
    )


def _inside(boxes: Sequence[Box], point: Point) -> bool:
    return any(
        all(any(low <= code < high for low, high in codes) for codes, code in zip(box, point, strict=True))
        for box in boxes
    )


def _texts(numbers: Sequence[Fraction]) -> list[str]:
    return [str(number) for number in numbers]
