"""The scales Tumult Core gives a count for some losses: python scales_by_tumult.py epsilon|rho LOSS ..."""

import json
import sys
from importlib.metadata import version

from tmlt.core.measurements.aggregations import calculate_noise_scale
from tmlt.core.measures import PureDP, RhoZCDP

measure = PureDP() if sys.argv[1] == "epsilon" else RhoZCDP()
scales = {}
for loss in sys.argv[2:]:
    scales[loss] = float(calculate_noise_scale(1, loss, measure).to_float(round_up=True))
print(json.dumps({"version": version("tmlt.core"), "scales": scales}))
