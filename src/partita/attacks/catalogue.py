"""The attacks by name: each is run against an unprotected curator and against Partita."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from partita.attacks.attack import Attack
from partita.attacks.laboratory.averaging import average
from partita.attacks.laboratory.canaries import plant_canaries
from partita.attacks.laboratory.collusion import collude
from partita.attacks.laboratory.differencing import difference
from partita.attacks.laboratory.floating import read_low_bits
from partita.attacks.laboratory.hospitals import meet_in_two_hospitals
from partita.attacks.laboratory.linkage import link
from partita.attacks.laboratory.membership import infer_membership
from partita.attacks.laboratory.oracles import provoke_errors, watch_the_clock
from partita.attacks.laboratory.reconstruction import reconstruct
from partita.attacks.laboratory.shame import name_and_shame
from partita.errors import attacks as refuse

ATTACKS: dict[str, Callable[..., Attack]] = {
    "reconstruction": reconstruct,
    "reconstruction-lp": partial(reconstruct, "linear programming"),
    "reconstruction-exhaustive": partial(reconstruct, "exhaustive"),
    "differencing": difference,
    "averaging": average,
    "collusion": collude,
    "hospitals": meet_in_two_hospitals,
    "linkage": link,
    "membership": infer_membership,
    "canaries": plant_canaries,
    "name-and-shame": name_and_shame,
    "low-bits": read_low_bits,
    "errors": provoke_errors,
    "timing": watch_the_clock,
}


def attack(name: str, among: Mapping[str, Callable[..., Attack]] = ATTACKS) -> Callable[..., Attack]:
    """The attack of that name.

    >>> attack("differencing").__name__
    'difference'
    """
    if name not in among:
        raise refuse.unknown_attack(name, tuple(among))
    return among[name]


def purpose(found: Callable[..., Attack]) -> str:
    """What the attack does, in the first sentence of its own words.

    >>> purpose(ATTACKS["differencing"])
    'Count everybody, count everybody but one, and subtract (theory G2).'
    """
    inner, how = (found.func, found.args[0]) if isinstance(found, partial) else (found, "")
    how = f" By {how}." if isinstance(how, str) and how else ""
    return (inner.__doc__ or "").split("\n\n")[0].replace("\n    ", " ") + how
