"""KMeans: private cluster centres as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, final

import numpy as np
from sklearn.base import ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from partita.algorithms.estimators.base import Private
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.learning.clustering.voronoi import nearest
from partita.algorithms.learning.lattice import Array, Lattice, read_bounds
from partita.algorithms.learning.learner import Learner
from partita.errors import algorithms as refuse
from partita.exact import Number, positive, whole
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ALGORITHMS = ("grid", "lloyd")


@final
class KMeans(TransformerMixin, ClusterMixin, Private):  # type: ignore[misc]
    """Centres of ``n_clusters`` clusters, private at the given price for one row of the table.

    ``algorithm="grid"`` takes first centres from a noisy coarse histogram and refines them; ``"lloyd"`` is Lloyd's
    algorithm with Laplace noise as in the lecture notes (theory F1), for ``max_iter`` turns from public centres
    ``init`` or from random ones, on rows within ``radius`` of the middle in L1 (others are pulled in; unless it is
    said, the whole box is within).

    >>> import numpy as np
    >>> X = np.repeat([[-0.5, 0.1], [0.5, 0.2]], 2000, axis=0)
    >>> KMeans(2, epsilon=1, bounds=(-1, 1)).fit(X).cluster_centers_.round(1).tolist()
    [[-0.5, 0.1], [0.5, 0.2]]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        bounds: Any = None,
        algorithm: str = "grid",
        init: Any = None,
        radius: Number | None = None,
        max_iter: int | None = None,
        tol: float | None = None,
        noise: str | None = None,
        relation: str = "add/remove",
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.mu = mu
        self.bounds = bounds
        self.algorithm = algorithm
        self.init = init
        self.radius = radius
        self.max_iter = max_iter
        self.tol = tol
        self.noise = noise
        self.relation = relation

    def fit(self, X: Any, y: object = None, *, bits: BitSource | None = None) -> Self:
        """Learn centres from rows you hold; ``bits`` is for tests."""
        rows = self._rows(X, reset=True)
        learner = self._learner(rows.shape[1], self.bounds, None)
        if len(rows) < self.n_clusters:
            raise refuse.fewer_rows(str(len(rows)), self.n_clusters)
        return self._learnt(rows, learner, bits)

    def predict(self, X: Any) -> Any:
        """The number of the nearest centre of each row."""
        check_is_fitted(self)
        return nearest(self._rows(X, reset=False), self.cluster_centers_)

    def fit_predict(self, X: Any, y: object = None, **options: Any) -> Any:
        """Learn centres, then name the nearest of them for each row: for those who hold the rows."""
        return self.fit(X, **options).predict(X)

    def transform(self, X: Any) -> Array:
        """The distance of each row to each centre."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        found: Array = np.sqrt(((rows[:, None, :] - self.cluster_centers_[None]) ** 2).sum(axis=2))
        return found

    def score(self, X: Any, y: object = None) -> float:
        """Minus the sum of squared distances of the rows to their nearest centre: exact, so for those who hold them."""
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    def plot(self) -> Figure:
        """The centres with the reach of their noise, on the first two features."""
        from partita.algorithms.learning.pictures import centres

        check_is_fitted(self)
        return centres(self.cluster_centers_, self.center_error_, self.sizes_)

    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        clusters = whole(self.n_clusters, "n_clusters", least=1)
        if self.algorithm not in _ALGORITHMS:
            raise refuse.one_of("algorithm", self.algorithm, _ALGORITHMS)
        if self.tol is not None:
            raise refuse.from_data("When to stop", "Say beforehand how many turns there are: max_iter=.")
        if isinstance(self.init, str):
            raise refuse.from_data("The first centres", "Leave init out, or give centres that are public.")
        if isinstance(bounds, str):
            raise refuse.from_data("The bounds", "Declare them: bounds=(-1, 1).")
        turns = None if self.max_iter is None else whole(self.max_iter, "max_iter", least=1)
        price, relation = self._price(), self._relation()
        lattice = Lattice.of(bounds, features=features, steps=STEPS, one_scale=True)
        if self.algorithm == "grid":
            if self.init is not None:
                raise refuse.bad_start("centres, and the grid finds its own")
            if self.radius is not None:
                raise refuse.radius_elsewhere()
            return Clusters.plan(lattice, clusters, price, turns=turns, relation=relation, noise=self.noise)
        lower, upper = read_bounds(bounds, features)
        whole_box = float((upper / 2 - lower / 2).sum())
        return Lloyd.plan(
            features,
            clusters=clusters,
            turns=5 if turns is None else turns,
            price=price,
            relation=relation,
            noise=self.noise,
            middle=lattice.middle,
            radius=whole_box if self.radius is None else float(positive(self.radius, "radius")),
            start=None if self.init is None else _centres(self.init),
        )

    def _accept(self, document: dict[str, Any]) -> None:
        self.cluster_centers_ = np.array(document["centres"])
        self.sizes_ = np.array(document["sizes"])
        self.center_error_ = np.array(document["error"])
        self.n_iter_ = getattr(self.learner_, "turns", 1)


def _centres(init: object) -> Array:
    try:
        found = np.asarray(init, dtype=np.float64)
    except (TypeError, ValueError):
        raise refuse.bad_start("something that is not a table of numbers") from None
    return found if found.ndim == 2 else found.reshape(1, -1)
