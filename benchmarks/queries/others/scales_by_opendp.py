"""The scales OpenDP gives a count for some losses: python scales_by_opendp.py epsilon|rho LOSS ..."""

import json
import sys
from importlib.metadata import version

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
make = dp.m.make_laplace if sys.argv[1] == "epsilon" else dp.m.make_gaussian
scales = {
    loss: dp.binary_search_param(lambda scale: make(*space, scale), d_in=1, d_out=float(loss)) for loss in sys.argv[2:]
}
print(json.dumps({"version": version("opendp"), "scales": scales}))
