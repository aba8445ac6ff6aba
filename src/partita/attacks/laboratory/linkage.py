"""Linkage: a table without names, and a public register that has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.attacks.attack import Attack
from partita.attacks.guesses import guessed
from partita.attacks.victims import Ask, Exposed, Floats, Guarded, given, protected
from partita.exact import Number, whole
from partita.query.tables.schema import Table
from partita.region.columns import booleans, integers
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below

_PLACES, _YEARS = 60, 80
Key = tuple[int, int, int]


def link(*, epsilon: Number = 1, people: int = 500, bits: BitSource | None = None) -> Attack:
    """Look up everybody of a register in a table whose names were removed, by place, year of birth and sex.

    Without protection the rows themselves are published. Against Partita the attacker asks for the counts of every
    combination, of those who are ill and of those who are not, and compares the two for each person.
    """
    import pyarrow

    source = given(bits)
    size = whole(people, "people", least=2)
    register = np.stack([below(most, size, bits=source) for most in (_PLACES, _YEARS, 2)], axis=1)
    ill = below(2, size, bits=source).astype(bool)
    columns: dict[str, Any] = {name: register[:, at] for at, name in enumerate(("place", "born", "sex"))}
    records = pyarrow.table({**columns, "ill": ill})
    table = Table(
        "records",
        source=records,
        columns={
            "place": integers(0, _PLACES - 1, missing=0),
            "born": integers(0, _YEARS - 1, missing=0),
            "sex": integers(0, 1, missing=0),
            "ill": booleans(missing=False),
        },
    )
    curator = protected([table], epsilon, bits=source)
    there = _published(Exposed({"records": records}))
    here = _counted(Guarded(curator, epsilon=epsilon))
    keys = [tuple(line) for line in register.tolist()]
    alone = sum(keys.count(key) == 1 for key in keys)
    return guessed(
        "linkage",
        f"learn of each of {size} people of a public register whether they are ill, from a table without names",
        secrets=ill,
        without=_looked_up(keys, there),
        against=_looked_up(keys, here),
        budget=curator.promises[0].budget,
        steps=2,
        notes=(f"{alone} of {size} people are alone with their place, year of birth and sex.",),
    )


def _published(ask: Ask) -> dict[Key, float]:
    """The rows themselves: those who are ill minus those who are not, for each combination."""
    found: dict[Key, float] = {}
    for row in ask("SELECT place, born, sex, ill FROM records"):
        key = (row["place"], row["born"], row["sex"])
        found[key] = found.get(key, 0) + (1 if row["ill"] else -1)
    return found


def _counted(ask: Ask) -> dict[Key, float]:
    """The same from two noisy tables of counts, about different rows and so each at the full price."""
    found: dict[Key, float] = {}
    for condition, sign in (("ill", 1), ("NOT ill", -1)):
        question = f"SELECT place, born, sex, COUNT(*) AS n FROM records WHERE {condition} GROUP BY place, born, sex"
        for row in ask(question):
            key = (row["place"], row["born"], row["sex"])
            found[key] = found.get(key, 0) + sign * row["n"]
    return found


def _looked_up(keys: list[Key], found: dict[Key, float]) -> Floats:
    return np.array([found.get(key, 0.0) for key in keys], dtype=np.float64)
