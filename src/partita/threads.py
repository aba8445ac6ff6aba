"""Linear algebra on one thread: small systems are slowed by threads, and by far where other work has the cores."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Found = TypeVar("Found")


@cache
def _libraries() -> ThreadpoolController:
    """The libraries for linear algebra that are loaded: numpy's and scipy's own."""
    import scipy.linalg  # noqa: F401 - loads its library, so that it is found

    return ThreadpoolController()


def one_thread(work: Callable[Given, Found]) -> Callable[Given, Found]:
    """The same work, with linear algebra on the thread that does it.

    >>> one_thread(sum)([1, 2])
    3
    """

    @wraps(work)
    def limited(*given: Given.args, **named: Given.kwargs) -> Found:
        with _libraries().limit(limits=1, user_api="blas"):
            return work(*given, **named)

    return limited
