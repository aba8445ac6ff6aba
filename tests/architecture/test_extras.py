"""What needs an extra says which, in words of ours, where the extra is not installed."""

from __future__ import annotations

import json
import subprocess
import sys

# What is missing, what is tried, and the code of the refusal.
TRIED = {
    "pandas": ("ANSWER.to_pandas()", "curator.library-missing"),
    "polars": ("ANSWER.to_polars()", "curator.library-missing"),
    "matplotlib": ("ANSWER.plot()", "explain.no-matplotlib"),
    "matplotlib.figure": ("pt.compose([pt.Laplace(epsilon=1)], delta=1e-6).plot()", "explain.no-matplotlib"),
    "sqlalchemy": (
        'pt.Curator(tables=[pt.Table("t", pt.database("sqlite:///t.db", table="t"), table.columns)], promises=P)',
        "query.no-sqlalchemy",
    ),
    "dp_accounting": ("pt.interchange.to_dp_accounting([pt.Laplace(epsilon=1)])", "composition.no-dp-accounting"),
    "sklearn": ("pt.algorithms.KMeans(2, epsilon=1)", "learning.needs-scikit-learn"),
}

# One process for all of them, one missing at a time: what is missing is refused, so the next does not find it.
SCRIPT = """
import json, sys
missing = "pandas"  # pyarrow looks for it when a table is opened
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == missing:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Without())
import partita as pt
P = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
table = pt.Table("visits", [{"age": 30}], {"age": pt.integers(0, 120)})
SERVED = pt.Table("t", pt.database("sqlite:///t.db", table="t"), table.columns)
codes = {}
with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=":memory:") as curator:
    ANSWER = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.1")
    for missing, tried in json.loads(sys.argv[1]).items():
        assert missing not in sys.modules, missing
        try:
            eval(tried)
        except pt.InvalidInput as refusal:
            codes[missing] = refusal.code
print(json.dumps(codes))
"""


def test_a_missing_extra_is_named():
    tried = json.dumps({missing: call for missing, (call, _) in TRIED.items()})
    result = subprocess.run([sys.executable, "-c", SCRIPT, tried], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {missing: code for missing, (_, code) in TRIED.items()}
