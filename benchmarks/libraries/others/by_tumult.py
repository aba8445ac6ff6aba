"""The questions of the benchmark by Tumult Analytics on Spark: python by_tumult.py TABLE ROUNDS."""

import json
import os
import sys
from importlib.metadata import version

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession
from timing import timed
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

path, rounds = sys.argv[1], int(sys.argv[2])
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
table = spark.read.parquet(path).select("age", "region", "income").cache()
regions = sorted(row["region"] for row in table.select("region").distinct().collect())
session = Session.from_dataframe(
    privacy_budget=PureDPBudget(float("inf")), source_id="people", dataframe=table, protected_change=AddOneRow()
)
keys = KeySet.from_dict({"region": regions})
cells = KeySet.from_dict({"age": list(range(101)), "region": regions})


def answered(query, epsilon):
    return session.evaluate(query, PureDPBudget(epsilon)).collect()


def q1():
    return answered(QueryBuilder("people").count(), 1)


def q2():
    counts = answered(QueryBuilder("people").groupby(keys).count(name="n"), 0.5)
    sums = answered(QueryBuilder("people").groupby(keys).sum("income", low=0, high=200_000, name="total"), 0.5)
    return counts, sums


def q3():
    return answered(QueryBuilder("people").groupby(cells).count(), 1)


def q6(count=3):
    for i in range(count):
        kept = f"age >= {i} AND age <= {60 + i} AND region = '{regions[i % 20]}'"
        answered(QueryBuilder("people").filter(kept).count(), 0.01)


counts, sums = q2()
by_region = {row["region"]: row["n"] for row in counts}
totals = {row["region"]: row["total"] for row in sums}
print(
    json.dumps(
        {
            "version": version("tmlt.analytics"),
            "Q1": timed(q1, 1),
            "Q2": timed(q2, 1),
            "Q3": timed(q3, 1),
            "Q6": 3 / timed(q6, 1),
            "counts": [float(by_region[name]) for name in regions],
            "sums": [float(totals[name]) for name in regions],
            "booked": 10.0,
        }
    )
)
