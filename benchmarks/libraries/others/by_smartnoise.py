"""The questions of the benchmark by SmartNoise SQL, on a frame: python by_smartnoise.py TABLE ROUNDS."""

import json
import sys
import warnings
from importlib.metadata import version

import pandas as pd
import snsql
from snsql import Privacy
from timing import timed

warnings.simplefilter("ignore")
path, rounds = sys.argv[1], int(sys.argv[2])
table = pd.read_parquet(path)[["age", "region", "income"]]
regions = sorted(table["region"].unique())
columns = {
    "row_privacy": True,
    "rows": len(table),
    "age": {"type": "int", "lower": 0, "upper": 100},
    "region": {"type": "string"},
    "income": {"type": "int", "lower": 0, "upper": 200_000},
}
metadata = {"": {"bench": {"people": columns}}}


def reader(epsilon):
    return snsql.from_df(table, privacy=Privacy(epsilon=epsilon, delta=1e-6), metadata=metadata)


third = reader(1 / 3)
whole = reader(1.0)
small = reader(0.01)


def q1():
    return whole.execute("SELECT COUNT(*) AS n FROM bench.people")


def q2():
    sql = "SELECT region, COUNT(*) AS n, SUM(income) AS total, AVG(income) AS mean FROM bench.people GROUP BY region"
    return third.execute(sql)


def q3():
    return whole.execute("SELECT age, region, COUNT(*) AS n FROM bench.people GROUP BY age, region")


def q6(count=20):
    for i in range(count):
        kept = f"age BETWEEN {i} AND {60 + i} AND region = '{regions[i % 20]}'"
        small.execute(f"SELECT COUNT(*) AS n FROM bench.people WHERE {kept}")


answer = {row[0]: row for row in q2()[1:]}
print(
    json.dumps(
        {
            "version": version("smartnoise-sql"),
            "Q1": timed(q1, rounds),
            "Q2": timed(q2, rounds),
            "Q3": timed(q3, 1),
            "Q6": 20 / timed(q6, 1),
            "counts": [float(answer[name][1]) for name in regions if name in answer],
            "sums": [float(answer[name][2]) for name in regions if name in answer],
            "booked": None,
        }
    )
)
