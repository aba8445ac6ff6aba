"""The questions of the benchmark by diffprivlib, on arrays in memory: python by_diffprivlib.py TABLE ROUNDS."""

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from diffprivlib import tools
from timing import timed

warnings.simplefilter("ignore")
path, rounds = sys.argv[1], int(sys.argv[2])
table = pd.read_parquet(path)
names, region = np.unique(table["region"], return_inverse=True)
age, income = table["age"].to_numpy(), table["income"].to_numpy().astype(float)


def q1():
    return tools.count_nonzero(np.ones(len(age)), epsilon=1.0)


def q2():
    counts, sums = [], []
    for place in range(len(names)):
        kept = region == place
        counts.append(tools.count_nonzero(kept, epsilon=0.5))
        sums.append(tools.sum(income[kept], epsilon=0.5, bounds=(0, 200_000)))
    return counts, sums


def q3():
    return tools.histogram2d(age, region, bins=(101, 20), range=[(0, 101), (0, 20)], epsilon=1.0)


def q6(count=200):
    for i in range(count):
        kept = (age >= i % 40) & (age <= 60 + i % 40) & (region == i % 20)
        tools.count_nonzero(kept, epsilon=0.01)


counts, sums = q2()
print(
    json.dumps(
        {
            "version": version("diffprivlib"),
            "Q1": timed(q1, rounds),
            "Q2": timed(q2, rounds),
            "Q3": timed(q3, rounds),
            "Q6": 200 / timed(q6, 1),
            "counts": [float(count) for count in counts],
            "sums": [float(total) for total in sums],
            "booked": 10.0,
        }
    )
)
