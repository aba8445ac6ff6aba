"""LogisticRegression: a private classifier as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from partita.algorithms.estimators.base import Private
from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.perturbed import Perturbed
from partita.algorithms.learning.classifying.rounds import FirstRound, in_rounds
from partita.algorithms.learning.lattice import Array, Lattice
from partita.algorithms.learning.learner import Learner
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.sums import pure_of
from partita.curator.answers.outcome import Outcome
from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.errors import algorithms as refuse
from partita.exact import Number, nonnegative, positive, whole
from partita.ledger.receipts.together import Together, compose
from partita.mechanisms.perturbed_objective import LEAST, WEIGHTS
from partita.region.columns.base import Bounded
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SOLVERS = ("auto", "objective", "gradient", "descent")
_IN_ROUNDS = ("auto", "gradient")
_FROM_LABELS = "from labels"
_ERRORS = {
    "coef_error_": "error",
    "intercept_error_": "intercept_error",
    "coef_sampling_error_": "sampling",
    "intercept_sampling_error_": "intercept_sampling",
}
# From so many weights on, Gaussian noise on gradients is less than a random slope at the same (ε, δ).
_MANY = 60


@final
class LogisticRegression(ClassifierMixin, Private):  # type: ignore[misc]
    """A linear classifier, private at the given price for one row of the table.

    ``classes`` must be public. ``solver="objective"`` tilts the loss by a random slope (one release at a pure ε),
    ``"gradient"`` takes a few steps along noisy gradients from a start by noisy moments, ``"descent"`` is plain noisy
    gradient descent, on all rows or on batches (``batches="disjoint"``, or ``"poisson"`` at a ``sample_rate``).
    ``"auto"`` chooses by the price alone. Rows longer than ``row_norm``, when every feature is scaled to [-1, 1], are
    shortened.

    ``coef_error_`` is the deviation that noise gives each coefficient, ``coef_sampling_error_`` the one that chance
    gives it where the model is true; so for the intercepts. For ``"objective"`` a tenth of the price pays for them,
    unless ``errors=False``; ``"descent"`` has none.

    >>> import numpy as np
    >>> X = np.repeat([[-0.5], [0.5]], 2000, axis=0)
    >>> model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=["no", "yes"])
    >>> model.fit(X, ["no"] * 2000 + ["yes"] * 2000).predict([[-1.0], [1.0]]).tolist()
    ['no', 'yes']
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
        classes: Any = None,
        solver: str = "auto",
        batches: str | None = None,
        sample_rate: Number = "1/10",
        max_iter: int | None = None,
        row_norm: Number | None = None,
        regulariser: float = 0.0,
        errors: bool = True,
        noise: str | None = None,
        relation: str = "add/remove",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.mu = mu
        self.bounds = bounds
        self.classes = classes
        self.solver = solver
        self.batches = batches
        self.sample_rate = sample_rate
        self.max_iter = max_iter
        self.row_norm = row_norm
        self.regulariser = regulariser
        self.errors = errors
        self.noise = noise
        self.relation = relation

    def fit(self, X: Any, y: Any, *, bits: BitSource | None = None) -> Self:
        """Learn from rows and labels you hold; ``bits`` is for tests."""
        rows, labels = self._rows(X, y, reset=True)
        numbers = self.numbered(labels)
        learner = self._learner(rows.shape[1], self.bounds, self.classes_)
        return self._learnt(np.column_stack([rows, numbers]), learner, bits)

    def numbered(self, labels: Any) -> list[int]:
        """The number of the class of each label you hold; the classes are those that were declared."""
        try:
            check_classification_targets(labels)
        except ValueError as problem:
            raise refuse.rows_refused(str(problem)) from None
        self.classes_ = self._declared(labels)
        places = {label: place for place, label in enumerate(self.classes_.tolist())}
        try:
            return [places[label] for label in labels.tolist()]
        except KeyError:
            raise refuse.unknown_label() from None

    def fit_across(
        self,
        curators: Sequence[Curator | Session],
        table: str | None = None,
        *,
        columns: Sequence[str],
        target: str,
        where: str | None = None,
    ) -> Self:
        """One model of the rows of several custodians, who release noisy sums round by round, each from its own ledger.

        First moments, then ``max_iter`` gradients at the weights that all releases so far led to. The price is what one
        custodian's releases cost a row, in ε, ρ or μ; nobody is asked unless everybody can pay for all rounds.
        ``outcomes_`` keeps what each custodian released, and ``exposure`` what a person loses by all of it. The same
        fit again is free.
        """
        if isinstance(curators, Curator | Session | str) or not isinstance(curators, Sequence) or not curators:
            raise refuse.no_custodians(curators)
        if self.solver not in _IN_ROUNDS:
            raise refuse.one_of("solver", self.solver, _IN_ROUNDS)
        if self.delta is not None:
            raise refuse.rounds_without_delta()
        posed = [self._posed(curator, table, columns, target, self._gradual) for curator in curators]
        plan = posed[0][1].learner
        assert isinstance(plan, Logistic)
        if any(one.learner != plan or one.classes != posed[0][1].classes for _, one in posed):
            raise refuse.other_plan()
        held = [
            next(one for one in curator.tables if one.name == name)
            for curator, (name, _) in zip(curators, posed, strict=True)
        ]
        for place, mine in enumerate(held):
            if any(mine is other for other in held[:place]):
                raise refuse.same_custodian(next(at for at, other in enumerate(held) if other is mine), place)
        first = [(name, replace(one, learner=FirstRound(plan))) for name, one in posed]
        for curator, (name, every), (_, begin) in zip(curators, posed, first, strict=True):
            # What was begun may be finished: the same rounds are free, and others are refused one by one.
            if not curator.released(begin, table=name, where=where):
                curator.admits(every, table=name, where=where)
        outcomes: list[list[Outcome]] = [[] for _ in curators]

        def ask(learner: Learner) -> list[Any]:
            for curator, (name, every), kept in zip(curators, posed, outcomes, strict=True):
                kept.append(curator.run(replace(every, learner=learner), table=name, where=where))
            return [kept[-1].document for kept in outcomes]

        document = in_rounds(plan, ask)
        self._know(columns)
        self.learner_, self.outcomes_ = plan, outcomes
        self._accept(document)
        return self

    def exposure(self, *, at: Sequence[int] | None = None, disjoint: bool = False) -> Together:
        """What a person loses by the model of several custodians, from their receipts alone.

        ``at`` says at which of them, by their places, the person's rows are: at all of them, unless it is said. With
        ``disjoint`` the custodians declare that nobody is at two.
        """
        check_is_fitted(self, "outcomes_")
        places = range(len(self.outcomes_)) if at is None else at
        if any(place not in range(len(self.outcomes_)) for place in places):
            raise refuse.unknown_custodian(list(places), len(self.outcomes_))
        return compose([outcome.receipt for place in places for outcome in self.outcomes_[place]], disjoint=disjoint)

    def decision_function(self, X: Any) -> Array:
        """The scores of each row: of the second class, or of each class where there are more than two."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        found: Array = rows @ self.coef_.T + self.intercept_
        return found[:, 0] if found.shape[1] == 1 else found

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        found: Array = odds / odds.sum(axis=1, keepdims=True)
        return found

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def plot(self) -> Figure:
        """The coefficients in units of each feature's public half-width, with the error of their noise."""
        from partita.algorithms.learning.pictures import coefficients

        check_is_fitted(self)
        half = np.array(self._lattice.step) * UNIT
        errors = None if self.coef_error_ is None else self.coef_error_ * half
        lines = self.classes_.tolist() if len(self.classes_) > 2 else ()
        return coefficients(self.coef_ * half, errors, "Coefficients", names=self._names(), lines=lines)

    def _declared(self, labels: Any) -> Any:
        if self.classes is None:
            raise refuse.no_classes()
        if isinstance(self.classes, str):
            if self.classes != _FROM_LABELS:
                raise refuse.no_classes()
            found = np.unique(labels)
            several = len(found) >= 2
        else:
            try:
                found = np.asarray(list(self.classes))
                several = len({*found.tolist()}) == len(found) >= 2
            except (TypeError, ValueError):
                raise refuse.no_classes() from None
        if not several:
            raise refuse.few_classes(found.tolist())
        return found

    def _target(self, column: Bounded) -> Any:
        values = [column.value(code) for code in range(column.size)]
        known = [value for value in values if value is not None]
        if self.classes is None or isinstance(self.classes, str):
            self.classes_ = np.array(known)
        else:
            self.classes_ = self._declared(None)
        return self.classes_

    def _classes(self) -> tuple[object, ...]:
        return tuple(self.classes_.tolist())

    def _gradual(self, features: int, bounds: Any, target: Any) -> Learner:
        """The plan that is paid round by round."""
        return self._planned(features, bounds, target, "gradient")

    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        return self._planned(features, bounds, target, self.solver)

    def _planned(self, features: int, bounds: Any, target: Any, solver: str) -> Learner:
        if target is None:
            raise refuse.no_target()
        if solver not in _SOLVERS:
            raise refuse.one_of("solver", solver, _SOLVERS)
        classes, relation, price = len(target), self._relation(), self._price()
        lattice = self._lattice = Lattice.of(bounds, features=features, steps=UNIT)
        norm = float(np.sqrt(features)) if self.row_norm is None else float(positive(self.row_norm, "row_norm"))
        norm = max(min(norm, float(np.sqrt(features))), 1 / UNIT)
        turns = None if self.max_iter is None else whole(self.max_iter, "max_iter", least=1)
        weights = (features + 1) * (1 if classes == 2 else classes)
        if self.batches is not None and solver == "auto":
            solver = "descent"
        if self.batches is not None and solver != "descent":
            raise refuse.batches_elsewhere(self.batches, solver)
        if solver == "auto":
            gaussian = price.epsilon is None or price.delta is not None
            certified = weights <= WEIGHTS and pure_of(price) >= 4 * LEAST
            solver = "objective" if certified and not (weights > _MANY and gaussian) else "gradient"
        if solver == "objective":
            strength = float(nonnegative(self.regulariser, "regulariser"))
            return Perturbed.plan(
                lattice, classes, norm, price, relation=relation, regulariser=strength, curved=bool(self.errors)
            )
        if solver == "descent":
            return Descent.plan(
                lattice,
                classes,
                norm,
                price,
                turns=turns or 20,
                batches=self.batches,
                rate=self.sample_rate,
                relation=relation,
            )
        return Logistic.plan(lattice, classes, norm, price, turns=turns or 2, relation=relation, noise=self.noise)

    def _accept(self, document: dict[str, Any]) -> None:
        self.coef_ = np.array(document["coefficients"])
        self.intercept_ = np.array(document["intercepts"])
        for name, part in _ERRORS.items():
            setattr(self, name, np.array(document[part]) if part in document else None)
        self.n_iter_ = getattr(self.learner_, "turns", 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
