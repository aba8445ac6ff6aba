"""What needs an extra says which, in words of ours, where the extra is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

# What is missing, what is tried, and the code of the refusal.
TRIED = {
    "pandas": ("ANSWER.to_pandas()", "curator.library-missing"),
    "polars": ("ANSWER.to_polars()", "curator.library-missing"),
    "matplotlib": ("ANSWER.plot()", "explain.no-matplotlib"),
    "matplotlib.figure": ("pt.compose([pt.Laplace(epsilon=1)], delta=1e-6).plot()", "explain.no-matplotlib"),
    "dp_accounting": ("pt.interchange.to_dp_accounting([pt.Laplace(epsilon=1)])", "composition.no-dp-accounting"),
    "sklearn": ("pt.algorithms.KMeans(2, epsilon=1)", "learning.needs-scikit-learn"),
}

SCRIPT = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "{missing}":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Without())
import partita as pt
table = pt.Table("visits", [{{"age": 30}}], {{"age": pt.integers(0, 120)}})
with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=":memory:") as curator:
    ANSWER = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.1")
    try:
        {tried}
    except pt.InvalidInput as refusal:
        print(refusal.code)
"""


@pytest.mark.parametrize("missing", TRIED)
def test_a_missing_extra_is_named(missing):
    tried, code = TRIED[missing]
    script = SCRIPT.format(missing=missing, tried=tried)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == code, result.stderr
