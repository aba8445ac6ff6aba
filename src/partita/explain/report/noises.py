"""The noise of a release in the units of its columns, found by pricing the question again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, assert_never, final

from partita.composition.calibration.pricing import Price
from partita.errors import PartitaError
from partita.ledger.birth import Terms
from partita.query.exact.measurements import Balanced, Counted, Crossed, Differing, Measurement, Moments, Owned, Summed
from partita.query.language.text import shown_expression
from partita.query.noise.quote import quote
from partita.query.sql import parse as sql
from partita.query.tables.schema import Table, without_batch
from partita.query.tables.truncation import truncation

Unit = tuple[Fraction, str]
"""What one of the released whole numbers is worth, and what is added up."""


@final
class Noises:
    """Reads the noise of releases under the terms of one ledger, from the declaration of its tables alone."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._tables = {name: Table(name, [], domain) for name, domain in terms.tables.items()}
        self._known: dict[str, tuple[str, ...]] = {}

    def told(self, mechanism: object, asked: str) -> tuple[str, ...]:
        """The noise of each part of a release, each kind with its settings once."""
        if not isinstance(mechanism, dict):
            return ()
        listed = mechanism.get("plan", [mechanism])
        one_by_one = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        found: dict[str, None] = {}
        for one in one_by_one:
            text = str(one)
            if text not in self._known:
                self._known[text] = self._parts(one, str(one.get("sql", asked)))
            found.update(dict.fromkeys(self._known[text]))
        return tuple(found)

    def _parts(self, mechanism: Mapping[str, Any], asked: str) -> tuple[str, ...]:
        listed = mechanism.get("parts", [mechanism])
        parts = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
        units = self._units(mechanism, asked)
        return tuple(_said(part, units[at] if at < len(units) else None) for at, part in enumerate(parts))

    def _units(self, mechanism: Mapping[str, Any], asked: str) -> list[Unit]:
        """What each part with additive noise adds up; nothing where this version would not make the same release."""
        try:
            plan = sql.read(asked, self._tables)
            kinds = [promise.granularity for promise in self._terms.promises]
            made = quote(
                plan,
                self._terms.promises,
                Price.of(**mechanism["price"]),
                noise=mechanism["noise"] or None,
                truncation=truncation(plan.table, kinds, ""),
            )
        except (PartitaError, KeyError, TypeError):
            return []
        noise = [{"kind": one.kind, **one.parameters()} for one in made.mechanisms]
        if plan.canonical != without_batch(str(mechanism.get("question"))) or noise != mechanism.get("parts"):
            return []
        return [_unit(part.measurement) for part in made.offer.parts]


def _unit(measurement: Measurement) -> Unit:
    match measurement:
        case Counted():
            return Fraction(1), "counts"
        case Owned():
            return Fraction(1), "owners"
        case Differing(column):
            return Fraction(1), f"different values of {column}"
        case Summed(of, within, slope):
            return within.unit / (abs(slope) or 1), f"sums of {shown_expression(of)}"
        case Balanced(of, within):
            return within.unit, f"balanced sums of {shown_expression(of)}"
        case Moments(of, within):
            return within.unit**2, f"squares of {shown_expression(of)}"
        case Crossed(of, within, other, beside):
            return within.unit * beside.unit, f"products of {shown_expression(of)} and {shown_expression(other)}"
        case _:
            assert_never(measurement)


def _said(part: Mapping[str, Any], unit: Unit | None) -> str:
    kind = str(part.get("kind", "unnamed")).replace("_", " ")
    settings = [
        f"{name} = {_decimal(value, unit[0] if unit is not None and name in _SIZES else Fraction(1))}"
        for name, value in part.items()
        if name != "kind" and isinstance(value, str | int) and value != "false" and len(str(value)) <= 60
    ]
    return ", ".join([kind, *settings[:4]]) + ("" if unit is None else f" ({unit[1]})")


_SIZES = ("sigma", "scale")


def _decimal(value: str | int, unit: Fraction) -> str:
    """An exact fraction in a few digits; everything else as it is."""
    try:
        number = Fraction(value) * unit
    except (ValueError, ZeroDivisionError):
        return str(value)
    return str(number) if number.denominator == 1 else f"{float(number):.6g}"
