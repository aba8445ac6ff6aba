"""Accuracy first: how exact an answer shall be, and the cheapest noise and price that make it so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, final

from partita.composition.calibration import pricing
from partita.composition.calibration.pricing import Price
from partita.errors import InvalidInput
from partita.errors.query import prices as refuse
from partita.exact import Number, positive, probability, whole
from partita.query.language.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    CountDifferent,
    CountOwners,
    CountRows,
    Covariance,
    Quantile,
    Sum,
    Variance,
)
from partita.query.language.expressions import bounds
from partita.query.language.formulas import Apply, aggregates_of, numeric
from partita.query.language.plan import KeyColumn, Lines, Plan, ValueColumn
from partita.query.noise.quote import Promised, Quote, narrowed, quote
from partita.query.tables.truncation import Truncation
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

Wish = Number | Mapping[str, Number]

# The search ends when the price is known this closely, or when it would exceed anything that protects anybody.
_CLOSE: Final = 1.002
_HIGHEST: Final = 1e9
_LOWEST: Final = 1e-30
_STEPS: Final = 60

PERCENT: Final = "%"
ROWS: Final = "rows"


@final
@dataclass(frozen=True, slots=True)
class Accuracy:
    """How exact an answer shall be: every error bar of it at most so long, with this confidence.

    ``within`` is in the units of the column, or a percentage. A percentage needs a ``floor``: it holds for every value
    of at least that size, so that the price depends on no value in the data. A plain floor counts rows. Of a quantile
    the rows between it and the answer count: "20 rows", or "1%" of a floor of rows.

    >>> Accuracy.of("5%", confidence="0.95", floor=1000).rows
    1000
    """

    within: tuple[tuple[str, str], ...]
    floor: tuple[tuple[str, Fraction], ...]
    confidence: Fraction
    rows: int | None
    simultaneous: bool

    @classmethod
    def of(
        cls,
        within: Wish,
        *,
        confidence: Number = "0.95",
        floor: Wish | None = None,
        rows: int | None = None,
        simultaneous: bool = False,
    ) -> Accuracy:
        """What the caller wrote, read exactly; a column's own wish goes before the wish for all ("")."""
        wishes = within if isinstance(within, Mapping) else {"": within}
        floors = floor if isinstance(floor, Mapping) else {} if floor is None else {"": floor}
        exactly = {name: positive(least, "floor") for name, least in floors.items()}
        if not wishes:
            raise refuse.no_accuracy()
        for wish in wishes.values():
            _read(wish)
        group = whole(rows, "rows", least=1) if rows is not None else None
        if group is None and "" in exactly:
            group = math.floor(exactly[""]) or 1
        sure = probability(confidence, "confidence")
        texts = tuple((name, str(wish)) for name, wish in wishes.items())
        return cls(texts, tuple(exactly.items()), sure, group, simultaneous)

    def bounds(self, plan: Plan) -> dict[str, float]:
        """The longest error bar allowed for each column that has a wish, known from the question alone."""
        wishes, floors = dict(self.within), dict(self.floor)
        noisy = [column for column in plan.shown if isinstance(column, ValueColumn) and numeric(column.formula)]
        names = [column.name for column in noisy]
        for name in (*wishes, *floors):
            if name and name not in names:
                raise refuse.no_such_column(name, names)
        found: dict[str, float] = {}
        for column in noisy:
            if column.name not in wishes and "" not in wishes:
                continue
            amount, unit = _read(wishes.get(column.name, wishes.get("", "")))
            if isinstance(column.formula, Quantile):
                amount = _rows_of_quantile(column.name, amount, unit, floors)
            elif unit == ROWS:
                raise refuse.rows_of_no_quantile(column.name)
            elif unit == PERCENT:
                amount *= self._least(column, plan, floors)
            found[column.name] = float(amount)
        return found

    def missed(self, offered: Quote) -> float:
        """How many times too long the worst error bar of a quote is; at most 1 when the accuracy is reached."""
        found = self.error(offered)
        worst = 0.0
        for name, most in self.bounds(offered.plan).items():
            half = found[name]
            if half is None:
                if self.rows is None:
                    raise refuse.needs_rows(name)
                raise refuse.error_not_foreseen(name, _apart(offered.plan, name))
            worst = max(worst, half / most)
        return worst

    def error(self, offered: Quote) -> dict[str, Any]:
        """The half-width of each error bar of a quote; of a quantile the rows that lie between at most."""
        bars = offered.error(self.confidence, rows=self.rows, simultaneous=self.simultaneous, floors=dict(self.floor))
        return bars | offered.rank_error(self.confidence, simultaneous=self.simultaneous)

    def _least(self, column: ValueColumn, plan: Plan, floors: Mapping[str, Fraction]) -> Fraction:
        """The least size of a value for which a percentage is promised."""
        if column.name in floors:
            return floors[column.name]
        size = self._per_row(column, plan)
        if size is None:
            raise refuse.needs_floor(column.name)
        if isinstance(column.formula, Average):
            return size
        if "" not in floors:
            raise refuse.needs_floor(column.name)
        return floors[""] * size

    def _per_row(self, column: ValueColumn, plan: Plan) -> Fraction | None:
        """The least that one row adds to the size of a value, if it adds anything for certain."""
        match column.formula:
            case CountRows() | Count():
                return Fraction(1)
            case Sum(of) | Average(of):
                within = bounds(of, narrowed(plan))
                least = min(abs(within.lowest), abs(within.highest))
                return least if least and within.lowest * within.highest > 0 and not within.nullable else None
            case _:
                return None


