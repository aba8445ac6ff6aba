"""A mechanism run on a secret sample of the records, which protects those who may not be in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from math import expm1, log1p, sqrt
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import composition as refuse_composition
from partita.errors import mechanisms as refuse
from partita.exact import Number, float_down, float_up, positive, whole
from partita.granularity.base import Relation
from partita.mechanisms.amplified import amplified_epsilon, amplified_pair, amplified_tau, symmetric_pair
from partita.mechanisms.base import Event, Forms, Mechanism
from partita.mechanisms.family import family
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.histogram import relation_of
from partita.mechanisms.integers import source_of
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.trial import Trial
from partita.mechanisms.words import Sample, Word
from partita.sampling.bernoulli import bernoulli
from partita.sampling.bits import BitSource
from partita.sampling.uniform import permutation
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP


class Scheme(StrEnum):
    """How the sample is drawn: each record by its own coin, or a fixed number of them."""

    POISSON = "poisson"
    WITHOUT_REPLACEMENT = "without_replacement"


_SAMPLING = ("rate", "scheme", "relation", "presence")
_OWN = {Scheme.POISSON: Relation.ADD_REMOVE, Scheme.WITHOUT_REPLACEMENT: Relation.CHANGE_ONE}


@final
@dataclass(frozen=True, slots=True, init=False)
class Subsampled(Mechanism):
    """Run a mechanism on a secret sample of the records (theory C14, subsampled.proof.md).

    Poisson sampling amplifies under add/remove, sampling without replacement under change-one. Poisson sampling under
    change-one needs a second distance, ``presence``: how far one record that is there or not moves the result.
    The distance is that of one record in the sample; a group of records is not one record of a larger distance.

    >>> amplified = Subsampled(GaussianNoise(sigma=1), rate="0.1")
    >>> round(amplified.pair(Distance.l2(1)).delta(0.05), 8)
    0.02614366
    """

    kind: ClassVar[str] = "subsampled"
    group_by_distance: ClassVar[bool] = False
    whole_region: ClassVar[bool] = True
    theorems: ClassVar[str] = "C14"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    takes_relation: ClassVar[bool] = True
    word: ClassVar[type | None] = Sample
    mechanism: Mechanism
    rate: Fraction
    scheme: Scheme
    relation: Relation
    presence: Distance | None

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        rate: Number,
        scheme: str = "poisson",
        relation: Relation | str | None = None,
        presence: Distance | None = None,
    ) -> None:
        if not isinstance(mechanism, Mechanism):
            raise refuse.not_a_mechanism(mechanism)
        if isinstance(mechanism, Subsampled):
            raise refuse.sample_of_sample()
        share = positive(rate, "rate")
        if share > 1:
            raise refuse.rate_too_large(rate)
        try:
            way = Scheme(scheme)
        except ValueError:
            raise refuse.unknown_scheme(scheme) from None
        chosen = _OWN[way] if relation is None else relation_of(relation)
        _check(mechanism, way, chosen, presence)
        for name, value in {
            "mechanism": mechanism,
            "rate": share,
            "scheme": way,
            "relation": chosen,
            "presence": presence,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def norm(self) -> Norm:  # type: ignore[override]
        """The norm of the mechanism itself."""
        return self.mechanism.norm

    @property
    def relations(self) -> frozenset[Relation]:
        """The one it was made for."""
        return frozenset({self.relation})

    def forms(self, distance: Distance) -> Forms:
        """Pure and (ε, δ) losses are amplified; ρ and μ are those of the mechanism itself or of the amplified ε."""
        stated = self.mechanism.forms(distance)
        forms: dict[type[Measure], Callable[[], Measure]] = {}
        if Pure in stated:
            forms[Pure] = lambda: Pure(epsilon=self._pure(distance))
        elif Approximate in stated and self.presence is None:
            forms[Approximate] = lambda: self._leaky(distance)
        for measure in (ZCDP, GDP, Renyi):
            if measure in stated:
                forms[measure] = partial(self._least, distance, measure)
        return forms

    def _pure(self, distance: Distance) -> Fraction:
        """The larger loss is amplified; that of the whole is a bound too: the same coins can draw both samples."""
        whole_loss = self.mechanism.cost(distance, Pure).epsilon
        other = Fraction(0) if self.presence is None else self.mechanism.cost(self.presence, Pure).epsilon
        return min(whole_loss, amplified_epsilon(max(whole_loss, other), self.rate))

    def _leaky(self, distance: Distance) -> Approximate:
        loss = self.mechanism.cost(distance, Approximate)
        return Approximate(epsilon=amplified_epsilon(loss.epsilon, self.rate), delta=self.rate * loss.delta)

    def _least(self, distance: Distance, measure: type[Measure]) -> Measure:
        """A sample never loses more than the whole; neither ρ nor μ is amplified itself (theory C14d)."""
        stated = self.mechanism.forms(distance)
        losses = [stated[measure]()]
        if Pure in stated:
            losses.append(convert(Pure(epsilon=self._pure(distance)), measure))
        if measure is not Renyi:
            return min(losses, key=lambda loss: loss.vector())
        if self._is_gaussian():
            squared = self._squared(distance)
            losses.append(Renyi(orders=ORDERS, taus=[amplified_tau(self.rate, squared, order) for order in ORDERS]))
        # Each order is a bound of its own, so the least of each is one too.
        return losses[0].like([min(taus) for taus in zip(*(loss.vector() for loss in losses), strict=True)])

    def _is_gaussian(self) -> bool:
        return isinstance(self.mechanism, GaussianNoise) and (self.scheme, self.relation) == (
            Scheme.POISSON,
            Relation.ADD_REMOVE,
        )

    def _squared(self, distance: Distance) -> Fraction:
        assert isinstance(self.mechanism, GaussianNoise)
        return distance.power / self.mechanism.sigma**2

    def pair(self, distance: Distance) -> Pair:
        """The mixture of sampled and not sampled against not sampled; symmetric under change-one."""
        self.require(distance)
        base = self.mechanism.pair(distance)
        rate = float_up(self.rate)
        if distance.power == 0 or rate == 1.0:
            return base
        if self.relation is Relation.CHANGE_ONE:
            # A pair dominates all that are no further apart, so a presence within the distance adds nothing.
            if self.presence is None or self.presence.power <= distance.power:
                return symmetric_pair((base,), rate)
            return symmetric_pair((base, self.mechanism.pair(self.presence)), rate)
        if self._is_gaussian():
            sigma = float_down(1 / GDP.from_squared(self._squared(distance)).mu)
            return Pair(
                remove=SubsampledGaussianLoss(rate, sigma, removes=True),
                add=SubsampledGaussianLoss(rate, sigma, removes=False),
            )
        return amplified_pair(base, rate)

    def is_exact(self, distance: Distance) -> bool:
        """Where the mixture itself is the pair, not a table of bounds on it."""
        return isinstance(self.pair(distance).remove, SubsampledGaussianLoss)

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> Subsampled:
        """The strength after amplification: q sqrt(e^(μ²) - 1) of a μ, log(1 + q(e^ε - 1)) of an ε."""
        rest = dict(setting.parameters)
        base, sampling = rest.pop("mechanism", None), {name: rest.pop(name) for name in _SAMPLING if name in rest}
        if not _can_be_sampled(base):
            names = [kind.__name__ for kind in family().values() if _can_be_sampled(kind)]
            raise refuse_composition.not_calibratable(base, names)
        if "rate" not in sampling:
            raise refuse_composition.cannot_calibrate(
                "sampled release", "say with which rate records are sampled, as rate=..."
            )
        rate, s = float(positive(sampling["rate"], "rate")), min(float(strength), 500.0)
        inner = sqrt(log1p((s / rate) ** 2)) if base.strength is Strength.MU else log1p(expm1(s) / rate)
        return cls(base.of_strength(Fraction(inner), Setting(rest)), **sampling)

    def said(self, distance: Distance) -> Word | None:
        return Sample(self.mechanism.at(distance), self.rate, self.scheme.value, self.relation)

    @classmethod
    def heard(cls, word: Word) -> Event:
        assert isinstance(word, Sample)
        made = cls(word.of.mechanism, rate=word.rate, scheme=word.scheme, relation=word.relation)
        return made.at(word.of.distance)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """The one record that may be sampled comes, goes or changes its sign."""
        noise, gaussian = Laplace(scale=100), GaussianNoise(sigma=Fraction(100))
        one, two = Distance.l1(100), Distance.l1(200)
        change = cls(noise, rate="0.3", relation=Relation.CHANGE_ONE, presence=one)
        schemes: list[tuple[Subsampled, Distance, Sequence[int], Sequence[int]]] = [
            (cls(noise, rate="0.3"), one, (100,), ()),
            (cls(gaussian, rate="0.3"), Distance.l2(100), (100,), ()),
            (change, two, (100,), (-100,)),
            (cls(noise, rate="1/2", scheme="without_replacement"), two, (100, 0), (-100, 0)),
        ]
        for made, distance, first, second in schemes:
            poisson = made.scheme is Scheme.POISSON
            run = partial(sampled if poisson else drawn, made)
            claims = (*made.closed_forms(distance), made.cost(distance, Approximate, delta="0.02"))
            name = f"{made.mechanism.kind}, {made.scheme.replace('_', ' ')} sample"
            yield Trial(name, made.relation, run, first, second, claims, batch=poisson)

    def parameters(self) -> dict[str, str]:
        return {
            "mechanism": self.mechanism.kind,
            **{f"mechanism.{name}": text for name, text in self.mechanism.parameters().items()},
            "rate": str(self.rate),
            "scheme": self.scheme.value,
            "relation": self.relation.value,
            **({} if self.presence is None else {"presence": f"{self.presence.norm.value}:{self.presence.power}"}),
        }

    def sample(self, records: int, *, bits: BitSource | None = None) -> NDArray[np.bool_]:
        """Which of so many records are in the sample. It must stay secret: the amplification rests on that.

        >>> from partita.sampling.bits import TestBits
        >>> Subsampled(GaussianNoise(sigma=1), rate="1/4", scheme="without_replacement").sample(
        ...     8, bits=TestBits(1)
        ... ).sum()
        np.int64(2)
        """
        count, drawing = whole(records, "records"), source_of(bits)
        if self.scheme is Scheme.POISSON:
            return bernoulli(self.rate, count, drawing)
        size = self.rate * count
        if size.denominator != 1:
            raise refuse.sample_not_whole(self.rate, count)
        chosen = np.zeros(count, dtype=np.bool_)
        chosen[permutation(count, drawing)[: int(size)]] = True
        return chosen

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The error of the noise, in units of the result on the sample; that of sampling itself comes on top."""
        return self.mechanism.error(confidence, entries)


