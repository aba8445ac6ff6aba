"""Filters for fully adaptive analysts: the next release is refused before the total could exceed its budget."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Generic, TypeVar, final

from partita.composition.plans.plan import Part, Plan, Run, counted, read, unit_of
from partita.errors import InvalidInput, NotProven
from partita.errors import composition as refuse
from partita.errors import theory as refuse_theory
from partita.exact import Number, exact, nonnegative, positive
from partita.granularity.base import Granularity, Relation
from partita.live import Live
from partita.mechanisms.base import Event, Mechanism
from partita.theory.conversions import convert
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import least

Budget = TypeVar("Budget", bound=Measure)


class Admission(Live):
    """Anything that says, from public history alone, whether a release may still run."""

    def __init__(self, relation: Relation | Granularity | str | None = None) -> None:
        super().__init__()
        self._relation = Plan.protecting((), relation).relation
        self._unit = unit_of(relation)
        self._owned = False
        self._one_of_several = False

    @property
    def relation(self) -> Relation | None:
        """Under which relation costs add up: as given, or that of the first cost that is proven under one only."""
        return self._relation

    @property
    def unit(self) -> Granularity | None:
        """The unit of several steps that is protected, if any: costs are those of one step, and steps are counted."""
        return self._unit

    @abstractmethod
    def admits(self, cost: object) -> bool:
        """Whether a release of this cost would be admitted; nothing changes."""

    def admit(self, cost: object) -> None:
        """Admit a release and count its cost, or refuse it and count nothing."""
        with self._lock:
            if self._owned:
                raise refuse.owned(type(self).__name__)
            self._book(cost)

    @abstractmethod
    def certified(self) -> Measure:
        """What the whole interaction is promised, whatever is asked: the budget, not what is spent so far."""

    @abstractmethod
    def _book(self, cost: object) -> None:
        """Count a cost, or refuse it; called under the lock."""

    def _alone(self) -> None:
        """Refuse to certify where releases may run that are not counted here."""
        if self._one_of_several:
            raise refuse.one_of_several(type(self).__name__)

    def _own(self) -> None:
        """From now on only one other account charges this one."""
        with self._lock:
            if self._owned:
                raise refuse.owned(type(self).__name__)
            self._owned = True


@final
class Filter(Admission, Generic[Budget]):
    """A budget fixed beforehand that no path of an adaptive interaction can exceed (theory D5, D6).

    Proven for budgets in ε, (ε, δ), ρ (with δ), τ at every order of a grid, and μ. A cost in another measure is read in
    the measure of the budget, where a theorem does that. Losses under unlike relations are never summed: the relation
    is the one given, or that of the first cost that is proven under one only. A cost is that of one row; for
    a unit of several, such as ``pt.users("patient", rows=3)``, its steps are counted, as in ``compose``.

    >>> filter = Filter(ZCDP(rho="0.5"))
    >>> filter.admit(ZCDP(rho="0.4"))
    >>> filter.admits(ZCDP(rho="0.2")), filter.remaining()
    (False, ZCDP(rho=Fraction(1, 10), delta=Fraction(0, 1)))
    """

    def __init__(self, budget: Budget, *, relation: Relation | Granularity | str | None = None) -> None:
        super().__init__(relation)
        if not isinstance(budget, Measure):
            raise refuse_theory.not_a_loss("budget", budget)
        if isinstance(budget, Profile):
            raise refuse.not_a_filter(
                budget.symbol, "curves of different releases cross, and an analyst takes the worse on each path (D8)."
            )
        self._budget = budget
        self._spent: Budget = budget.zero()

    def __repr__(self) -> str:
        return f"<Filter with a budget of {self._budget}; {self.remaining()} is left>"

    @property
    def budget(self) -> Budget:
        """What is promised."""
        return self._budget

    @property
    def spent(self) -> Budget:
        """The sum of all costs admitted so far."""
        return self._spent

    @classmethod
    def recommended(cls, *, epsilon: Number, delta: Number, leak: Number = 0) -> Concentrated:
        """The filter for an (ε, δ) target: costs are counted in ρ, pure ones at ε tanh(ε/2) (theory D6).

        ``leak`` is the part of δ kept for the δ of the releases themselves.
        """
        return Concentrated(epsilon=epsilon, delta=delta, leak=leak)

    def admits(self, cost: object) -> bool:
        agreed(self._relation, cost)
        return (self._spent + self.priced(cost)).fits(self._budget)

    def _book(self, cost: object) -> None:
        relation, loss = agreed(self._relation, cost), self.priced(cost)
        total = self._spent + loss
        if not total.fits(self._budget):
            raise refuse.filter_refuses(str(self._spent), str(loss), str(self.remaining()), str(self._budget))
        self._spent, self._relation = total, relation

    def remaining(self) -> Budget:
        """The largest cost that would still fit."""
        return self.budget.left_after(self.spent)

    def certified(self) -> Budget:
        """The budget: what is proven for the whole interaction, however it goes (theory D2)."""
        self._alone()
        return self.budget

    def priced(self, cost: object) -> Budget:
        """A cost in the measure of the budget, for the whole unit; a mechanism is priced by its own proof."""
        kind = type(self.budget)
        if isinstance(cost, Measure | Mechanism | Event | Part | tuple):
            cost = counted(cost, self._unit)
        if isinstance(cost, Measure):
            loss = _converted(cost, self.budget)
        elif isinstance(cost, Mechanism | Event | Part | tuple):
            part = read(cost)
            if not isinstance(part, Run):
                loss = _converted(part.loss(kind), self.budget).times(part.count)
            else:
                loss = _converted(part.mechanism.cost(part.distance, kind), self.budget).times(part.count)
        else:
            raise refuse_theory.not_a_loss("cost", cost)
        assert isinstance(loss, kind)
        return loss


@final
class Concentrated(Admission):
    """The recommended filter for an (ε, δ) promise: a rectangle of ρ and δ fixed beforehand (theory D6).

    All releases together are (ε, δ)-private, in any order and however chosen, because ρ = ε tanh(ε/2) of each pure one
    adds up to at most the ρ that is (ε, δ - leak)-private.

    >>> filter = Filter.recommended(epsilon="5.2192", delta="1e-6")
    >>> for _ in range(100):
    ...     filter.admit(Pure(epsilon="0.1"))
    >>> filter.admits(Pure(epsilon="0.1"))
    False
    """

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        leak: Number = 0,
        relation: Relation | Granularity | str | None = None,
    ) -> None:
        super().__init__(relation)
        target, whole, kept = positive(epsilon, "epsilon"), nonnegative(delta, "delta"), nonnegative(leak, "leak")
        if not 0 <= kept < whole < 1:
            raise refuse.delta_out_of_range(delta)
        self._promise = Approximate(epsilon=target, delta=whole)
        self._inner = Filter(ZCDP(rho=largest_rho(target, whole - kept), delta=kept), relation=relation)

    @property
    def budget(self) -> ZCDP:
        """The rectangle of ρ and δ."""
        return self._inner.budget

    def admits(self, cost: object) -> bool:
        return self._inner.admits(cost)

    def _book(self, cost: object) -> None:
        self._inner.admit(cost)
        self._relation = self._inner.relation

    def priced(self, cost: object) -> ZCDP:
        """A cost in ρ and δ."""
        return self._inner.priced(cost)

    def remaining(self) -> ZCDP:
        """The largest ρ and δ that would still fit."""
        return self._inner.remaining()

    @property
    def spent(self) -> ZCDP:
        """The ρ and δ counted so far."""
        return self._inner.spent

    def certified(self) -> Approximate:
        """(ε, δ), whatever is asked."""
        self._alone()
        return self._promise


@final
class EitherOr(Admission):
    """Several filters of which one is enough: a release runs while some filter was never exceeded (theory D7).

    Each filter promises the same ε with a δ of its own; together they promise ε with the sum of the δ. A filter that
    was exceeded once is out for good. All of them must count every release: one that has spent before is refused, and
    none of them certifies alone any more.

    >>> both = EitherOr([Filter(Pure(epsilon=1)), Filter.recommended(epsilon=1, delta="1e-6")], epsilon=1)
    >>> both.admit(Pure(epsilon="0.9"))
    >>> both.admits(Pure(epsilon="0.2"))
    False
    """

    def __init__(
        self,
        filters: Sequence[Filter[Measure] | Concentrated],
        *,
        epsilon: Number,
        relation: Relation | Granularity | str | None = None,
    ) -> None:
        super().__init__(relation)
        if not filters:
            raise refuse.not_a_filter("nothing", "an either-or filter needs at least one filter.")
        for one in filters:
            if not isinstance(one, Filter | Concentrated):
                raise refuse.not_a_filter(type(one).__name__, "an either-or filter holds filters.")
        self._epsilon = positive(epsilon, "epsilon")
        self._delta = sum((one.certified().delta_at(self._epsilon) for one in filters), Fraction(0))
        if self._delta >= 1:
            raise refuse.delta_out_of_range(float(self._delta))
        self._unit = self._unit or filters[0].unit
        for one in filters:
            if one.relation is not None and self._relation not in (None, one.relation):
                raise refuse.unlike_relations(f"A filter under {one.relation.value}", f"one under {self._relation}")
            self._relation = self._relation or one.relation
            if one.unit != self._unit:
                raise refuse.unlike_relations(f"A filter for [{one.unit or 'one row'}]", f"[{self._unit or 'one row'}]")
            _fresh(one)
        for one in filters:
            one._own()
            _fresh(one)  # until now somebody else may have charged it
        for one in filters:
            one._one_of_several = True
        self._alive: list[Filter[Measure] | Concentrated] = list(filters)

    @property
    def alive(self) -> tuple[Filter[Measure] | Concentrated, ...]:
        """The filters that were never exceeded."""
        return tuple(self._alive)

    def admits(self, cost: object) -> bool:
        agreed(self._relation, cost)
        return any(_can(one, cost) for one in self._alive)

    def _book(self, cost: object) -> None:
        relation = agreed(self._relation, cost)
        still = [one for one in self._alive if _can(one, cost)]
        if not still:
            spent = " or ".join(str(one.spent) for one in self._alive)
            left = " or ".join(str(one.remaining()) for one in self._alive)
            raise refuse.filter_refuses(spent, str(cost), left, str(self.certified()))
        # A filter that this release exceeds is out for good; the others go on counting.
        for one in still:
            one._book(cost)
        self._alive, self._relation = still, relation

    def certified(self) -> Measure:
        """The common ε, with the sum of the δ."""
        if self._delta == 0:
            return Pure(epsilon=self._epsilon)
        return Approximate(epsilon=self._epsilon, delta=self._delta)


def either_order(orders: Sequence[tuple[Number, Number]], *, epsilon: Number, delta: Number) -> EitherOr:
    """A Rényi filter that holds while some order of a grid is within its budget: each order gets δ / r (theory D7).

    ``orders`` are pairs of an order and its τ; each must be (ε, δ/r)-private on its own, which is checked.

    >>> grid = either_order([(64, "0.5"), (128, "0.6")], epsilon=1, delta="1e-6")
    >>> grid.admit(Pure(epsilon="0.1"))
    >>> len(grid.alive), grid.certified().epsilon
    (2, Fraction(1, 1))
    """
    target, share = positive(epsilon, "epsilon"), nonnegative(delta, "delta") / max(len(orders), 1)
    filters: list[Filter[Measure] | Concentrated] = []
    for order, tau in orders:
        budget = Renyi(order=order, tau=tau)
        if budget.delta_at(target) > share:
            raise refuse.not_a_filter(str(budget), f"at ε = {float(target):g} it needs more than δ = {float(share):g}.")
        filters.append(Filter(budget))
    return EitherOr(filters, epsilon=target)


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ that is (ε, δ)-private by the tight conversion (theory B14), rounded down.

    >>> round(float(largest_rho(Fraction(1), Fraction(1, 10**6))), 9)
    0.02435597
    """

    def too_much(rho: Fraction) -> bool:
        return rho > 0 and ZCDP(rho=rho).epsilon_at(delta) > epsilon

    high = epsilon
    while not too_much(high):
        high *= 2
    found = least(too_much, Fraction(0), high, steps=70)
    # The bisection ends just above; step down until the conversion itself agrees.
    step = Fraction(1, 2**60)
    while too_much(found):
        found -= found * step
        step *= 2
    return found


