"""Medians of repeated runs after one that warms up; for scripts that run in other libraries' environments."""

import statistics
import time


def timed(run, times):
    """The median seconds of a run."""
    run()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return statistics.median(found)
