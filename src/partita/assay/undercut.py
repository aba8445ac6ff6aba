"""Whether what is booked for several charges at once is anywhere less than the sum of what each books by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, final

from partita.assay.meaning import Boxes, Codes, inside

Along = tuple[tuple[int, int], ...]
Box = tuple[Along, ...]
Vector = tuple[Fraction, ...]

# Boxes that are met with others, one after the other, for one charge.
MOST: Final = 20_000


@final
class Load(NamedTuple):
    """An amount on every value of some boxes."""

    boxes: Boxes
    amount: Vector


def undercut(parts: Sequence[Load], whole: Load, *, most: int = MOST) -> Codes | None:
    """A value at which the parts add up to more than the whole, or None where none was found.

    Values are looked for where many boxes meet: from each box on, what it has in common with the next that it meets,
    and with the next after that, forwards and backwards. Beyond ``most`` boxes no more are looked at.

    >>> halves = [Load(((((0, 5),),),), (Fraction(1),)), Load(((((4, 9),),),), (Fraction(1),))]
    >>> undercut(halves, Load(((((0, 9),),),), (Fraction(1),)))
    (4,)
    """
    for codes in dict.fromkeys(_heavy(parts, most)):
        met = [one.amount for one in parts if inside(one.boxes, codes)]
        summed = [sum(each) for each in zip(*met, strict=True)]
        booked = whole.amount if inside(whole.boxes, codes) else tuple(Fraction(0) for _ in whole.amount)
        if any(mine > theirs for mine, theirs in zip(summed, booked, strict=False)):
            return codes
    return None


def _heavy(parts: Sequence[Load], most: int) -> Iterator[Codes]:
    """Values where boxes of many parts meet."""
    listed: list[Box] = [box for one in parts for box in one.boxes]
    for place, box in enumerate(listed):
        for order in (listed[place + 1 :] + listed[:place], listed[:place][::-1] + listed[place + 1 :][::-1]):
            common: Box = box
            for other in order:
                most -= 1
                if most < 0:
                    return
                both = tuple(map(_both, common, other))
                common = both if all(both) else common
            yield tuple(along[0][0] for along in common)


def _both(one: Along, other: Along) -> Along:
    """The codes that two lists of intervals have in common."""
    found = ((max(low, lower), min(high, higher)) for low, high in one for lower, higher in other)
    return tuple((low, high) for low, high in found if low < high)