def _check(mechanism: Mechanism, scheme: Scheme, relation: Relation, presence: Distance | None) -> None:
    """Refuse a combination without a theorem (theory C14a to c)."""
    if scheme is Scheme.WITHOUT_REPLACEMENT and relation is Relation.ADD_REMOVE:
        raise refuse.sampling_not_proven(scheme.value, relation.value, Relation.CHANGE_ONE.value)
    both = scheme is Scheme.POISSON and relation is Relation.CHANGE_ONE
    for needed in Relation if both else (relation,):
        if needed not in mechanism.relations:
            raise refuse.base_not_valid(mechanism.kind, needed.value)
    if not both and presence is not None:
        raise refuse.needless_presence()
    if both:
        if presence is None:
            raise refuse.needs_presence()
        mechanism.require(presence)


def _can_be_sampled(kind: Any) -> bool:
    """Whether noise on a sample can be calibrated with this mechanism."""
    if not (isinstance(kind, type) and issubclass(kind, Mechanism)) or issubclass(kind, Subsampled):
        return False
    return kind.strength is not None and not kind.leaks


def sampled(mechanism: Subsampled, bits: BitSource, records: Sequence[int], count: int) -> NDArray[np.int64]:
    """Noisy sums over a fresh Poisson sample of the records each time, for an audit."""
    here = mechanism.sample(count * len(records), bits=bits).reshape(count, len(records))
    sums = (here * np.asarray(records, dtype=np.int64)).sum(axis=1)
    noise: Any = mechanism.mechanism
    noisy: NDArray[np.int64] = noise.release(sums, bits=bits)
    return noisy


def drawn(mechanism: Subsampled, bits: BitSource, records: Sequence[int]) -> int:
    """One noisy sum over a sample of fixed size, for an audit."""
    noise: Any = mechanism.mechanism
    total: int = noise.release(int(np.asarray(records)[mechanism.sample(len(records), bits=bits)].sum()), bits=bits)
    return total
