"""LinearRegression: private least squares as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from partita.algorithms.estimators.base import Private, interval
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.linear import Linear
from partita.algorithms.learning.moments import UNIT
from partita.errors import algorithms as refuse
from partita.exact import Number, positive
from partita.region.columns.base import Bounded
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
class LinearRegression(RegressorMixin, Private):  # type: ignore[misc]
    """Least squares of a target between ``target_bounds`` on features between ``bounds``, from noisy moments.

    Targets outside their bounds are clamped, row by row. ``coef_error_`` and ``intercept_error_`` are the deviations
    that noise gives them.

    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 4000).reshape(-1, 1)
    >>> model = LinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(-1, 1)).fit(X, X[:, 0] / 2)
    >>> model.coef_.round(1).tolist()
    [0.5]
    """

    _needs_target: ClassVar[bool] = True

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        bounds: Any = None,
        target_bounds: Any = None,
        row_norm: Number | None = None,
        noise: str | None = None,
        relation: str = "add/remove",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.mu = mu
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.row_norm = row_norm
        self.noise = noise
        self.relation = relation

    def fit(self, X: Any, y: Any, *, bits: BitSource | None = None) -> Self:
        """Learn from rows and targets you hold; ``bits`` is for tests."""
        rows, targets = self._rows(X, y, reset=True)
        learner = self._learner(rows.shape[1], self.bounds, self.target_bounds)
        try:
            numbers = np.asarray(targets, dtype=np.float64)
        except (TypeError, ValueError):
            raise refuse.not_numbers(str(targets.dtype)) from None
        return self._learnt(np.column_stack([rows, numbers]), learner, bits)

    def merge(self, others: Sequence[LinearRegression]) -> Self:
        """One model of the rows of several custodians, from what each has released: their noisy sums add up.

        Nothing is read and nothing is spent. All must have been fitted with the same features, bounds and price.
        """
        check_is_fitted(self)
        learner = self.learner_
        assert isinstance(learner, Linear)
        models: list[LinearRegression] = [self, *others]
        for model in others:
            check_is_fitted(model)
            if model.learner_ != self.learner_:
                raise refuse.other_plan()
        total = {name: np.sum([np.asarray(model.sums_[name]) for model in models], axis=0) for name in self.sums_}
        merged: Self = clone(self)
        merged.n_features_in_, merged.learner_ = self.n_features_in_, self.learner_
        merged._lattice = self._lattice
        merged._accept(learner.solved(total, len(models)))
        return merged

    def predict(self, X: Any) -> Array:
        """The fitted value of each row."""
        check_is_fitted(self)
        found: Array = self._rows(X, reset=False) @ self.coef_ + self.intercept_
        return found

    def plot(self) -> Figure:
        """The coefficients in units of each feature's public half-width, with the error of their noise."""
        from partita.algorithms.learning.pictures import coefficients

        check_is_fitted(self)
        half = np.array(self._lattice.step) * UNIT
        errors = self.coef_error_[None] * half
        return coefficients(self.coef_[None] * half, errors, "Coefficients", names=self._names())

    def _target(self, column: Bounded) -> Any:
        return interval(column, "target")

    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        lattice = self._lattice = Lattice.of(bounds, features=features, steps=UNIT)
        if target is None:
            raise refuse.no_bounds("The target", "target_bounds=(0, 200000)")
        goal = Lattice.of(target, features=1, steps=UNIT, name="target_bounds")
        norm = float(np.sqrt(features)) if self.row_norm is None else float(positive(self.row_norm, "row_norm"))
        norm = max(min(norm, float(np.sqrt(features))), 1 / UNIT)
        return Linear.plan(lattice, goal, norm, self._price(), relation=self._relation(), noise=self.noise)

    def _accept(self, document: dict[str, Any]) -> None:
        self.coef_ = np.array(document["coefficients"])
        self.intercept_ = float(document["intercept"])
        self.coef_error_ = np.array(document["error"])
        self.intercept_error_ = float(document["intercept_error"])
        self.sums_ = document["sums"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
