"""Deployments that people know, with their published losses: a guarantee is easier to weigh beside others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.exact import Number, probability
from partita.explain.facts import USUAL_DELTA, Readable
from partita.explain.numbers import at_most, percent
from partita.explain.sampled import sampled
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.semantics import true_positive_rate


@final
@dataclass(frozen=True, slots=True)
class Deployment:
    """A published use of differential privacy: its loss, for what unit, and where that is written."""

    name: str
    loss: Measure
    unit: str
    source: str


# Published by those who answer for them; also in the registry of deployments of OpenDP and NIST.
DEPLOYMENTS = (
    Deployment(
        "Wikipedia page views by country (Wikimedia, since 2023)",
        ZCDP(rho="0.015"),
        "one device during one day",
        "arXiv 2308.16298",
    ),
    Deployment(
        "COVID-19 mobility reports (Google, 2020 to 2022)",
        Pure(epsilon="2.64"),
        "one user during one day",
        "arXiv 2004.04145",
    ),
    Deployment(
        "popular emoji (Apple, since 2016)",
        Pure(epsilon=4),
        "one user during one day, with noise added on the device",
        "Apple, Differential Privacy Overview",
    ),
    Deployment(
        "redistricting data of the 2020 census, person tables (US Census Bureau, 2021)",
        ZCDP(rho="2.56"),
        "one person's record changed",
        "arXiv 2204.08986",
    ),
    Deployment(
        "audience engagements (LinkedIn, 2020)",
        Approximate(epsilon="34.9", delta="7e-9"),
        "one member during one month",
        "arXiv 2002.05839",
    ),
)


@final
@dataclass(frozen=True, slots=True)
class Beside:
    """A deployment and the most that an attacker recognises there, read in the same way as the guarantee itself."""

    deployment: Deployment
    tpr: float


def beside(fpr: Number = "0.01") -> tuple[Beside, ...]:
    """What an attacker recognises at most in each deployment, at this share of false alarms (theory B21).

    >>> [round(one.tpr, 3) for one in beside("0.01")][:3]
    [0.017, 0.14, 0.546]
    """
    share = probability(fpr, "fpr")
    return tuple(Beside(one, true_positive_rate(share, one.loss)) for one in DEPLOYMENTS)


def compared(guarantee: Readable, *, fpr: Number = "0.01") -> Iterator[str]:
    """A guarantee among the deployments, from the strongest to the weakest, in sentences."""
    share = probability(fpr, "fpr")
    own = true_positive_rate(share, sampled(guarantee, delta=USUAL_DELTA))
    lines = [(own, f"this guarantee: {at_most(own)}")]
    for one in beside(share):
        told = f"{one.deployment.name}: {at_most(one.tpr)}, for {one.deployment.unit} ({one.deployment.loss})"
        lines.append((one.tpr, f"{told}, {one.deployment.source}"))
    yield (
        f"An attack that wrongly accuses {_share(share)} of those not in the data recognises at most so many of those "
        f"who are:"
    )
    for _, line in sorted(lines, key=lambda pair: pair[0]):
        yield line
    yield (
        "The units differ, so these are no like for like: a user during one day is less than a person for ever. That "
        "others chose a loss does not make it a good one."
    )


def _share(share: Fraction) -> str:
    return percent(float(share))
