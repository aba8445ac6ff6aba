"""Training in noisy steps on secret samples (DP-SGD): a plan fixed beforehand, for gradients of any framework."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.learning.clipping import RADIUS, clipped
from partita.algorithms.learning.lattice import Array
from partita.calls import called
from partita.composition.calibration.calibrate import calibrate
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Guarantee
from partita.errors import algorithms as refuse_algorithm
from partita.errors import training as refuse
from partita.exact import Number, positive, whole
from partita.granularity.base import Relation
from partita.live import Live, alone
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.subsampled import Subsampled
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance

# A sum of so many whole numbers of at most RADIUS stays within 64 bits.
MOST_ROWS = 1 << 42
_ADDED, _CHANGED = Distance.l2(RADIUS), Distance.l2(2 * RADIUS)


@final
@dataclass(frozen=True, slots=True, init=False)
class TrainingPlan:
    """So many noisy steps, each on a secret sample of the rows, with gradients of a bounded norm (theory C14, D16).

    ``rows`` and ``batch`` say how many rows there are about, and how many a step sees on average; the noise follows
    from epsilon and delta, or is said as ``noise_multiplier``, in units of ``clip``. The plan is fixed before a step is
    made, so that all of them are composed exactly. ``relation="change-one"`` protects the content of a row.

    >>> plan = TrainingPlan(rows=60_000, batch=600, epochs=10, clip=1, epsilon=3, delta="1e-6")
    >>> plan.steps, round(plan.noise_multiplier, 3)
    (1000, 0.865)
    >>> plan.guarantee(delta="1e-6").epsilon <= 3
    True
    """

    rows: int
    rate: Fraction
    steps: int
    clip: Fraction
    mechanism: Subsampled

    @called
    def __init__(
        self,
        *,
        rows: int,
        batch: int,
        clip: Number,
        steps: int | None = None,
        epochs: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        noise_multiplier: Number | None = None,
        relation: str = "add/remove",
    ) -> None:
        count, size = whole(rows, "rows", least=1), whole(batch, "batch", least=1)
        if size > count:
            raise refuse.batch_too_large(size, count)
        rate = Fraction(size, count)
        times = _times(steps, epochs, rate)
        if relation not in list(Relation):
            raise refuse_algorithm.one_of("relation", relation, [one.value for one in Relation])
        changed = Relation(relation) is Relation.CHANGE_ONE
        sampling: dict[str, Any] = {"rate": rate, **({"presence": _ADDED} if changed else {})}
        if noise_multiplier is not None:
            if epsilon is not None or delta is not None:
                raise refuse.one_amount()
            noise = GaussianNoise(sigma=positive(noise_multiplier, "noise_multiplier") * RADIUS)
            mechanism = Subsampled(noise, relation=Relation(relation), **sampling)
        else:
            if epsilon is None or delta is None:
                raise refuse.one_amount()
            mechanism = calibrate(
                Subsampled,
                mechanism=GaussianNoise,
                epsilon=epsilon,
                delta=delta,
                count=times,
                distance=_CHANGED if changed else _ADDED,
                relation=Relation(relation),
                **sampling,
            )
        found = {"rows": count, "rate": rate, "steps": times, "clip": positive(clip, "clip"), "mechanism": mechanism}
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def noise_multiplier(self) -> float:
        """The deviation of the noise on a sum of gradients, in units of ``clip``."""
        return float(self._noise.sigma / RADIUS)

    @property
    def _noise(self) -> GaussianNoise:
        assert isinstance(self.mechanism.mechanism, GaussianNoise)
        return self.mechanism.mechanism

    def events(self) -> list[Event]:
        """All steps, for ``pt.compose`` and other libraries' accountants."""
        changed = self.mechanism.relation is Relation.CHANGE_ONE
        return [Event(self.mechanism, _CHANGED if changed else _ADDED, self.steps)]

    def guarantee(self, *, delta: Number) -> Guarantee:
        """What all steps together give away about one row, whatever was made of them, also if fewer are made."""
        return compose(self.events(), delta=delta, relation=self.mechanism.relation)

    def error(self) -> float:
        """The deviation that noise gives each entry of a mean gradient."""
        return float(self._noise.sigma / RADIUS * self.clip / (self.rate * self.rows))

    def start(self, records: int, *, bits: BitSource | None = None) -> Training:
        """Begin, on so many records that you hold; ``bits`` is for tests."""
        return Training(self, records, bits=bits)


