"""The inference of the mbi package, an extra: the same models, fitted by its compiled programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partita.algorithms.linear.axes import Axes, Names
from partita.algorithms.synthetic.graphical import Floats, GraphicalModel, Observed, best_total
from partita.errors import algorithms as refuse


def fitted_by_mbi(
    axes: Axes,
    observed: Sequence[Observed],
    *,
    start: Mapping[Names, Floats] | None = None,
    steps: int = 1000,
) -> GraphicalModel:
    """The model nearest to noisy tables, by mbi's mirror descent; only noisy numbers come in (theory B7)."""
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        import mbi
    except ImportError:
        raise refuse.no_mbi() from None
    domain = mbi.Domain(axes.names, axes.sizes)
    measured = [mbi.LinearMeasurement(one.counts.ravel(), one.table, one.deviation) for one in observed]
    warm = None
    if start:
        factors = {table: mbi.Factor(domain.project(table), np.asarray(logs)) for table, logs in start.items()}
        warm = mbi.CliqueVector(domain, tuple(start), factors)
    total = best_total(observed)
    found = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=total, iters=steps, warm_start=warm)
    potentials = {
        axes.table(clique): np.asarray(found.potentials[clique].transpose(axes.table(clique)).values, dtype=np.float64)
        for clique in found.potentials.cliques
    }
    return GraphicalModel(axes, potentials, total)
