"""Two quantiles by OpenDP: python quantiles_by_opendp.py TABLE ROUNDS SAMPLES REPEATS.

Times are those of its frames of Polars; errors those of the same measurement in its core, where it is faster. Its user
lists the candidates: every hundredth value, and, for comparison and a tenth as often, every value.
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
CANDIDATES, EVERY = list(range(0, 200_001, 100)), list(range(200_001))
SPACE = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()


def answer(frame):
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=10**8)],
    )
    income = pl.col("income").cast(pl.Int64).fill_null(0)
    asked = [income.dp.quantile(q, CANDIDATES).alias(str(q)) for q in (0.5, 0.9)]
    return [float(value) for value in context.query().select(*asked).release().collect().row(0)]


def measurement(q, candidates):
    score = dp.t.make_quantile_score_candidates(*SPACE, candidates, q)
    # Its scores are distances: the least is the best.
    chosen = score >> dp.m.then_noisy_max(dp.max_divergence(), scale=2 * score.map(1) / 0.5, negate=True)
    assert chosen.map(1) <= 0.5 + 1e-9
    return lambda values: candidates[chosen(values)]


frame = pl.scan_parquet(path).select("income")
times = []
for _ in range(rounds):
    start = time.perf_counter()
    answer(frame)
    times.append(time.perf_counter() - start)
income = frame.collect()["income"].to_numpy()
off = {}
for name, candidates, often in (
    ("candidates 100 apart", CANDIDATES, repeats),
    ("all 200,001 candidates", EVERY, repeats // 10),
):
    off[name] = []
    choose = [measurement(q, candidates) for q in (0.5, 0.9)]
    for seed in range(samples):
        few = income[np.random.default_rng(seed).choice(len(income), 2_000, replace=False)]
        exact = [float(np.quantile(few, q, method="inverted_cdf")) for q in (0.5, 0.9)]
        values = few.tolist()
        off[name] += [np.subtract([one(values) for one in choose], exact).tolist() for _ in range(often)]
seconds = sorted(times)[len(times) // 2] if times else None
print(json.dumps({"version": version("opendp"), "time": seconds, "off": off}))
