"""Stored rows in every shape in which a custodian may have them: lists, frames, Arrow tables and files."""

from __future__ import annotations

import csv
import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.laws.second_hand.schemas import Stored

if TYPE_CHECKING:
    from tests.laws.second_hand.scenarios import Scenario

# In a typed column a value that the type does not hold is stored as NULL; types are of the table, never of its rows.
_TYPES = {
    "who": (pa.string(),),
    "number": (pa.float64(), pa.int64(), pa.string(), pa.decimal128(20, 3), pa.float32()),
    "wide": (pa.int64(), pa.float64()),
    "name": (pa.string(),),
    "day": (pa.date32(), pa.timestamp("us"), pa.string()),
    "flag": (pa.bool_(), pa.string()),
    "key": (pa.string(),),
}


def made(case: Scenario, rows: Stored, path: Path) -> Any:
    """The rows as the scenario's kind of source."""
    match case.source:
        case "list":
            return [dict(row) for row in rows]
        case "csv":
            return _csv(case, rows, path.with_suffix(".csv"))
        case "pandas":
            import pandas as pd

            return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in rows_of(case)})
        case "frame":  # pandas decides about types, from all rows together
            import pandas as pd

            return pd.DataFrame({name: [row[name] for row in rows] for name in rows_of(case)})
        case "parquet":
            place = path.with_suffix(".parquet")
            pq.write_table(_arrow(case, rows), place)
            return place
        case _:
            return _arrow(case, rows)


def rows_of(case: Scenario) -> list[str]:
    """The names of the columns."""
    return list(case.schema.columns)


def _csv(case: Scenario, rows: Stored, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows_of(case))
        for row in rows:
            writer.writerow(["" if row[name] is None else str(row[name]) for name in rows_of(case)])
    return path


def _arrow(case: Scenario, rows: Stored) -> Any:
    arrays = {}
    for place, name in enumerate(rows_of(case)):
        options = _TYPES[case.schema.facts[name]["kind"]]
        kind = options[(case.number + place) % len(options)]
        arrays[name] = pa.array([_held(row[name], kind) for row in rows], kind)
    return pa.table(arrays)


def _held(value: Any, kind: Any) -> Any:
    """The value as the type holds it, or None."""
    if value is None:
        return None
    if pa.types.is_string(kind):
        return None if value != value else str(value)
    try:
        if pa.types.is_decimal(kind):
            value = Decimal(str(value)).quantize(Decimal("0.001")) if math.isfinite(float(value)) else None
        if pa.types.is_date(kind) and isinstance(value, dt.datetime):
            return value.date()
        if pa.types.is_timestamp(kind) and isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            value = dt.datetime.combine(value, dt.time(5))
        if pa.types.is_floating(kind) and not isinstance(value, str):
            value = float(value)
        return pa.array([value], kind)[0].as_py()
    except (ArithmeticError, ValueError, TypeError, pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None
