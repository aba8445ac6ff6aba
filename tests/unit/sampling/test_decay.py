import numpy as np
import pytest

from partita.sampling import decay
from tests.unit.sampling.reference import mp, mpf


@pytest.mark.parametrize(
    ("function", "largest", "error"),
    [(decay.decay, decay.LARGEST, decay.ERROR), (decay.far_decay, decay.FAR_LARGEST, decay.FAR_ERROR)],
)
def test_the_measured_error_is_below_half_the_proven_bound(function, largest, error):
    t = np.concatenate([np.linspace(0, largest, 3001), np.random.default_rng(1).uniform(0, largest, 3000)])
    worst = max(abs(mpf(float(y)) / mp.exp(-mpf(float(x))) - 1) for x, y in zip(t, function(t), strict=True))
    assert worst < error / 2
    assert function(np.array([0.0])) == 1.0
