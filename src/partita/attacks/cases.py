"""What the built-in audit runs: every mechanism on neighbours that tell much, and what it claims for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import final

from partita.attacks import runs
from partita.granularity import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.histogram import Histogram
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.perturbed_objective import PerturbedObjective
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

_ONE = Fraction(1)
_ROWS, _CHANGE = Relation.ADD_REMOVE, Relation.CHANGE_ONE


@final
@dataclass(frozen=True, slots=True)
class Case:
    """Something to run on two neighbours, and the losses that are claimed for it.

    The event is chosen to refute the first claim, and held against all of them.
    """

    name: str
    kind: str
    relation: Relation
    release: Callable[..., object]
    first: object
    second: object
    claims: tuple[Measure, ...]
    batch: bool = True
    broken: bool = False  # wrong on purpose: an audit that does not catch it is blind


def built_in(bits: BitSource) -> Iterator[Case]:
    """Every mechanism, under every relation it is proven for, with noise from this source."""
    yield from _additive(bits)
    yield from _histograms(bits)
    yield from _reports(bits)
    yield from _choices(bits)
    yield from _sessions(bits)
    yield from _keys(bits)
    yield from _samples(bits)
    yield from _objectives(bits)


def controls(bits: BitSource) -> Iterator[Case]:
    """Mechanisms that are broken on purpose, so that silence about the others means something."""
    one = (Pure(epsilon=_ONE),)

    def broken(name: str, relation: Relation, release: Callable[..., object], first: object, second: object) -> Case:
        return Case(name, "laplace", relation, release, first, second, one, broken=True)

    yield broken("half the noise", _ROWS, partial(runs.entry_by_entry, Laplace(scale=50), bits), 0, 100)
    cells = partial(runs.entry_by_entry, Laplace(scale=100), bits)
    yield broken("a changed row booked as an added one", _CHANGE, cells, (100, 0), (0, 100))
    yield broken("one draw for two answers", _ROWS, partial(runs.sharing_noise, bits), (0, 0), (0, 1))
    yield broken("noise in floating point", _ROWS, partial(runs.floating, bits), 0.0, 1.0)


def _additive(bits: BitSource) -> Iterator[Case]:
    """A number that a neighbour moves by a hundred lattice steps, or by one; claimed in every measure."""
    moved: list[tuple[AdditiveNoise, Distance]] = [
        (Laplace(scale=100), Distance.l1(100)),
        (GaussianNoise(sigma=Fraction(100)), Distance.l2(100)),
        (Laplace(scale=2), Distance.l1(1)),
        (GaussianNoise(sigma=Fraction(7, 10)), Distance.l2(1)),
        (Geometric(epsilon=1), Distance.l1(1)),
        (DiscreteGaussian(variance=_ONE), Distance.l2(1)),
    ]
    for noise, distance in moved:
        claims = (*noise.closed_forms(distance), noise.cost(distance, Approximate, delta="0.05"))
        release = partial(runs.entry_by_entry, noise, bits)
        settings = ", ".join(f"{name} = {text}" for name, text in noise.parameters().items() if text != "false")
        for claim in claims:
            name = f"{noise.kind}, {settings}"
            yield Case(name, noise.kind, _ROWS, release, 0, int(distance.length()), (claim, *claims))


def _histograms(bits: BitSource) -> Iterator[Case]:
    """One cell moves when a row comes, two when it changes."""
    for relation, second in ((_ROWS, (5, 8, 0)), (_CHANGE, (5, 8, 1))):
        for cells in (Histogram.with_epsilon(1, relation), Histogram.with_rho("0.5", relation)):
            claims = tuple(cells.noise.closed_forms(cells.distance))
            release = partial(runs.entry_by_entry, cells.noise, bits)
            yield Case(f"histogram, {cells.noise.kind}", cells.noise.kind, relation, release, (5, 9, 0), second, claims)


def _reports(bits: BitSource) -> Iterator[Case]:
    """One answer changes, among two and among five."""
    for values in (2, 5):
        answers = RandomizedResponse(epsilon=_ONE, values=values)
        claims = tuple(answers.closed_forms(Distance.l1(1)))
        release = partial(runs.entry_by_entry, answers, bits)
        yield Case(f"randomised response, {values} answers", answers.kind, _CHANGE, release, 0, values - 1, claims)
    for optimised in (False, True):
        encoding = UnaryEncoding(epsilon=_ONE, values=3, optimised=optimised)
        claims = tuple(encoding.closed_forms(Distance.l1(1)))
        name = f"unary encoding, {'optimised' if optimised else 'symmetric'}"
        yield Case(name, encoding.kind, _CHANGE, partial(runs.encoded, encoding, bits), 0, 2, claims)


def _objectives(bits: BitSource) -> Iterator[Case]:
    """Rows at one, of which one comes: each pulls the minimiser the same way."""
    objective = PerturbedObjective(slope=_ONE, bend=_ONE / 2, last=_ONE / 2, length=_ONE, bent=_ONE, weights=1)
    claims = (objective.cost(Distance.l1(1), Pure), objective.cost(Distance.l1(1), ZCDP))
    release = partial(runs.minimised, objective, bits)
    yield Case("perturbed objective", objective.kind, _ROWS, release, (1, 1, 1), (1, 1), claims, batch=False)


def _choices(bits: BitSource) -> Iterator[Case]:
    """Scores that move in opposite directions; and, for monotone scores, all in the same."""
    for make in (Exponential, PermuteAndFlip, NoisyMax):
        for monotone in (False, True):
            choice = make(epsilon=Fraction(2), monotone=monotone)
            first, second = ((0, 0, 0), (0, 1, 1)) if monotone else ((0, 0), (-1, 1))
            claims = (choice.cost(Distance.linf(1), Pure), choice.cost(Distance.linf(1), ZCDP))
            release = partial(runs.chosen, choice, bits)
            name = f"{choice.kind.replace('_', ' ')}{', monotone' if monotone else ''}"
            relation = _ROWS if monotone else _CHANGE
            yield Case(name, choice.kind, relation, release, first, second, claims, batch=False)


def _sessions(bits: BitSource) -> Iterator[Case]:
    """All answers on the brink of the threshold, each moved by one."""
    for positives in (1, 2):
        vector = SparseVector(epsilon=_ONE, positives=positives)
        claims = tuple(vector.closed_forms(Distance.linf(1)))
        release = partial(runs.answered, vector, bits)
        name = f"sparse vector, {positives} positive"
        yield Case(name, vector.kind, _CHANGE, release, (0, 0, 0, 1), (1, 1, 1, 0), claims, batch=False)


def _keys(bits: BitSource) -> Iterator[Case]:
    """A key that one person alone has, and a key that both neighbours have."""
    one = Distance.l1(1)
    laplace, gaussian = LaplaceThreshold(scale=Fraction(2), threshold=3), GaussianThreshold(sigma=_ONE, threshold=3)
    optimal = TruncatedGeometric(epsilon=_ONE, delta=Fraction(1, 50))
    rules: list[tuple[str, Measure, Callable[..., object]]] = [
        (laplace.kind, laplace.cost(one, Approximate), partial(runs.thresholded, laplace, bits)),
        (gaussian.kind, gaussian.cost(one, Approximate, delta="0.1"), partial(runs.thresholded, gaussian, bits)),
        (optimal.kind, optimal.cost(one, Approximate), partial(runs.kept, optimal, bits)),
    ]
    for kind, claim, release in rules:
        for first, second in ((1, 0), (4, 3)):
            name = f"{kind.replace('_', ' ')}, {first} or {second} people"
            yield Case(name, kind, _ROWS, release, first, second, (claim,))


def _samples(bits: BitSource) -> Iterator[Case]:
    """The one record that may be sampled comes, goes or changes its sign."""
    noise, gaussian = Laplace(scale=100), GaussianNoise(sigma=Fraction(100))
    one, two = Distance.l1(100), Distance.l1(200)
    schemes = [
        (Subsampled(noise, rate="0.3"), one, (100,), ()),
        (Subsampled(gaussian, rate="0.3"), Distance.l2(100), (100,), ()),
        (Subsampled(noise, rate="0.3", relation=_CHANGE, presence=one), two, (100,), (-100,)),
        (Subsampled(noise, rate="1/2", scheme="without_replacement"), two, (100, 0), (-100, 0)),
    ]
    for mechanism, distance, first, second in schemes:
        poisson = mechanism.scheme == "poisson"
        way: Callable[..., object] = runs.sampled if poisson else runs.drawn
        release = partial(way, mechanism, bits)
        claims = (*mechanism.closed_forms(distance), mechanism.cost(distance, Approximate, delta="0.02"))
        name = f"{mechanism.mechanism.kind}, {mechanism.scheme.replace('_', ' ')} sample"
        yield Case(name, mechanism.kind, mechanism.relation, release, first, second, claims, batch=poisson)
