"""The gallery: every picture of a guarantee or a release under its name, and how to keep one.

The pictures are loaded when they are first used.

>>> from partita import GDP, Pure
>>> from partita.explain import gallery as pictures
>>> drawing = pictures.tradeoff({"μ = 1": GDP(mu=1), "ε = 1": Pure(epsilon=1)})
>>> pictures.svg(drawing).count("<svg")
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.front import front

if TYPE_CHECKING:
    from partita.canvas import figure as figure
    from partita.canvas import save as save
    from partita.canvas import svg as svg
    from partita.explain.pictures.accuracy import accuracy as accuracy
    from partita.explain.pictures.burn_down import burn_down as burn_down
    from partita.explain.pictures.composition import composition as composition
    from partita.explain.pictures.contest import contest as contest
    from partita.explain.pictures.histogram import histogram as histogram
    from partita.explain.pictures.posterior import posterior as posterior
    from partita.explain.pictures.profile import profile as profile
    from partita.explain.pictures.tradeoff import tradeoff as tradeoff
    from partita.explain.region_map import draw_map as region_map

# Where each picture lives: the module, and what it is called there.
_HOMES = {
    "accuracy": ("partita.explain.pictures.accuracy", "accuracy"),
    "burn_down": ("partita.explain.pictures.burn_down", "burn_down"),
    "composition": ("partita.explain.pictures.composition", "composition"),
    "contest": ("partita.explain.pictures.contest", "contest"),
    "figure": ("partita.canvas", "figure"),
    "histogram": ("partita.explain.pictures.histogram", "histogram"),
    "posterior": ("partita.explain.pictures.posterior", "posterior"),
    "profile": ("partita.explain.pictures.profile", "profile"),
    "region_map": ("partita.explain.region_map", "draw_map"),
    "save": ("partita.canvas", "save"),
    "svg": ("partita.canvas", "svg"),
    "tradeoff": ("partita.explain.pictures.tradeoff", "tradeoff"),
}

__all__ = [
    "accuracy",
    "burn_down",
    "composition",
    "contest",
    "figure",
    "histogram",
    "posterior",
    "profile",
    "region_map",
    "save",
    "svg",
    "tradeoff",
]


__getattr__, __dir__ = front(__name__, _HOMES)
