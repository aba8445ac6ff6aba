"""The questions of the benchmark by OpenDP, through its frames of Polars: python by_opendp.py TABLE ROUNDS."""

import json
import sys
from importlib.metadata import version

import opendp.prelude as dp
import polars as pl
from timing import timed

dp.enable_features("contrib")
path, rounds = sys.argv[1], int(sys.argv[2])
frame = pl.scan_parquet(path).select("age", "region", "income")
regions = sorted(frame.select("region").unique().collect()["region"])
rows = 10**8


def context(epsilon, keys, split=1):
    margins = [dp.polars.Margin(max_length=rows)]
    if keys:
        margins.append(dp.polars.Margin(by=keys, max_length=rows, max_groups=10_000, invariant="keys"))
    return dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=split,
        margins=margins,
    )


def q1():
    return context(1.0, []).query().select(dp.len()).release().collect()


def q2():
    income = pl.col("income").cast(pl.Int64).fill_null(0)
    asked = context(1.0, ["region"]).query().group_by("region")
    return asked.agg(dp.len(), income.dp.sum(bounds=(0, 200_000))).release().collect()


def q3():
    return context(1.0, ["age", "region"]).query().group_by("age", "region").agg(dp.len()).release().collect()


def q6(count=5):
    held = context(0.01 * count, [], split=count)
    for i in range(count):
        kept = (pl.col("age") >= i) & (pl.col("age") <= 60 + i) & (pl.col("region") == regions[i % 20])
        held.query().filter(kept).select(dp.len()).release().collect()


sums = q2().sort("region")
print(
    json.dumps(
        {
            "version": version("opendp"),
            "Q1": timed(q1, rounds),
            "Q2": timed(q2, rounds),
            "Q3": timed(q3, rounds),
            "Q6": 5 / timed(q6, 1),
            "counts": sums["len"].to_list(),
            "sums": sums["income"].to_list(),
            "booked": 10.0,
        }
    )
)
