"""Two quantiles by diffprivlib, on arrays in memory: python quantiles_by_diffprivlib.py TABLE ROUNDS REPEATS."""

import json
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from diffprivlib import tools

warnings.simplefilter("ignore")
path, rounds, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
income = pd.read_parquet(path, columns=["income"])["income"].to_numpy().astype(float)


def answer(values):
    return [float(tools.quantile(values, q, epsilon=0.5, bounds=(0, 200_000))) for q in (0.5, 0.9)]


times = []
for _ in range(rounds):
    start = time.perf_counter()
    answer(income)
    times.append(time.perf_counter() - start)
small = income[np.random.default_rng(1).choice(len(income), 2_000, replace=False)]
found = [answer(small) for _ in range(repeats)]
exact = [float(np.quantile(small, q, method="inverted_cdf")) for q in (0.5, 0.9)]
print(
    json.dumps(
        {"version": version("diffprivlib"), "time": sorted(times)[len(times) // 2], "found": found, "exact": exact}
    )
)
