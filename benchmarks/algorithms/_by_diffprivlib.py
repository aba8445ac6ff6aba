"""diffprivlib's k-means and logistic regression, asked line by line: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time
import warnings

import numpy as np
from diffprivlib.models import KMeans, LogisticRegression

warnings.simplefilter("ignore")
arrays: dict[str, np.ndarray] = {}
for line in sys.stdin:
    asked = json.loads(line)
    for path in asked["paths"]:
        arrays.setdefault(path, np.load(path))
    begun = time.thread_time()
    if asked["task"] == "kmeans":
        model = KMeans(asked["clusters"], epsilon=asked["epsilon"], bounds=tuple(asked["bounds"]))
        found = model.fit(arrays[asked["paths"][0]]).cluster_centers_.tolist()
    else:
        rows, labels, tests, truths = (arrays[path] for path in asked["paths"])
        model = LogisticRegression(epsilon=asked["epsilon"], data_norm=asked["norm"])
        found = float(model.fit(rows, labels).score(tests, truths))
    print(json.dumps({"found": found, "seconds": time.thread_time() - begun}), flush=True)
