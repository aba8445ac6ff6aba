"""Examples of what the columns of an answer hold, before there is one: what type each of them will be."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from partita.query.exact.program import cells
from partita.query.language import keys as keys_of
from partita.query.language.aggregates import Count, CountDifferent, CountOwners, CountRows, Quantile
from partita.query.language.expressions import columns
from partita.query.language.formulas import Formula, Label, Leaf, Margin, evaluate
from partita.query.language.keys import Key, Opened
from partita.query.language.plan import KeyColumn, Plan
from partita.region.columns import Dates

_DAY: Final = date(2000, 1, 1)


def examples(plan: Plan) -> dict[str, list[Any]]:
    """For each column of an answer some values of the type that it will have; they follow from public things alone."""
    grouped = cells(plan.keys, plan.met)

    def labels(key: Key) -> list[Any]:
        if isinstance(key, Opened):
            return ["text"]
        return [keys_of.label(key, plan.domain, where) for where in grouped.places[grouped.keys.index(key)]]

    def leaf(of: Leaf) -> Any:
        match of:
            case Label(key):
                return next((value for value in labels(key) if value is not None), None)
            case CountRows() | Count() | CountOwners() | CountDifferent() | Margin():
                return 1
            case Quantile() if any(isinstance(plan.domain.columns.get(one), Dates) for one in columns(of.of)):
                return _DAY
            case _:
                return 0.5

    def value(formula: Formula) -> Any:
        if isinstance(formula, Label):
            return leaf(formula)
        found = evaluate(formula, leaf)
        return 0.5 if found is None else found

    return {
        column.name: labels(column.key) if isinstance(column, KeyColumn) else [value(column.formula)]
        for column in plan.shown
    }
