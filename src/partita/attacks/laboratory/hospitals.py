"""Alice was in two hospitals: what two anonymous tables say of her together, and what two private ones do."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from partita.attacks.attack import Attack, Chart, surely
from partita.attacks.guesses import AGAINST, ALLOWED, BLIND, WITHOUT
from partita.attacks.laboratory.intersection import FIRST_HOSPITAL, SECOND_HOSPITAL, Patient, intersect
from partita.attacks.victims import Floats, Guarded, given, protected
from partita.curator.curator import Curator
from partita.exact import Number, positive, whole
from partita.query.tables.schema import Table
from partita.region.columns import categories, integers
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory.semantics import posterior

AGE, PLACE = 28, "13012"
CONDITIONS = tuple(sorted({row.condition for row in (*FIRST_HOSPITAL, *SECOND_HOSPITAL)}))


def meet_in_two_hospitals(*, epsilon: Number = 1, worlds: int = 400, bits: BitSource | None = None) -> Attack:
    """Name the condition of a patient of two hospitals, each of which publishes a table (theory G3).

    In every world Alice's condition is another, drawn evenly, and everybody else is as printed. Without protection the
    tables are 4- and 6-anonymous. With Partita each hospital answers a noisy count of every condition in her class at
    half of ε, and the attacker, who knows everybody else, takes what stands out in both.
    """
    source = given(bits)
    price = positive(epsilon, "epsilon")
    many = whole(worlds, "worlds", least=1)
    drawn = below(len(CONDITIONS), many, bits=source)
    others = [_others(table) for table in (FIRST_HOSPITAL, SECOND_HOSPITAL)]
    named = sum(_named(others, CONDITIONS[world]) == CONDITIONS[world] for world in drawn)
    curators = [protected([_table(rest, drawn)], price / 2, bits=source) for rest in others]
    excess = np.sum([_excess(*pair, many, price / 2) for pair in zip(curators, others, strict=True)], axis=0)
    found = int(np.count_nonzero(excess.argmax(axis=1) == drawn))
    most = posterior(f"1/{len(CONDITIONS)}", 2 * price)
    printed = intersect(FIRST_HOSPITAL, SECOND_HOSPITAL, zip_code=PLACE, age=AGE)
    blind = 1 / len(CONDITIONS)
    ranks = np.argsort(np.argsort(-excess, axis=1), axis=1)[np.arange(many), drawn]
    guesses = range(1, len(CONDITIONS) + 1)
    return Attack(
        name="two hospitals",
        aim=f"name the condition of a patient of two hospitals, in {many} worlds of {len(CONDITIONS)} conditions",
        criterion=f"The right condition alone remains in every world; the promise allows {most:.1%} (theory B22, G3).",
        statistic="share of worlds in which the condition is named",
        without=named / many,
        against=found / many,
        surely=surely(found, many),
        needed=1.0,
        allowed=most,
        chart=Chart(
            "conditions named",
            "worlds in which the right one is among them",
            {
                WITHOUT: tuple((float(count), named / many) for count in guesses),
                AGAINST: tuple((float(count), float(np.mean(ranks < count))) for count in guesses),
                ALLOWED: tuple((float(count), _most(count, float(price))) for count in guesses),
                BLIND: tuple((float(count), count * blind) for count in guesses),
            },
        ),
        notes=(f"The two tables as they are printed leave for Alice: {', '.join(sorted(printed))}.",),
    )


def _others(table: tuple[Patient, ...]) -> list[str]:
    """The conditions of everybody in Alice's class but herself; she is the one row with AIDS."""
    return [row.condition for row in table if row.matches(PLACE, AGE) and row.condition != "AIDS"]


def _named(others: list[list[str]], condition: str) -> str | None:
    """What two anonymous tables leave for Alice, if it is one condition."""
    left = set.intersection(*({*rest, condition} for rest in others))
    return left.pop() if len(left) == 1 else None


def _table(others: list[str], drawn: Any) -> Table:
    import pyarrow

    world = np.concatenate([np.repeat(np.arange(len(drawn)), len(others)), np.arange(len(drawn))])
    condition = [*(others * len(drawn)), *(CONDITIONS[each] for each in drawn)]
    columns = {
        "world": integers(0, len(drawn) - 1, missing=0),
        "condition": categories(*CONDITIONS, other=CONDITIONS[0], missing=CONDITIONS[0]),
    }
    return Table("admissions", source=pyarrow.table({"world": world, "condition": condition}), columns=columns)


def _excess(curator: Curator, others: list[str], worlds: int, price: Fraction) -> Floats:
    """By how much each count exceeds what everybody but Alice accounts for."""
    found = np.zeros((worlds, len(CONDITIONS)))
    known = Counter(others)
    question = "SELECT world, condition, COUNT(*) AS n FROM admissions GROUP BY world, condition"
    for row in Guarded(curator, epsilon=price)(question):
        place = CONDITIONS.index(row["condition"])
        found[row["world"], place] = row["n"] - known[row["condition"]]
    return found


def _most(count: int, epsilon: float) -> float:
    """The most that a list of so many conditions can hold of the posterior, each raised by e^(2ε) at most."""
    share = count / len(CONDITIONS)
    return posterior(f"{count}/{len(CONDITIONS)}", 2 * epsilon) if share < 1 else 1.0
