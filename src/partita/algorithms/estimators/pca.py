"""PCA: private principal components as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, final

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from partita.algorithms.estimators.base import Private
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.principal import Principal
from partita.errors import algorithms as refuse
from partita.exact import Number, positive, whole
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
class PCA(TransformerMixin, Private):  # type: ignore[misc]
    """The directions in which rows between ``bounds`` vary most, from a noisy covariance.

    ``variance_error_`` is about how far noise moves a variance: directions whose variances differ by less are not
    told apart. ``component_error_`` is about the sine of the angle by which noise turns each direction.

    >>> import numpy as np
    >>> X = np.column_stack([np.linspace(-1, 1, 4000), np.zeros(4000)])
    >>> abs(PCA(1, epsilon=1, bounds=(-1, 1)).fit(X).components_).round(1).tolist()
    [[1.0, 0.0]]
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        bounds: Any = None,
        row_norm: Number | None = None,
        noise: str | None = None,
        relation: str = "add/remove",
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.mu = mu
        self.bounds = bounds
        self.row_norm = row_norm
        self.noise = noise
        self.relation = relation

    def fit(self, X: Any, y: object = None, *, bits: BitSource | None = None) -> Self:
        """Learn from rows you hold; ``bits`` is for tests."""
        rows = self._rows(X, reset=True)
        return self._learnt(rows, self._learner(rows.shape[1], self.bounds, None), bits)

    def transform(self, X: Any) -> Array:
        """The rows in the learnt directions, from the noisy mean."""
        check_is_fitted(self)
        found: Array = (self._rows(X, reset=False) - self.mean_) @ self.components_.T
        return found

    def plot(self) -> Figure:
        """The variances with the reach of their noise."""
        from partita.algorithms.learning.pictures import coefficients

        check_is_fitted(self)
        error = np.full((1, len(self.explained_variance_)), self.variance_error_)
        return coefficients(self.explained_variance_[None], error, "Variance by direction")

    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        if self.n_components is not None and whole(self.n_components, "n_components", least=1) > features:
            raise refuse.too_many_components(self.n_components, features)
        lattice = Lattice.of(bounds, features=features, steps=UNIT, one_scale=True)
        longest = float(np.sqrt(sum(limit**2 for limit in lattice.limit))) / UNIT
        norm = longest if self.row_norm is None else float(positive(self.row_norm, "row_norm"))
        norm = max(min(norm, longest), 1 / UNIT)
        return Principal.plan(lattice, norm, self._price(), relation=self._relation(), noise=self.noise)

    def _accept(self, document: dict[str, Any]) -> None:
        kept = slice(None if self.n_components is None else int(self.n_components))
        self.components_ = np.array(document["directions"])[kept]
        self.explained_variance_ = np.array(document["variances"])[kept]
        self.mean_ = np.array(document["mean"])
        self.variance_error_ = float(document["error"])
        self.component_error_ = np.array(document["turned"])[kept]
