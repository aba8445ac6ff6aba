"""What one account may do on its own: the price of a question that names none, and how much one question may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, final

from partita.errors import server as refuse
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP

Loss = Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of one account, each a loss under the first promise.

    >>> Allowance(ceiling={"rho": "0.01"}).price is None
    True
    """

    price: Loss | None = None
    """The price of its questions over the PostgreSQL protocol that name none."""
    ceiling: Loss | None = None
    """The most that one question, or one plan, of it may cost."""
    ask_above: Loss | None = None
    """What costs more is put to the person at the client of a language model first."""


WORDS: Final = tuple(one.name for one in fields(Allowance))
_EXAMPLE: Final = '{ metabase = { price = { rho = "0.01" } }, model = { ceiling = { rho = "0.01" } } }'


def allowances(given: object) -> dict[str, Allowance]:
    """Allowances by account, as a file tells them; refused where a word is unknown or a limit is no loss.

    >>> allowances({"model": {"ceiling": {"rho": "0.01"}}})["model"].ceiling
    {'rho': '0.01'}
    """
    if not isinstance(given, Mapping):
        raise refuse.bad_server_setting("accounts", given, _EXAMPLE)
    found = {}
    for account, limits in given.items():
        name = f"accounts.{account}"
        if not isinstance(limits, Mapping) or set(limits) - set(WORDS):
            raise refuse.bad_server_setting(name, limits, _EXAMPLE)
        for word, loss in limits.items():
            if not isinstance(loss, Mapping) or not loss:
                raise refuse.bad_server_setting(f"{name}.{word}", loss, 'a loss such as { rho = "0.05" }')
        found[str(account)] = Allowance(**{word: dict(loss) for word, loss in limits.items()})
    return found


def beside(limit: Measure | None, budget: Measure) -> Measure | None:
    """A limit under a budget; refused in another measure. Where it names no δ, the δ of the budget is its limit."""
    if limit is None:
        return None
    limit.fits(budget)
    if isinstance(limit, ZCDP) and isinstance(budget, ZCDP) and not limit.delta:
        return replace(limit, delta=budget.delta)
    return limit
