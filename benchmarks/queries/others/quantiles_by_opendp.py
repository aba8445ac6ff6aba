"""Two quantiles by OpenDP, through its frames of Polars: python quantiles_by_opendp.py TABLE ROUNDS REPEATS."""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
path, rounds, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
candidates = list(range(0, 200_001, 100))


def answer(frame):
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=10**8)],
    )
    income = pl.col("income").cast(pl.Int64).fill_null(0)
    asked = [income.dp.quantile(q, candidates).alias(str(q)) for q in (0.5, 0.9)]
    return [float(value) for value in context.query().select(*asked).release().collect().row(0)]


frame = pl.scan_parquet(path).select("income")
answer(frame)
times = []
for _ in range(rounds):
    start = time.perf_counter()
    answer(frame)
    times.append(time.perf_counter() - start)
income = frame.collect()["income"].to_numpy()
small = income[np.random.default_rng(1).choice(len(income), 2_000, replace=False)]
few = pl.LazyFrame({"income": small})
found = [answer(few) for _ in range(repeats)]
exact = [float(np.quantile(small, q, method="inverted_cdf")) for q in (0.5, 0.9)]
print(
    json.dumps({"version": version("opendp"), "time": sorted(times)[len(times) // 2], "found": found, "exact": exact})
)
