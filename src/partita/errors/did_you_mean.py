"""Did you mean: the question after a refusal of a name that is nearly known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def meant(name: object, known: Iterable[object]) -> str:
    """A question that follows a refusal, or nothing if no known name is near.

    >>> meant("agee", ["age", "sex"]), meant("North", ["north"]), meant("mars", ["north"])
    (" Did you mean 'age'?", " Did you mean 'north'?", '')
    """
    folded = {str(one).lower(): str(one) for one in known}
    near = get_close_matches(str(name).lower(), folded, n=1, cutoff=0.7)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""
