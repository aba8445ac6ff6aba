"""Settings shared by all tests: repeatable examples, no deadlines, no windows."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples at every run, so that a change is judged by what it changed;
# HYPOTHESIS_PROFILE=explore searches further, and prints how to repeat what it finds.
settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, print_blob=True, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture
def heard() -> Iterator[list[logging.LogRecord]]:
    """What the operator hears in the course of a test."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logging.getLogger("partita.operator").addHandler(handler)
    yield records
    logging.getLogger("partita.operator").removeHandler(handler)


@pytest.fixture(autouse=True)
def calm(request: pytest.FixtureRequest) -> Iterator[None]:
    """A fault after reading is seen by nobody but the operator: an alarm in a test that does not listen fails it."""
    if "heard" in request.fixturenames:
        yield
        return
    alarms: list[logging.LogRecord] = []
    handler = logging.Handler(logging.CRITICAL)
    handler.emit = alarms.append  # type: ignore[method-assign]
    logging.getLogger("partita.operator").addHandler(handler)
    yield
    logging.getLogger("partita.operator").removeHandler(handler)
    assert not alarms, f"the operator was alarmed: {[alarm.getMessage() for alarm in alarms]}"
