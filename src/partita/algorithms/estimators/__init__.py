"""The learning algorithms as scikit-learn estimators: fit, predict, score, and fit_from for a curator."""

from __future__ import annotations

from partita.errors import algorithms as refuse

try:
    import sklearn as sklearn
except ImportError:
    raise refuse.needs_scikit_learn() from None
