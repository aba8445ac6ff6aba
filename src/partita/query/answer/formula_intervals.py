"""Error bars of formulas: exact where linear or a quotient, interval arithmetic beyond (a plain AVG: `estimators`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, final

from partita.query.answer.delta import narrower, smooth
from partita.query.answer.estimators import Estimator, Fixed, Linear, Numbers, expected, intervals, values
from partita.query.answer.intervals import Interval
from partita.query.language.aggregates import Aggregate
from partita.query.language.formulas import (
    ARITHMETIC,
    Apply,
    Choice,
    Constant,
    Formula,
    Label,
    Margin,
    Operation,
    aggregates_of,
    enclosure,
    evaluate,
    leaves,
)
from partita.query.quantiles.quantiles import Chosen


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two combinations of released numbers, times a factor, plus a constant."""

    top: Linear
    bottom: Linear
    factor: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """An estimator times a factor, plus a constant."""

    estimator: Estimator
    factor: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)


Atom = Ratio | Moved

_SMOOTH: Final = frozenset(
    (
        *ARITHMETIC,
        Operation.UNLESS,
        Operation.ROOT,
        Operation.LOGARITHM,
        Operation.EXPONENTIAL,
    )
)


@final
@dataclass(frozen=True)
class Bars:
    """The estimators of a release's aggregates, and the numbers they are made from."""

    estimators: Mapping[Aggregate, Estimator]
    numbers: Numbers

    def intervals(self, formula: Formula, confidence: float, entries: int) -> list[Interval]:
        """For each line the interval that holds the exact value of the formula with this confidence.

        What is linear in the released numbers, or a quotient of two such things, has an interval of its own. A
        formula made of several such atoms holds if all of theirs do, so each of them may miss as often as its share.
        """
        atoms = self.atoms(formula)
        noisy = {atom for atom in atoms.values() if not _steady(atom)}
        sure = 1 - (1 - confidence) / max(1, len(noisy))
        known = {part: self._atom(atom, sure, entries) for part, atom in atoms.items()}
        if formula in known:
            if isinstance(atoms[formula], Moved) or self.numbers.gaussian:
                return known[formula]
            return narrower(self._smooth(formula, confidence, entries), known[formula])
        found = []
        for line in range(len(self.numbers)):
            found.append(enclosure(formula, lambda part, line=line: known[part][line] if part in known else None))  # type: ignore[misc]
        return narrower(self._smooth(formula, confidence, entries), found)

    def _smooth(self, formula: Formula, confidence: float, entries: int) -> list[Interval | None]:
        """The formula as one smooth function of the released numbers, where it is one."""
        listed = list(aggregates_of(formula))
        if not _differentiable(formula) or any(isinstance(self.estimators[one], Chosen) for one in listed):
            return [None] * len(self.numbers)

        def evaluated(moved: Numbers) -> list[object]:
            known = {one: values(self.estimators[one], moved) for one in listed}
            return [evaluate(formula, lambda leaf, line=line: known[leaf][line]) for line in range(len(moved))]  # type: ignore[misc]

        return smooth(evaluated, self.numbers, confidence, entries)

    def expected(self, formula: Formula, confidence: float, entries: int, rows: int | None) -> float | None:
        """The half-width before anything is released; None if it depends on what the data hold."""
        atom = self.atom(formula)
        if not isinstance(atom, Moved):
            return None
        half = expected(atom.estimator, self.numbers, confidence, entries, rows)
        return None if half is None else abs(float(atom.factor)) * half

    def atoms(self, formula: Formula) -> dict[Formula, Atom]:
        """The largest parts of a formula that have intervals of their own."""
        atom = self.atom(formula)
        if atom is not None:
            return {formula: atom}
        found: dict[Formula, Atom] = {}
        match formula:
            case Apply(_, parts):
                for part in parts:
                    found.update(self.atoms(part))
            case Choice(branches, otherwise):
                for part in (*(value for _, value in branches), otherwise):
                    found.update(self.atoms(part))
            case _:
                pass
        return found

    def atom(self, formula: Formula) -> Atom | None:
        """The formula as one atom, if it is one."""
        linear = self.linear(formula)
        if linear is not None:
            return Moved(linear)
        match formula:
            case Constant() | Label() | Margin() | Choice():
                return None
            case Apply(Operation.DIVIDE, (top, bottom)):
                return self._quotient(top, bottom)
            case Apply(Operation.MULTIPLY, parts):
                numbers = [part.value for part in parts if isinstance(part, Constant)]
                others = [part for part in parts if not isinstance(part, Constant)]
                if len(others) != 1 or not all(isinstance(number, Fraction) for number in numbers):
                    return None
                factor = reduce(lambda one, other: one * other, (Fraction(number) for number in numbers), Fraction(1))  # type: ignore[arg-type]
                return _moved(self.atom(others[0]), factor)
            case Apply(Operation.ADD | Operation.SUBTRACT as sign, (one, other)):
                return self._shifted(one, other, Fraction(1 if sign is Operation.ADD else -1))
            case Apply():
                return None
            case _:
                return Moved(self.estimators[formula])

    def linear(self, formula: Formula) -> Linear | None:
        """The formula as one combination of released numbers and a constant, if it is one."""
        match formula:
            case Constant(value):
                if not isinstance(value, Fraction):
                    return None
                return Linear((0,) * len(self.numbers.spreads), 1, value)
            case Apply(Operation.ADD | Operation.SUBTRACT as sign, parts):
                found = [self.linear(part) for part in parts]
                known = [part for part in found if part is not None]
                if len(known) < len(found):
                    return None
                factor = Fraction(1 if sign is Operation.ADD else -1)
                return reduce(lambda one, other: one.plus(other, factor), known)
            case Apply(Operation.MULTIPLY, (Constant(value), part) | (part, Constant(value))):
                inner = self.linear(part)
                return None if inner is None or not isinstance(value, Fraction) else inner.times(value)
            case Apply(Operation.DIVIDE, (part, Constant(value))):
                inner = self.linear(part)
                return None if inner is None or not isinstance(value, Fraction) or not value else inner.times(1 / value)
            case Apply() | Choice() | Label() | Margin():
                return None
            case _:
                estimator = self.estimators[formula]
                if isinstance(estimator, Fixed):
                    return Linear((0,) * len(self.numbers.spreads), 1, estimator.value)
                return estimator if isinstance(estimator, Linear) else None

    def _quotient(self, top: Formula, bottom: Formula) -> Atom | None:
        match bottom:
            # NULLIF(count, 0) differs from the count only where the quotient has no value.
            case Apply(Operation.UNLESS, (inner, Constant(value))) if value == 0:
                return self._quotient(top, inner)
            case Constant(value) if isinstance(value, Fraction) and value:
                return _moved(self.atom(top), 1 / value)
        over, under = self.linear(top), self.linear(bottom)
        if over is None or under is None or not any(under.weights):
            return None
        return Ratio(over, under)

    def _shifted(self, one: Formula, other: Formula, sign: Fraction) -> Atom | None:
        if isinstance(other, Constant) and isinstance(other.value, Fraction):
            return _moved(self.atom(one), Fraction(1), sign * other.value)
        if isinstance(one, Constant) and isinstance(one.value, Fraction):
            return _moved(self.atom(other), sign, one.value)
        return None

    def _atom(self, atom: Atom, confidence: float, entries: int) -> list[Interval]:
        if isinstance(atom, Ratio):
            found = self.numbers.quotients(atom.top, atom.bottom, confidence, entries, None)
        else:
            found = intervals(atom.estimator, self.numbers, confidence, entries)
        factor, constant = float(atom.factor), float(atom.constant)
        if factor == 1 and not constant:
            return found
        if factor == 0:
            return [(constant, constant)] * len(found)
        return [
            (factor * low + constant, factor * high + constant)
            if factor >= 0
            else (factor * high + constant, factor * low + constant)
            for low, high in found
        ]