def _divided(plan: Plan, accuracy: Accuracy) -> tuple[str, str | None]:
    """The first column with a wish that is a formula, and the question for its parts."""
    wished = [one for one in plan.shown if isinstance(one, ValueColumn) and one.name in accuracy.bounds(plan)]
    name = next((one.name for one in wished if isinstance(one.formula, Apply)), wished[0].name)
    return name, _apart(plan, name)


def _apart(plan: Plan, name: str) -> str | None:
    """The question for the parts of a column whose own error cannot be foreseen: theirs can be."""
    (formula,) = (one.formula for one in plan.shown if isinstance(one, ValueColumn) and one.name == name)
    found: dict[Aggregate, None] = {}
    for part in aggregates_of(formula):
        if isinstance(part, Quantile | CountOwners | CountDifferent):
            return None
        if isinstance(part, Correlation):
            parts = (Covariance(part.of, part.other), Variance(part.of), Variance(part.other))
            found.update(dict.fromkeys(parts))
        else:
            found[part] = None
    keys = (one for one in plan.shown if isinstance(one, KeyColumn))
    values = (ValueColumn(f"part_{place}", part) for place, part in enumerate(found, start=1))
    return " ".join(replace(plan, aggregates=tuple(found), shown=(*keys, *values), lines=Lines()).sql().split())


def _read(wish: Any) -> tuple[Fraction, str]:
    """An amount, and what it is counted in: units of the column, percent of the value, or rows."""
    if isinstance(wish, str):
        for unit in (PERCENT, ROWS):
            if wish.strip().endswith(unit):
                amount = positive(wish.strip().removesuffix(unit).strip(), "within")
                return (amount / 100 if unit == PERCENT else amount), unit
    return positive(wish, "within"), ""


def _rows_of_quantile(name: str, amount: Fraction, unit: str, floors: Mapping[str, Fraction]) -> Fraction:
    """How many rows may lie between a quantile and its answer: what its accuracy is about."""
    if unit == PERCENT and (name in floors or "" in floors):
        return amount * floors.get(name, floors.get("", Fraction(0)))
    if unit != ROWS:
        raise refuse.quantile_in_values(name)
    return amount


def cheapest(
    plan: Plan,
    promises: Sequence[Promised],
    accuracy: Accuracy,
    *,
    delta: Number | None = None,
    noise: str | None = None,
    truncation: Truncation | None = None,
) -> Quote:
    """The quote that reaches an accuracy and takes the smallest share of any budget.

    Each kind of noise is priced by a search that ends on the side that is exact enough, and is checked forward: the
    quote's own error bars are within what was asked for. Nothing here depends on data.
    """
    if noise is not None and noise not in pricing.NOISES:
        raise refuse.unknown_noise(noise)
    found: list[Quote] = []
    tightest = math.inf
    problem: InvalidInput | None = None
    for kind in pricing.NOISES if noise is None else (noise,):
        try:
            search = _Search(plan, promises, accuracy, kind, delta, truncation)
            offered, missed = search.run()
        except InvalidInput as reason:
            if reason.code not in {"query.noise-not-in-measure", "query.price-not-in-measure"}:
                raise
            problem = reason
            continue
        tightest = min(tightest, missed)
        if offered is not None:
            found.append(offered)
    if found:
        best = min(found, key=share)
        return replace(best, offer=replace(best.offer, reason=_reason(best, found, given=noise is not None)))
    if problem is not None and tightest == math.inf:
        raise problem
    if tightest == math.inf:
        # At every price some bar may be infinite: a divisor may be nothing.
        raise refuse.error_not_foreseen(*_divided(plan, accuracy))
    raise refuse.too_exact(tightest)


