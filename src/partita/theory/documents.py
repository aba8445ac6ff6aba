"""Losses as plain documents with a durable kind: what ledgers, receipts and plans are written in."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from partita.errors import theory as refuse
from partita.exact import exact
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

Document = dict[str, object]


def to_document(loss: Measure) -> Document:
    """A loss as plain data; exact numbers are written as text.

    >>> to_document(ZCDP(rho="0.5"))
    {'kind': 'zcdp', 'rho': '1/2', 'delta': '0'}
    """
    match loss:
        case Pure():
            return {"kind": loss.kind, "epsilon": str(loss.epsilon)}
        case Approximate():
            return {"kind": loss.kind, "epsilon": str(loss.epsilon), "delta": str(loss.delta)}
        case ZCDP():
            return {"kind": loss.kind, "rho": str(loss.rho), "delta": str(loss.delta)}
        case GDP():
            return {"kind": loss.kind, "mu_squared": str(loss.squared)}
        case Renyi():
            return {"kind": loss.kind, "orders": [*map(str, loss.orders)], "taus": [*map(str, loss.taus)]}
        case _:
            raise refuse.not_a_loss("loss", loss)


def from_document(document: Mapping[str, object]) -> Measure:
    """The loss that was written.

    >>> from_document({"kind": "pure", "epsilon": "1/10"})
    Pure(epsilon=Fraction(1, 10))
    """

    if not isinstance(document, Mapping):
        raise refuse.not_a_loss("document", document)

    def number(key: str) -> Fraction:
        return exact(document.get(key), key)

    def numbers(key: str) -> list[Fraction]:
        found = document.get(key)
        return [exact(item, key) for item in found] if isinstance(found, list) else []

    match document.get("kind"):
        case "pure":
            return Pure(epsilon=number("epsilon"))
        case "approximate":
            return Approximate(epsilon=Fraction(1), delta=Fraction(0)).like([number("epsilon"), number("delta")])
        case "zcdp":
            return ZCDP(rho=Fraction(1)).like([number("rho"), exact(document.get("delta", 0), "delta")])
        case "gdp":
            return GDP.from_squared(number("mu_squared"))
        case "renyi":
            return Renyi(orders=numbers("orders"), taus=numbers("taus"))
        case other:
            raise refuse.not_a_loss("document", other)
