"""Interactive releases alive side by side: booked in full when opened, and locked where interleaving is not proven."""

from __future__ import annotations

from typing import final

from partita.composition.filters import Admission, Concentrated, Filter
from partita.errors import composition as refuse
from partita.mechanisms.base import Event, Mechanism
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


@final
class Concurrent:
    """A filter whose admitted releases answer many questions each: a sparse vector, a session (theory D3).

    The full cost is booked when a child is opened. Children may be interleaved under ε, (ε, δ), ρ without δ, τ and μ.
    Under ρ with δ no theorem covers interleaving: an older child is locked when a newer one opens, unless every cost
    that was booked is itself an (ε, δ) one.

    >>> from partita.theory.measures.pure import Pure
    >>> sessions = Concurrent(Filter(Pure(epsilon=1)))
    >>> first, second = sessions.open("first", Pure(epsilon="0.5")), sessions.open("second", Pure(epsilon="0.5"))
    >>> first.may_answer, second.may_answer
    (True, True)
    """

    def __init__(self, account: Admission) -> None:
        self.account = account
        self._children: list[Child] = []
        self._all_approximate = True

    def open(self, name: str, cost: object) -> Child:
        """Book the full cost of a child and open it; a refusal opens nothing."""
        self.account.admit(cost)
        self._all_approximate &= _is_approximate(cost)
        child = Child(self, name)
        self._children.append(child)
        return child

    @property
    def interleaving(self) -> bool:
        """Whether children may be interleaved."""
        match self.account:
            case Filter(budget=ZCDP(delta=delta)) if delta > 0:
                return self._all_approximate
            case Concentrated():
                # Fed with (ε, δ) costs only, it is itself an (ε, δ) filter; without a δ there is nothing to cover.
                return self._all_approximate or self.account.inner.budget.delta == 0
            case _:
                return True

    def is_newest(self, child: Child) -> bool:
        """Whether no child was opened after this one."""
        return self._children[-1] is child


@final
class Child:
    """One interactive release that was paid for."""

    __slots__ = ("_parent", "name")

    def __init__(self, parent: Concurrent, name: str) -> None:
        self._parent = parent
        self.name = name

    @property
    def may_answer(self) -> bool:
        """Whether it may still be asked."""
        return self._parent.interleaving or self._parent.is_newest(self)

    def ask(self) -> None:
        """To be called before each answer: refuses a locked child."""
        if not self.may_answer:
            raise refuse.locked(f"The interactive release {self.name!r}")


def _is_approximate(cost: object) -> bool:
    """Whether a cost is an (ε, δ) one, rather than a ρ that comes with a δ."""
    if isinstance(cost, Measure):
        return isinstance(cost, Pure | Approximate) or (isinstance(cost, ZCDP) and cost.delta == 0)
    if isinstance(cost, Mechanism | Event):
        mechanism = cost.mechanism if isinstance(cost, Event) else cost
        distance = cost.distance if isinstance(cost, Event) else cost.unit()
        forms = mechanism.closed_forms(distance)
        return any(isinstance(form, Pure) for form in forms)
    return False
