"""Importing Partita is light, and its public names are there."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import iter_modules

import partita
from partita.explain import pictures

HEAVY = {
    "duckdb", "sqlglot", "matplotlib", "scipy", "pandas", "polars", "pyarrow", "sklearn", "fastapi",
    "typer", "rich", "httpx", "uvicorn", "jinja2", "psycopg", "pyspark", "mbi", "jax", "sqlalchemy",
}  # fmt: skip

# The names users rely on. Add to this list as they come; never take one away.
RELIED_UPON = {
    "PartitaError", "InvalidInput", "NotProven", "BudgetExceeded", "QueryRefused", "LedgerFault", "EngineFault",
    "Pure", "Approximate", "ZCDP", "Renyi", "GDP",
    "convert", "group_privacy", "posterior", "true_positive_rate",
    "rows", "replace", "groups", "users", "windows", "metric",
    "l1", "l2", "linf", "Profile",
    "Table", "Promise", "Curator", "Answer", "Batch", "Planned", "Receipt", "open", "count", "sum", "avg",
    "median", "quantile", "quantiles", "min", "max", "col",
    "integers", "decimals", "categories", "dates", "booleans", "text_keys", "timestamps", "identifier", "key",
    "csv", "database", "duckdb",
    "Domain", "Region", "RegionAccount",
    "compose", "calibrate", "Guarantee", "Filter", "Odometer", "Slots",
    "Laplace", "GaussianNoise", "Geometric", "DiscreteGaussian", "RandomizedResponse", "Exponential",
    "PermuteAndFlip", "NoisyMax", "SparseVector", "Histogram", "Repeated", "Shuffled", "Subsampled",
    "audit", "audit_training", "explain", "report", "Attack",
    "Running", "Concurrent", "Child", "EitherOr", "either_order", "calibrate_plan", "together", "check_export",
    "general", "interchange", "pictures",
    "connect", "AccessRefused", "ServiceFault",
}  # fmt: skip


def test_importing_partita_pulls_in_nothing_heavy():
    script = "import sys, partita; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in result.stdout.split()}
    assert not loaded & HEAVY


def test_every_public_name_is_there():
    assert len(set(partita.__all__)) == len(partita.__all__)
    missing = [name for name in partita.__all__ if not hasattr(partita, name)]
    assert not missing


def test_dir_shows_every_public_name():
    assert set(partita.__all__) <= set(dir(partita))


def test_no_name_that_users_rely_upon_is_gone():
    assert set(partita.__all__) >= RELIED_UPON


def test_every_picture_is_in_the_gallery():
    gallery = partita.pictures
    assert set(gallery.__all__) == set(dir(gallery))
    drawn = {module.name for module in iter_modules(pictures.__path__)}
    assert drawn | {"figure", "region_map", "save", "svg"} == set(gallery.__all__)
    assert all(callable(getattr(gallery, name)) for name in gallery.__all__)


def test_a_name_that_does_not_exist_is_an_ordinary_attribute_error():
    assert not hasattr(partita, "no_such_name")


def test_public_functions_stay_functions_whatever_was_imported_before():
    """A package of the same name takes the attribute when it is imported."""
    script = (
        "import partita, partita.curator.curator, partita.explain.words as words\n"
        "loss = partita.Pure(epsilon=1)\n"
        "assert str(partita.explain(loss)) == str(words.explain(loss))\n"
        "named = {name for name in partita.__all__ if name[0].islower() and not callable(getattr(partita, name))}\n"
        "print(named - {'algorithms', 'general', 'interchange', 'pictures'})"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout.strip(), result.stderr) == ("set()", "")