def _differentiable(formula: Formula) -> bool:
    """Whether a formula is made of smooth functions of aggregates and constants."""
    match formula:
        case Constant(value):
            return isinstance(value, Fraction)
        case Apply(Operation.GREATEST | Operation.LEAST, parts):
            # Beside constants: it is one part or a constant, which shows where noise crosses the place between.
            moving = [part for part in parts if not isinstance(part, Constant)]
            return len(moving) == 1 and _differentiable(moving[0])
        case Apply(operation, parts):
            return operation in _SMOOTH and all(map(_differentiable, parts))
        case Choice(((test, value),), Constant(None)):
            # Where the test fails there is no value; where noise crosses it, none is finite, and no bar is made so.
            return _differentiable(value) and not any(isinstance(leaf, Label | Margin) for leaf in leaves(test))
        case Label() | Margin() | Choice():
            return False
        case _:
            return True


def _steady(atom: Atom) -> bool:
    """Whether no noise can move it."""
    if isinstance(atom, Ratio):
        return False
    return isinstance(atom.estimator, Fixed) or (isinstance(atom.estimator, Linear) and not any(atom.estimator.weights))


def _moved(atom: Atom | None, factor: Fraction, constant: Fraction = Fraction(0)) -> Atom | None:
    match atom:
        case None:
            return None
        case Ratio(top, bottom, times, plus):
            return Ratio(top, bottom, factor * times, factor * plus + constant)
        case Moved(estimator, times, plus):
            return Moved(estimator, factor * times, factor * plus + constant)
