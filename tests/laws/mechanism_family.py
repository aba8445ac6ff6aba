"""One maker for every mechanism, from an amount of noise: what the laws of the family are tried on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import partita.mechanisms as folder
from partita.mechanisms.base import Mechanism
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.perturbed_objective import PerturbedObjective
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.repeated import Repeated
from partita.mechanisms.shuffled import Shuffled
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.registry import members

KINDS = members(Mechanism, folder)

# More noise never costs more; one unit of noise is about one unit of loss at distance one.
MAKERS: dict[str, Callable[[Fraction], Mechanism]] = {
    "laplace": lambda noise: Laplace(scale=noise),
    "gaussian": lambda noise: GaussianNoise(sigma=noise),
    "geometric": lambda noise: Geometric(scale=noise),
    "discrete_gaussian": lambda noise: DiscreteGaussian(variance=noise**2),
    "randomized_response": lambda noise: RandomizedResponse(epsilon=1 / noise, values=3),
    "exponential": lambda noise: Exponential(epsilon=1 / noise),
    "permute_and_flip": lambda noise: PermuteAndFlip(epsilon=1 / noise),
    "noisy_max": lambda noise: NoisyMax(epsilon=1 / noise, monotone=True),
    "sparse_vector": lambda noise: SparseVector(epsilon=1 / noise, positives=2),
    "laplace_threshold": lambda noise: LaplaceThreshold(scale=noise, threshold=1000, keys=2),
    "gaussian_threshold": lambda noise: GaussianThreshold(sigma=noise, threshold=1000, keys=2),
    "truncated_geometric": lambda noise: TruncatedGeometric(epsilon=1 / noise, delta="1e-9", keys=2),
    "perturbed_objective": lambda noise: PerturbedObjective(
        slope=1 / (2 * noise), bend=1 / (4 * noise), last=1 / (4 * noise), length=1, bent="1/4", weights=2
    ),
    "unary_encoding": lambda noise: UnaryEncoding(epsilon=1 / noise, values=3),
    "repeated": lambda noise: Repeated(epsilon=1 / (3 * noise), stop="1/5"),
    "shuffled": lambda noise: Shuffled(RandomizedResponse(epsilon=1 / noise, values=3), people=12),
    "subsampled": lambda noise: Subsampled(GaussianNoise(sigma=noise), rate="0.1"),
}

# Made around another mechanism, which is one of their parameters.
AROUND = ("shuffled", "subsampled")
