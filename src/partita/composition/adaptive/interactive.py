"""Interactive releases alive side by side: booked in full when opened, and locked where interleaving is not proven."""

from __future__ import annotations

from typing import final

from partita.composition.adaptive.filters import Admission, Concentrated, Filter
from partita.composition.plans.plan import read
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.errors import theory as refuse_theory
from partita.live import Live
from partita.theory.conversions import convert
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


@final
class Concurrent(Live):
    """A filter whose admitted releases answer many questions each: a sparse vector, a session (theory D3).

    The full cost is booked when a child is opened. Children may be interleaved under ε, (ε, δ), ρ without δ, τ and μ.
    Under ρ with δ no theorem covers interleaving: an older child is locked when a newer one opens, unless every cost
    that was booked is an (ε, δ) one counted at ε tanh(ε/2), or none has a δ. Either-or filters lock always. From now on
    the account belongs to these children, so that none of their costs is missed.

    >>> from partita.theory.measures.pure import Pure
    >>> sessions = Concurrent(Filter(Pure(epsilon=1)))
    >>> first, second = sessions.open("first", Pure(epsilon="0.5")), sessions.open("second", Pure(epsilon="0.5"))
    >>> first.may_answer, second.may_answer
    (True, True)
    """

    def __init__(self, account: Admission) -> None:
        super().__init__()
        if not isinstance(account, Admission):
            raise refuse_theory.not_a_loss("account", account)
        account._own()
        self._account = account
        self._newest: Child | None = None
        self._interleaved = False
        # What was spent before is known only as a sum.
        self._approximate = self._without_delta = True
        if isinstance(account, Filter | Concentrated) and isinstance(account.spent, ZCDP):
            self._approximate = account.spent.is_zero()
            self._without_delta = account.spent.delta == 0

    def open(self, name: str, cost: object) -> Child:
        """Book the full cost of a child and open it; a refusal opens nothing."""
        with self._lock:
            kinds = self._kinds(cost)
            if self._interleaved and not self._proven(kinds):
                raise refuse.interleaved(f"The interactive release {name!r}")
            self._account._book(cost)
            self._approximate, self._without_delta = kinds
            self._newest = child = Child(self, name)
            return child

    @property
    def interleaving(self) -> bool:
        """Whether children may be interleaved."""
        return self._proven((self._approximate, self._without_delta))

    def is_newest(self, child: Child) -> bool:
        """Whether no child was opened after this one."""
        return self._newest is child

    def asked(self, child: Child) -> None:
        """Note that a child is asked; refuses a locked one."""
        with self._lock:
            if not self.is_newest(child):
                if not self.interleaving:
                    raise refuse.locked(f"The interactive release {child.name!r}")
                self._interleaved = True

    def _kinds(self, cost: object) -> tuple[bool, bool]:
        """Whether all costs with this one are (ε, δ) ones, and whether none has a δ."""
        account = self._account
        if not isinstance(account, Filter | Concentrated) or not isinstance(account.budget, ZCDP):
            return True, True
        loss = account.priced(cost)
        assert isinstance(loss, ZCDP)
        return self._approximate and _is_approximate(cost, loss), self._without_delta and loss.delta == 0

    def _proven(self, kinds: tuple[bool, bool]) -> bool:
        match self._account:
            case Filter(budget=ZCDP(delta=delta)) | Concentrated(budget=ZCDP(delta=delta)):
                # Fed with (ε, δ) costs only it is an (ε, δ) filter, and without any δ one of ρ alone.
                return delta == 0 or any(kinds)
            case Filter():
                return True
            case _:
                return False


@final
class Child(Live):
    """One interactive release that was paid for.

    >>> from partita import Filter, Pure
    >>> first = Concurrent(Filter(Pure(epsilon=1))).open("first", Pure(epsilon="0.5"))
    >>> first.name, first.may_answer
    ('first', True)
    """

    def __init__(self, parent: Concurrent, name: str) -> None:
        super().__init__()
        self._parent = parent
        self.name = name

    @property
    def may_answer(self) -> bool:
        """Whether it may still be asked."""
        return self._parent.interleaving or self._parent.is_newest(self)

    def ask(self) -> None:
        """To be called before each answer: refuses a locked child."""
        self._parent.asked(self)


def _is_approximate(cost: object, booked: ZCDP) -> bool:
    """Whether a cost is an (ε, δ) one that was counted as such, rather than at a ρ of its own."""
    if isinstance(cost, Measure):
        return isinstance(cost, Pure | Approximate)
    try:
        part = read(cost)
        counted = convert(part.loss(Pure), ZCDP)
    except NotProven:
        return False
    assert isinstance(counted, ZCDP)
    return booked.rho >= counted.rho * part.count
