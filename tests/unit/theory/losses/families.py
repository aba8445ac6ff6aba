"""One or more laws of every family, with their transforms and profiles in Arb."""

from __future__ import annotations

from flint import acb, arb

from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.losses.tabulated import tabulated

LAWS = [
    GaussianLoss(1.0),
    GaussianLoss(0.01),
    GaussianLoss(4.0),
    LaplaceLoss(0.1),
    LaplaceLoss(2.0),
    LaplaceLoss(1e-6),
    RandomizedResponseLoss(0.1),
    RandomizedResponseLoss(3.0, 1e-6),
    RandomizedResponseLoss(1e-5),
    SubsampledGaussianLoss(0.1, 1.0, removes=True),
    SubsampledGaussianLoss(0.1, 1.0, removes=False),
    SubsampledGaussianLoss(0.01, 0.7, removes=True),
    SubsampledGaussianLoss(0.4, 3.0, removes=False),
    AtomicLoss.geometric(0.3, 3),
    AtomicLoss.discrete_gaussian(4.0, 1),
    AtomicLoss.between([0.2, 0.5, 0.3], [0.4, 0.4, 0.2]),
    tabulated([(0.0, 0.3), (0.5, 0.1), (1.0, 0.01)]),
    ProductLoss.of([(LaplaceLoss(0.5), 2), (GaussianLoss(0.3), 1)]),
]


def name(law) -> str:
    text = repr(law)
    return text if len(text) < 60 else text[:57] + "..."


def transform(law, s: acb) -> acb | None:
    """E[e^(sL); L finite], where it is known in closed form or as a short sum."""
    z = s + arb(0.5)
    match law:
        case GaussianLoss():
            rho = arb(law.mu) ** 2 / 2
            return (rho * s * (s + 1)).exp()
        case LaplaceLoss():
            e = arb(law.epsilon)
            return (-e / 2).exp() * ((z * e).cosh() + (z * e).sinh() / (2 * z))
        case RandomizedResponseLoss():
            e = arb(law.epsilon)
            return (1 - arb(law.leak)) * (z * e).cosh() / (e / 2).cosh()
        case AtomicLoss():
            return sum((arb(p) * (s * arb(x)).exp() for x, p in zip(law.losses, law.masses, strict=True)), acb(0))
        case SubsampledGaussianLoss():
            q, sigma = arb(law.rate), arb(law.sigma)

            def integrand(x: acb, _: bool) -> acb:
                w = 1 - q + q * (x / sigma - 1 / (2 * sigma**2)).exp()
                power = s + 1 if law.removes else -s
                return (-x * x / 2).exp() * (power * w.log()).exp() / (2 * arb.pi()).sqrt()

            return acb.integral(integrand, -14, 14 + (s.real + 1) / sigma)
        case ProductLoss():
            value = acb(1)
            for part, count in law.parts:
                one = transform(part, s)
                assert one is not None
                value *= one**count
            return value
    return None
