"""What all estimators share: the price, the public bounds, and paying from a curator or standing alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from partita.algorithms.learning.lattice import Array
from partita.algorithms.learning.learner import Learner, Learning
from partita.composition.calibration.pricing import Price
from partita.composition.guarantees.guarantee import Guarantee
from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.errors import algorithms as refuse
from partita.exact import Number
from partita.granularity.base import Relation
from partita.region.columns.base import Bounded
from partita.region.columns.booleans import Booleans
from partita.region.columns.stepped import Stepped
from partita.sampling.bits import BitSource

# How scikit-learn's advice on the shape of rows begins.
_ADVICE = "Reshape your data"
_RELATIONS = tuple(relation.value for relation in Relation)


class Private(BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator whose fitted numbers are all released with noise, at a price that is fixed before it sees a row."""

    epsilon: Number | None
    delta: Number | None
    rho: Number | None
    mu: Number | None
    bounds: Any
    relation: str
    _needs_target: ClassVar[bool] = False

    @abstractmethod
    def _learner(self, features: int, bounds: Any, target: Any) -> Learner:
        """The plan for rows with so many features; every complaint about public choices is made here."""

    @abstractmethod
    def _accept(self, document: dict[str, Any]) -> None:
        """Keep what was learnt."""

    def _target(self, column: Bounded) -> Any:
        """What a target column's public domain says: nothing for estimators without a target."""
        return None

    def _classes(self) -> tuple[object, ...]:
        return ()

    def fit_from(
        self,
        curator: Curator | Session,
        table: str | None = None,
        *,
        columns: Sequence[str],
        target: str | None = None,
        where: str | None = None,
        key: str | None = None,
    ) -> Self:
        """Learn from a table of a curator or of an analyst's session; bounds are those of the declared columns.

        Where promises are on people, ``table`` may be a join as SQL writes it after FROM, each of whose rows is one row
        of one table: ``"orders JOIN customers USING (customer)"``. Its columns are ``customers.age`` and the like.

        The same fit again is the same question, so it is free and gives the same model. ``outcome_`` keeps its cost and
        its receipt.
        """
        name, computation = self._posed(curator, table, columns, target, self._learner)
        outcome = curator.run(computation, table=name, where=where, key=key)
        self._know(columns)
        self.learner_ = computation.learner
        self.outcome_ = outcome
        self._accept(outcome.document)
        return self

    def _posed(
        self,
        curator: Curator | Session,
        table: str | None,
        columns: Sequence[str],
        target: str | None,
        plan: Callable[[int, Any, Any], Learner],
    ) -> tuple[str, Learning]:
        """The name of the table, and what is to be learnt from it; complaints about what was asked are made here."""
        if not isinstance(curator, Curator | Session):
            raise refuse.not_a_curator(curator)
        if isinstance(columns, str) or not all(isinstance(name, str) for name in columns) or not len(columns):
            raise refuse.no_columns(columns)
        if target is None and self._needs_target:
            raise refuse.no_target()
        chosen = next((one for one in curator.tables if table in (None, one.name)), None)
        if chosen is None and isinstance(table, str) and len(table.split()) > 1:
            chosen = curator.relation(table)
        if chosen is None:
            raise refuse.one_of("table", table, [one.name for one in curator.tables])
        domain = chosen.domain
        if self._price().epsilon is None:
            for promise in curator.promises:
                self._price().within(promise.budget)
        declared = [domain.bounded[domain.axis(name)] for name in columns]
        ends = [_ends(name, column) for name, column in zip(columns, declared, strict=True)]
        goal = None if target is None else self._target(domain.bounded[domain.axis(target)])
        learner = plan(len(columns), tuple(zip(*ends, strict=True)), goal)
        names = tuple(columns) if target is None else (*columns, target)
        return chosen.name if table is None else table, Learning(
            names, learner, self._classes(), 0 if self.delta is None else self.delta
        )

    def guarantee(self, *, delta: Number | None = None) -> Guarantee:
        """What the fitted numbers give away about one row, composed from every release.

        With a price in ρ or μ a ``delta`` must be said.
        """
        check_is_fitted(self)
        at = delta if delta is not None else self.delta if self.delta is not None else 0
        learner: Learner = self.learner_
        return learner.guarantee(delta=at, relation=self._relation())

    def _know(self, columns: Sequence[str]) -> None:
        """Keep the names of the columns: those that scikit-learn keeps would ask for a frame in every prediction."""
        self.n_features_in_ = len(columns)
        self.columns_ = tuple(columns)

    def _names(self) -> list[object]:
        """The names of the features, if they have any."""
        return list(getattr(self, "feature_names_in_", getattr(self, "columns_", ())))

    def _given(self) -> bool:
        """Whether it has a price of its own."""
        return any(part is not None for part in (self.epsilon, self.delta, self.rho, self.mu))

    def _price(self) -> Price:
        return Price.of(epsilon=self.epsilon, delta=self.delta, rho=self.rho, mu=self.mu)

    def _relation(self) -> Relation:
        if self.relation not in _RELATIONS:
            raise refuse.one_of("relation", self.relation, _RELATIONS)
        return Relation(self.relation)

    def _rows(self, X: object, y: object = "no_validation", *, reset: bool) -> Any:
        """The caller's own rows, looked over before anything is spent."""
        try:
            return validate_data(self, X, y, reset=reset, dtype=np.float64)
        except (ValueError, TypeError) as problem:
            if "could not convert" in str(problem):
                # Those words would show a value.
                raise refuse.not_numbers(str(getattr(X, "dtype", type(X).__name__))) from None
            # Some of its words are followed by the rows themselves.
            kept = [line for place, line in enumerate(str(problem).splitlines()) if not place or _ADVICE in line]
            raise refuse.rows_refused(" ".join(line.strip().rstrip(":") + "." for line in kept)) from None

    def _learnt(self, rows: Array, learner: Learner, bits: BitSource | None) -> Self:
        self.learner_ = learner
        self._accept(learner.learn(rows, bits=bits))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def _ends(name: str, column: Bounded) -> tuple[float, float]:
    """The public ends of a column of numbers."""
    if isinstance(column, Stepped):
        return float(column.low * column.step), float(column.high * column.step)
    if isinstance(column, Booleans):
        return 0.0, 1.0
    raise refuse.not_a_number_column(name, column.kind)


def interval(column: Bounded, name: str) -> tuple[float, float]:
    """The public interval of a target column of numbers."""
    return _ends(name, column)
