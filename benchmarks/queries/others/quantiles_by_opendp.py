"""Two quantiles by OpenDP, through its frames of Polars: python quantiles_by_opendp.py TABLE ROUNDS SAMPLES REPEATS.

Its user lists the candidates: every hundredth value, and, for comparison and a tenth as often, every value.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
path, rounds, samples, repeats = sys.argv[1], *map(int, sys.argv[2:5])
COARSE, EVERY = list(range(0, 200_001, 100)), list(range(200_001))


def answer(frame, candidates=COARSE):
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
if rounds:
    answer(frame)
times = []
for _ in range(rounds):
    start = time.perf_counter()
    answer(frame)
    times.append(time.perf_counter() - start)
income = frame.collect()["income"].to_numpy()
off = {"candidates 100 apart": [], "all 200,001 candidates": []}
for seed in range(samples):
    few = income[np.random.default_rng(seed).choice(len(income), 2_000, replace=False)]
    exact = [float(np.quantile(few, q, method="inverted_cdf")) for q in (0.5, 0.9)]
    small = pl.LazyFrame({"income": few})
    for name, candidates, often in zip(off, (COARSE, EVERY), (repeats, repeats // 10), strict=True):
        off[name] += [np.subtract(answer(small, candidates), exact).tolist() for _ in range(often)]
seconds = sorted(times)[len(times) // 2] if times else None
print(json.dumps({"version": version("opendp"), "time": seconds, "off": off}))
