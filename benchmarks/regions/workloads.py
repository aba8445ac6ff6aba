"""The streams of questions that the region account is measured on: public domains, random regions, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from partita.region import Domain, Region, categories, integers
from partita.region.codes import span
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

Question = tuple[Region, Measure]


@dataclass(frozen=True)
class Workload:
    """A domain, a budget, and questions drawn with a seed."""

    name: str
    domain: Domain
    budget: Measure
    draw: Callable[[np.random.Generator], Region]
    price: Callable[[np.random.Generator], Measure]

    def questions(self, count: int, seed: int = 0) -> Iterator[Question]:
        generator = np.random.default_rng(seed)
        for _ in range(count):
            yield self.draw(generator), self.price(generator)


def two_coordinates(generator: np.random.Generator) -> Measure:
    """An ε between 0.001 and 0.02 and a δ of its own."""
    epsilon, delta = generator.integers(1, 20, 2)
    return Approximate(epsilon=Fraction(int(epsilon), 1000), delta=Fraction(int(delta), 10**9))


def one_coordinate(generator: np.random.Generator) -> Measure:
    return Pure(epsilon=Fraction(int(generator.integers(1, 20)), 1000))


def _range(generator: np.random.Generator, size: int) -> tuple[tuple[int, int], ...]:
    low, high = sorted(int(end) for end in generator.integers(0, size, 2))
    return span(low, high + 1)


def mixed(domain: Domain, free: float = 0.35) -> Callable[[np.random.Generator], Region]:
    """Each column free with some probability, else one category or a random range."""
    sizes = domain.shape

    def draw(generator: np.random.Generator) -> Region:
        box = []
        for size in sizes:
            if generator.random() < free:
                box.append(span(0, size))
            elif size <= 25:
                code = int(generator.integers(0, size))
                box.append(span(code, code + 1))
            else:
                box.append(_range(generator, size))
        return Region(domain, (tuple(box),))

    return draw


def dashboard(domain: Domain) -> Callable[[np.random.Generator], Region]:
    """Each column free half the time, else a category, a month of days, or a range of decades of ages."""

    def draw(generator: np.random.Generator) -> Region:
        box = []
        for name, size in zip(domain.axes, domain.shape, strict=True):
            if generator.random() < 0.5:
                box.append(span(0, size))
            elif name == "age":
                first = int(generator.integers(0, 12))
                last = int(generator.integers(first + 1, 13))
                box.append(span(first * 10, min(last * 10, size - 1)))
            elif name == "day":
                month = int(generator.integers(0, 12))
                box.append(span(month * 30, month * 30 + 30))
            else:
                code = int(generator.integers(0, size))
                box.append(span(code, code + 1))
        return Region(domain, (tuple(box),))

    return draw


def names(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{place}" for place in range(count))


MIX = Domain({"day": integers(0, 364), "region": categories(*names("r", 20)), "score": integers(0, 99)})
THREE = Domain({"region": categories(*names("r", 20)), "age": integers(0, 120), "day": integers(0, 364)})
SIX = Domain(
    {
        "region": categories(*names("r", 20)),
        "sex": categories("F", "M"),
        "age": integers(0, 120),
        "day": integers(0, 364),
        "product": categories(*names("p", 9)),
        "plan": categories("a", "b", "c"),
    }
)
DAYS = Domain({"day": integers(0, 99_999, missing=0)})
WIDE = Domain({"a": integers(0, 99_999), "region": categories(*names("r", 18)), "b": integers(0, 99_999)})
CUBE = Domain({name: integers(0, 99_999) for name in "abc"})
WIDE_SIX = Domain({name: integers(0, 99_999) for name in "abcdef"})

TIGHT = Approximate(epsilon=1, delta="1e-6")
ROOMY = Approximate(epsilon=1000, delta="1e-3")

MIXED = Workload("365 x 20 x 100 mix", MIX, TIGHT, mixed(MIX), two_coordinates)
MIXED_FAR = Workload("365 x 20 x 100 mix", MIX, ROOMY, mixed(MIX), two_coordinates)
DASHBOARD_THREE = Workload("dashboard, 3 columns", THREE, TIGHT, dashboard(THREE), two_coordinates)
DASHBOARD_SIX = Workload("dashboard, 6 columns", SIX, TIGHT, dashboard(SIX), two_coordinates)
DASHBOARD_FAR = Workload("dashboard, 3 columns", THREE, ROOMY, dashboard(THREE), two_coordinates)
RANGES = Workload("ranges of 100,000 days", DAYS, Pure(epsilon=200), mixed(DAYS, free=0), one_coordinate)
WIDE_MIX = Workload("100,000 x 20 x 100,000 mix", WIDE, TIGHT, mixed(WIDE), two_coordinates)
CUBE_MIX = Workload("100,000^3 mix", CUBE, TIGHT, mixed(CUBE), two_coordinates)
SIX_WIDE = Workload(
    "six wide columns", WIDE_SIX, Approximate(epsilon="0.2", delta="2e-7"), mixed(WIDE_SIX, free=0.5), two_coordinates
)