@final
class Training(Live):
    """One run of a plan: draws the samples, clips and adds up gradients exactly, and makes the noise.

    Everything else (models, frameworks, learning rates) is yours. What leaves ``release`` may be shown; gradients, and
    which rows a sample holds, may not. The gradient of a row may depend on that row and on what was released before,
    but not on other rows: no normalisation over batches.

    >>> import numpy as np
    >>> plan = TrainingPlan(rows=1000, batch=1000, steps=1, clip=1, noise_multiplier="0.001")
    >>> training = plan.start(1000)
    >>> for chosen in training:
    ...     mean = training.release(np.full((len(chosen), 2), 0.5))
    >>> mean.round(3).tolist()
    [0.5, 0.5]
    """

    def __init__(self, plan: TrainingPlan, records: int, *, bits: BitSource | None = None) -> None:
        super().__init__()
        self.plan = plan
        self._records = whole(records, "records", least=0)
        if self._records > MOST_ROWS:
            raise refuse.too_many_rows(MOST_ROWS)
        self._bits = bits
        self._done = 0
        self._drawn: int | None = None
        self._added = 0
        self._shapes: tuple[tuple[int, ...], ...] | None = None
        self._total: NDArray[np.int64] | None = None

    @property
    def left(self) -> int:
        """How many steps are left."""
        return self.plan.steps - self._done

    @alone
    def sample(self) -> NDArray[np.int64]:
        """The places of the rows of the next step, in order: a secret. A sample that is not released is used up."""
        if self.left == 0:
            raise refuse.out_of_steps(self.plan.steps)
        self._clear()
        self._drawn = None
        chosen = np.flatnonzero(self.plan.mechanism.sample(self._records, bits=self._bits)).astype(np.int64)
        self._done += 1
        self._drawn = len(chosen)
        return chosen

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        while self.left:
            yield self.sample()

    @alone
    def add(self, *gradients: Any) -> None:
        """Gradients of some rows of the sample: an array for each group of weights, with a line for each row.

        A row's gradient is clipped as one vector over all groups. Call it as often as memory asks for.
        """
        if self._drawn is None:
            raise refuse.no_sample()
        arrays = [_numbers(one) for one in gradients]
        shapes = tuple(one.shape[1:] for one in arrays)
        lines = {len(one) for one in arrays}
        sizes = [int(np.prod(shape)) for shape in shapes]
        if len(lines) != 1 or sum(sizes) == 0 or self._shapes not in (None, shapes):
            raise refuse.other_shapes()
        vectors = np.concatenate([one.reshape(len(one), size) for one, size in zip(arrays, sizes, strict=True)], axis=1)
        self._added += lines.pop()
        self._shapes = shapes
        part = clipped(vectors, float(self.plan.clip)).sum(axis=0)
        self._total = part if self._total is None else self._total + part

    @alone
    def release(self, *gradients: Any) -> Any:
        """The noisy mean gradient over the rows that a sample is expected to have, in the shapes of the weights.

        One array, or one for each group of weights. Gradients given here are added first.
        """
        if gradients:
            self.add(*gradients)
        if self._drawn is None:
            raise refuse.no_sample()
        if self._total is None or self._shapes is None:
            raise refuse.no_gradients()
        if self._added != self._drawn:
            raise refuse.other_rows()
        total, shapes = self._total, self._shapes
        self._drawn = None
        self._clear()
        noisy = self.plan._noise.release(total, bits=self._bits).astype(np.float64)
        mean = noisy * float(self.plan.clip / RADIUS / (self.plan.rate * self.plan.rows))
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        found = [part.reshape(shape) for part, shape in zip(np.split(mean, ends), shapes, strict=True)]
        return found[0] if len(found) == 1 else found

    def _clear(self) -> None:
        self._added, self._shapes, self._total = 0, None, None


def _times(steps: int | None, epochs: Number | None, rate: Fraction) -> int:
    """How many steps there are: an epoch is as many as see every row once on average."""
    if (steps is None) == (epochs is None):
        raise refuse.one_length(steps, epochs)
    if steps is not None:
        return whole(steps, "steps", least=1)
    assert epochs is not None
    return max(1, round(positive(epochs, "epochs") / rate))


def _numbers(given: Any) -> Array:
    """What came as an array of numbers with a line for each row."""
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise refuse_algorithm.not_numbers(type(given).__name__) from None
    if found.ndim == 0:
        raise refuse.other_shapes()
    return found.reshape(len(found), -1) if found.ndim == 1 else found
