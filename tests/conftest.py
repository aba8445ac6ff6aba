"""Settings shared by all tests: repeatable examples, no deadlines, no windows."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples at every run, so that a change is judged by what it changed;
# HYPOTHESIS_PROFILE=explore searches further, and prints how to repeat what it finds.
settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, print_blob=True, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# Ledgers wait for the disk at every promise, thousands of times, and what a test writes is gone when it ends. Where
# there is a file system in memory with room enough, the folders of tests are there. TMPDIR says otherwise.
_MEMORY, _ROOM = Path("/dev/shm"), 4 * 2**30
_MINE = _MEMORY / f"partita-tests-{os.getpid()}"


def _roomy() -> bool:
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return False
    try:
        return shutil.disk_usage(_MEMORY).free > _ROOM
    except OSError:
        return False


def pytest_configure() -> None:
    """Before anything asks where temporary folders are; workers and the processes of tests inherit it."""
    if _roomy():
        for left in _MEMORY.glob("partita-tests-*"):  # by runs that were killed
            if not Path("/proc", left.name.rpartition("-")[2]).exists():
                shutil.rmtree(left, ignore_errors=True)
        _MINE.mkdir(mode=0o711)  # a PostgreSQL server is another user and walks through it
        atexit.register(shutil.rmtree, _MINE, ignore_errors=True)  # first registered, last called: servers have stopped
        os.environ["TMPDIR"] = str(_MINE)
        tempfile.tempdir = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with slow tests first: what is left for the end is short, and no worker waits long for another."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """All that is imported stays to the end: garbage is not looked for in it again and again, nor after every step."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_unconfigure() -> None:
    """After the end everything may go, and libraries that count their objects find none left."""
    atexit.register(gc.unfreeze)


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
