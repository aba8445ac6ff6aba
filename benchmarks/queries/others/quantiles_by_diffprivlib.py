"""Two quantiles by diffprivlib, on arrays: python quantiles_by_diffprivlib.py TABLE ROUNDS SAMPLES REPEATS."""

import json
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from diffprivlib import tools

warnings.simplefilter("ignore")
path, rounds, samples, repeats = sys.argv[1], *map(int, sys.argv[2:5])
income = pd.read_parquet(path, columns=["income"])["income"].to_numpy().astype(float)


def answer(values):
    return [float(tools.quantile(values, q, epsilon=0.5, bounds=(0, 200_000))) for q in (0.5, 0.9)]


times = []
for _ in range(rounds):
    start = time.perf_counter()
    answer(income)
    times.append(time.perf_counter() - start)
off = []
for seed in range(samples):
    few = income[np.random.default_rng(seed).choice(len(income), 2_000, replace=False)]
    exact = [float(np.quantile(few, q, method="inverted_cdf")) for q in (0.5, 0.9)]
    off += [np.subtract(answer(few), exact).tolist() for _ in range(repeats)]
seconds = sorted(times)[len(times) // 2] if times else None
print(json.dumps({"version": version("diffprivlib"), "time": seconds, "off": {"": off}}))
