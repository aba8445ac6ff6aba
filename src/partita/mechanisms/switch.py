"""Reading a yes or no of the caller's."""

from __future__ import annotations

import numpy as np

from partita.errors import mechanisms as refuse


def switch(value: object, name: str) -> bool:
    """True or False, and nothing that merely looks like it.

    >>> switch(True, "monotone")
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise refuse.not_a_switch(name, value)
    return bool(value)