def fitting(offered: Quote, accuracy: Accuracy, left: Measure) -> dict[str, str] | None:
    """The error bars that what is left still buys for a question, rounded up; None if it buys next to nothing.

    Four digits of what is left are used, so that the bars are a little longer than they need be.
    """
    whole = left.vector()[0] / (2 if left.kind == "gdp" else 1)
    if whole < Fraction(1, 10**12):
        return None
    unit = Fraction(10) ** (math.floor(math.log10(float(whole))) - 3)
    given: dict[str, Any] = {currency(left): whole // unit * unit, "delta": offered.price.delta}
    try:
        price = Price.of(**given)
        cheaper = quote(
            offered.plan,
            offered.promises,
            price,
            noise=offered.offer.noise or None,
            truncation=offered.program.truncation,
        )
    except InvalidInput:
        return None
    found = accuracy.error(cheaper)
    bars = {name: found[name] for name in accuracy.bounds(offered.plan)}
    if any(half is None or not math.isfinite(half) for half in bars.values()):
        return None
    ranked = cheaper.rank_error(accuracy.confidence)
    texts = {name: f"{_upwards(half):.4g}" for name, half in bars.items()}
    return {name: f"'{text} {ROWS}'" if name in ranked else text for name, text in texts.items()}


def _upwards(half: float) -> float:
    unit = 10.0 ** (math.floor(math.log10(half)) - 2)
    return math.ceil(half / unit * (1 + 1e-3)) * unit


def share(offered: Quote) -> Fraction:
    """The largest share of a budget that a quote takes for one protected unit, over all promises."""
    shares = [Fraction(0)]
    for promise, toll in zip(offered.promises, offered.tolls, strict=True):
        for part, whole_budget in zip(toll.unit.vector(), promise.budget.vector(), strict=True):
            if part:
                shares.append(part / whole_budget if whole_budget else Fraction(10**9))
    return max(shares)


@final
class _Search:
    """The least price at which one kind of noise is exact enough."""

    def __init__(
        self,
        plan: Plan,
        promises: Sequence[Promised],
        accuracy: Accuracy,
        noise: str,
        delta: Number | None,
        truncation: Truncation | None,
    ) -> None:
        self.plan, self.promises, self.accuracy = plan, promises, accuracy
        self.noise, self.delta, self.truncation = noise, delta, truncation
        self.currency = currency(promises[0].budget)

    def run(self) -> tuple[Quote | None, float]:
        """The quote, or None; and how far the best that was tried is from the accuracy."""
        # Errors fall like a power of the price, so a step along that power lands close.
        power = 1.0 if self.currency == "epsilon" else 2.0
        low, high = _LOWEST, _HIGHEST
        price = 1.0
        best: tuple[Fraction, Quote] | None = None
        nearest = math.inf
        for _ in range(_STEPS):
            exactly = _rounded_up(price)
            offered = self._quoted(exactly)
            missed = self.accuracy.missed(offered)
            nearest = min(nearest, missed)
            if missed <= 1:
                best, high = (exactly, offered), float(exactly)
            else:
                low = price
            if high / low <= _CLOSE or high <= _LOWEST or low >= _HIGHEST:
                break
            step = price * max(missed, 1e-12) ** power * 1.0005
            price = step if low < step < high else math.sqrt(low * high)
        return (None if best is None else best[1]), nearest

    def _quoted(self, price: Fraction) -> Quote:
        given: dict[str, Any] = {self.currency: price, "delta": self.delta}
        return quote(self.plan, self.promises, Price.of(**given), noise=self.noise, truncation=self.truncation)


def currency(budget: Measure) -> str:
    """The name of the price that adds up in a measure."""
    return "epsilon" if isinstance(budget, Pure | Approximate) else "rho"


def _rounded_up(price: float) -> Fraction:
    """Four digits, upwards: a price that people can read, and never less than what is needed."""
    exponent = math.floor(math.log10(price)) - 3
    unit = Fraction(10) ** exponent
    return math.ceil(Fraction(price) / unit) * unit


def _reason(best: Quote, found: Sequence[Quote], *, given: bool) -> str:
    if not best.offer.noise:
        return best.offer.reason
    _, _, rest = best.offer.reason.partition("; ")
    name = best.offer.noise.capitalize()
    if given:
        why = "because it was asked for, at the least price that is exact enough"
    elif len(found) == 1:
        why = "because no other noise has a proven cost under every promise"
    else:
        dearest = max(map(share, found))
        why = f"because it is exact enough at {float(dearest / share(best)):.2f} times less than the other noise"
    return f"{name} noise, {why}; {rest}"