def agreed(relation: Relation | None, cost: object) -> Relation | None:
    """The relation after one more cost; a refusal of one that is not proven under the relation so far.

    A bare loss says nothing of its relation and is taken to be under that of the account.
    """
    if not isinstance(cost, Mechanism | Event | Part | tuple):
        return relation
    part = read(cost)
    if relation is None:
        return next(iter(part.relations)) if len(part.relations) == 1 else None
    if relation not in part.relations:
        raise refuse.not_under_relation(part.name, relation.value, [one.value for one in part.relations])
    return relation


def _fresh(one: Filter[Measure] | Concentrated) -> None:
    """Of several filters each must count every release, so none may have a past that others do not know."""
    if not one.spent.is_zero():
        raise refuse.spent_before(type(one).__name__, str(one.spent))


def _can(one: Filter[Measure] | Concentrated, cost: object) -> bool:
    try:
        return one.admits(cost)
    except (NotProven, InvalidInput):
        return False


def _converted(loss: Measure, budget: Measure) -> Measure:
    if isinstance(budget, Renyi) and not isinstance(loss, Renyi):
        found = convert(loss, Renyi)
        assert isinstance(found, Renyi)
        loss = found
    if isinstance(budget, Renyi) and isinstance(loss, Renyi):
        return loss if loss.orders == budget.orders else loss.on(budget.orders)
    if type(loss) is type(budget):
        return loss
    if isinstance(budget, Approximate):
        return _as_approximate(loss)
    if not isinstance(budget, Pure | ZCDP | GDP):
        raise refuse.cost_not_for_filter(str(loss), str(budget))
    return convert(loss, type(budget))


def _as_approximate(loss: Measure) -> Measure:
    if isinstance(loss, Pure):
        return Approximate(epsilon=loss.epsilon, delta=exact(0))
    raise refuse.cost_not_for_filter(str(loss), Approximate.symbol)
