"""PrivateSearch: the best of many models with other settings, at a price that is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar, Self, final

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from partita.algorithms.estimators.base import Private
from partita.algorithms.estimators.linear_regression import LinearRegression
from partita.algorithms.estimators.logistic_regression import LogisticRegression
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.searching import Search
from partita.composition.calibration.pricing import Price
from partita.errors import algorithms as refuse
from partita.errors import searching as refuse_search
from partita.exact import Number, exact, positive, probability
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.repeated import Repeated
from partita.region.columns.base import Bounded
from partita.sampling.bits import BitSource

# More candidates are refused: each is planned, and its plan is written into the book.
MOST = 500
_TRIES = 10_000
_OURS = ("epsilon", "delta", "rho", "mu", "bounds", "target_bounds", "classes", "relation")


@final
class PrivateSearch(MetaEstimatorMixin, Private):  # type: ignore[misc]
    """The best of a random number of models, drawn from ``candidates``, at one pure ε for everything (theory C19).

    ``candidates`` are settings of the estimator: a list of them, or lists of values of which every combination is one.
    About ``tries`` of them are learnt, each at ε / (2 + shape), of which ``scoring`` is the share for its score; the
    best by noisy score is released with that score, and nothing else. More candidates cost nothing. The estimator is a
    :class:`LogisticRegression` or a :class:`LinearRegression` without a price; bounds and classes are its own.

    >>> import numpy as np
    >>> X = np.repeat([[-0.5], [0.5]], 2000, axis=0)
    >>> search = PrivateSearch(
    ...     LogisticRegression(bounds=(-1, 1), classes=["no", "yes"]), {"regulariser": [0, 1, 10]}, epsilon=1, tries=4
    ... )
    >>> search.fit(X, ["no"] * 2000 + ["yes"] * 2000).predict([[-1.0], [1.0]]).tolist()
    ['no', 'yes']
    >>> search.guarantee().epsilon <= 1
    True
    """

    _needs_target: ClassVar[bool] = True
    delta = None
    rho = None
    mu = None

    def __init__(
        self,
        estimator: Any = None,
        candidates: Any = None,
        *,
        epsilon: Number | None = None,
        tries: Number = 10,
        shape: Number = 0,
        scoring: Number = "1/5",
        relation: str = "add/remove",
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.epsilon = epsilon
        self.tries = tries
        self.shape = shape
        self.scoring = scoring
        self.relation = relation

    @property
    def bounds(self) -> Any:
        """Those of the estimator."""
        return getattr(self.estimator, "bounds", None)

    def fit(self, X: Any, y: Any, *, bits: BitSource | None = None) -> Self:
        """Learn from rows and targets you hold; ``bits`` is for tests."""
        self._begin()
        rows, targets = self._rows(X, y, reset=True)
        first = self._models[0]
        if isinstance(first, LogisticRegression):
            numbers: Any = first.numbered(targets)
            goal: Any = first.classes_
        else:
            numbers, goal = self._targets(targets), self.estimator.target_bounds
        learner = self._learner(rows.shape[1], self.bounds, goal)
        return self._learnt(np.column_stack([rows, numbers]), learner, bits)

    def predict(self, X: Any) -> Any:
        """What the best model says of each row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the best model on rows you hold."""
        check_is_fitted(self)
        found: float = self.best_estimator_.score(X, y)
        return found

    def _begin(self) -> None:
        """Every complaint about what was asked for that needs no row."""
        if not isinstance(self.estimator, LogisticRegression | LinearRegression):
            raise refuse_search.not_searchable(self.estimator)
        if self._price().epsilon is None or self.estimator._given():
            raise refuse_search.search_priced_apart()
        stop_for(positive(self.tries, "tries"), Repeated(epsilon=Fraction(1), shape=exact(self.shape, "shape")).shape)
        self._settings = settings_of(self.candidates, self.estimator)
        each = self._each()
        part = probability(self.scoring, "scoring")
        own = {"epsilon": each * (1 - part), "relation": self.relation}
        self._models = [clone(self.estimator).set_params(**one, **own) for one in self._settings]

    def _each(self) -> Fraction:
        """The ε of one try."""
        return positive(self.epsilon, "epsilon") / (2 + exact(self.shape, "shape"))

    def _price(self) -> Price:
        return Price.of(epsilon=self.epsilon)

    def _target(self, column: Bounded) -> Any:
        self._begin()
        goals = [model._target(column) for model in self._models]
        return goals[0]

    def _classes(self) -> tuple[object, ...]:
        classes: tuple[object, ...] = self._models[0]._classes()
        return classes

    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        for model in self._models:
            if isinstance(model, LogisticRegression):
                model.classes_ = target
        learners = tuple(model._learner(features, bounds, target) for model in self._models)
        regression = isinstance(self.estimator, LinearRegression)
        goal = Lattice.of(target, features=1, steps=UNIT, name="target_bounds") if regression else None
        scoring = Laplace(scale=(UNIT if regression else 1) / (self._each() * probability(self.scoring, "scoring")))
        return Search(
            learners,
            Lattice.of(bounds, features=features, steps=UNIT),
            goal,
            0 if regression else len(target),
            scoring,
            stop_for(positive(self.tries, "tries"), exact(self.shape, "shape")),
            exact(self.shape, "shape"),
        )

    def _accept(self, document: dict[str, Any]) -> None:
        place = document["candidate"]
        model = self._models[place]
        learner = self.learner_
        assert isinstance(learner, Search)
        model.learner_, model.n_features_in_ = learner.candidates[place], self.n_features_in_
        model._accept(document["learnt"])
        self.best_estimator_ = model
        self.best_params_ = self._settings[place]
        self.best_score_ = document["score"] / learner.most
        if isinstance(model, LogisticRegression):
            self.classes_ = model.classes_

    def _targets(self, targets: Any) -> Array:
        try:
            return np.asarray(targets, dtype=np.float64)
        except (TypeError, ValueError):
            raise refuse.not_numbers(str(getattr(targets, "dtype", type(targets).__name__))) from None


def settings_of(candidates: Any, estimator: Any) -> list[dict[str, Any]]:
    """Every candidate's settings.

    >>> settings_of({"solver": ["auto"], "regulariser": [0, 1]}, LogisticRegression())
    [{'solver': 'auto', 'regulariser': 0}, {'solver': 'auto', 'regulariser': 1}]
    """
    if isinstance(candidates, Mapping):
        values = list(candidates.values())
        if any(isinstance(one, str | bytes) or not isinstance(one, Sequence | np.ndarray) for one in values):
            raise refuse_search.bad_candidates()
        count = int(np.prod([len(one) for one in values], dtype=object)) if values else 0
        if count > MOST:
            raise refuse_search.too_many_candidates(count, MOST)
        found = [dict(zip(candidates, chosen, strict=True)) for chosen in product(*values)] if values else []
    elif isinstance(candidates, Sequence) and all(isinstance(one, Mapping) for one in candidates):
        found = [dict(one) for one in candidates]
    else:
        raise refuse_search.bad_candidates()
    if len(found) > MOST:
        raise refuse_search.too_many_candidates(len(found), MOST)
    if len(found) < 2:
        raise refuse_search.few_candidates(len(found))
    known = set(estimator.get_params()) - set(_OURS)
    for one in found:
        for name in one:
            if name not in known:
                raise refuse.one_of("A setting of a candidate", name, sorted(known))
    return found


def stop_for(tries: Fraction, shape: Fraction) -> Fraction:
    """The chance of stopping with which there are about so many tries on average.

    >>> stop_for(Fraction(10), Fraction(1))
    Fraction(1, 10)
    """
    if not 1 <= tries <= _TRIES:
        raise refuse_search.odd_tries(tries, _TRIES)
    if shape == 1 or tries == 1:
        return 1 / tries
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        fewer = Repeated(epsilon=Fraction(1), stop=Fraction(middle), shape=shape).mean <= tries
        low, high = (low, middle) if fewer else (middle, high)
    return Fraction(f"{high:.6g}")
