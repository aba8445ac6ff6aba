"""The questions of the benchmark by PipelineDP on its local backend: python by_pipelinedp.py TABLE ROUNDS."""

import json
import sys
from importlib.metadata import version

import pandas as pd
import pipeline_dp
from timing import timed

path, rounds = sys.argv[1], int(sys.argv[2])
table = pd.read_parquet(path)
rows = list(zip(range(len(table)), table["region"], table["age"], table["income"], strict=True))
regions = sorted(table["region"].unique())


def aggregate(epsilon, metrics, key, keys, kept=rows):
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-6)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    asked = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=metrics,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0,
        max_value=200_000,
    )
    read = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0], partition_extractor=key, value_extractor=lambda row: row[3]
    )
    result = engine.aggregate(kept, asked, read, public_partitions=keys)
    accountant.compute_budgets()
    return dict(result)


def q1():
    return aggregate(1.0, [pipeline_dp.Metrics.COUNT], lambda row: 0, [0])


def q2():
    metrics = [pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN]
    return aggregate(1.0, metrics, lambda row: row[1], regions)


def q3():
    keys = [(age, region) for age in range(101) for region in regions]
    return aggregate(1.0, [pipeline_dp.Metrics.COUNT], lambda row: (row[2], row[1]), keys)


def q6(count=3):
    for i in range(count):
        kept = [row for row in rows if i <= row[2] <= 60 + i and row[1] == regions[i % 20]]
        aggregate(0.01, [pipeline_dp.Metrics.COUNT], lambda row: 0, [0], kept)


answer = q2()
print(
    json.dumps(
        {
            "version": version("pipeline-dp"),
            "Q1": timed(q1, 1),
            "Q2": timed(q2, 1),
            "Q3": timed(q3, 1),
            "Q6": 3 / timed(q6, 1),
            "counts": [float(answer[name].count) for name in regions],
            "sums": [float(answer[name].sum) for name in regions],
            "booked": 10.0,
        }
    )
)
