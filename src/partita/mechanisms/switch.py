"""Reading a yes or no of the caller's."""

from __future__ import annotations

import numpy as np

from partita.errors import mechanisms as refuse


def switch(value: object, name: str) -> bool:
    """True or False, as itself or in the words of ``parameters()``, and nothing that merely looks like it.

    >>> switch(True, "monotone"), switch("false", "monotone")
    (True, False)
    """
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    if not isinstance(value, bool | np.bool_):
        raise refuse.not_a_switch(name, value)
    return bool(value)
