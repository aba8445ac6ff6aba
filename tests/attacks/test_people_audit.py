"""Quantiles, open keys and counts of owners tried by the auditor on telling neighbours; broken ones are caught."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.reference import tallied
from partita.mechanisms.exponential import Exponential
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.sampling.bits import TestBits

pytestmark = pytest.mark.slow

TABLE = pt.Table(
    "visits",
    [],
    {
        "who": pt.identifier(),
        "age": pt.integers(0, 4, missing=0),
        "word": pt.text_keys(),
        "sex": pt.categories("F", "M"),
    },
)
CROWD = [{"who": f"p{i}", "age": 0 if i < 3 else 4, "word": "all", "sex": "F"} for i in range(6)]
ONE = [{"who": "x", "age": 4, "word": word, "sex": "M"} for word in ("all", "mine")]


def offered(question: str, promise: pt.Promise, **price: object) -> Quote:
    from partita.query.tables.truncation import truncation

    cut = truncation(TABLE, [promise.granularity], "key")
    return quote(read(question, [TABLE]), [promise], Price.of(**price), truncation=cut)  # type: ignore[arg-type]


def found(
    made: Quote, rows: list[dict[str, object]], extra: list[dict[str, object]], delta: str = "0", trials: int = 1_200
) -> float:
    """The loss that the auditor proves, between a table with the rows and one without."""
    bits = TestBits(5)
    exact = {True: tallied(made.program, rows + extra), False: tallied(made.program, rows)}

    def release(there: bool) -> str:
        return str(made.release(exact[there], bits=bits).tolist())

    return float(pt.audit(release, True, False, trials=trials, confidence=0.999999, delta=delta).epsilon)


def test_a_quantile_loses_no_more_than_its_price_and_a_sharper_one_is_caught():
    made = offered("SELECT MEDIAN(age) AS m FROM visits", pt.Promise(pt.rows(), pt.Pure(epsilon=9)), epsilon=1)
    assert found(made, CROWD, ONE[:1], trials=2_000) <= 1
    (choice,) = made.offer.choices
    sharper = replace(choice, mechanism=Exponential(epsilon=6 * choice.mechanism.epsilon))
    broken = replace(made, offer=replace(made.offer, choices=(sharper,)))
    assert found(broken, CROWD, ONE[:1], trials=2_000) > 1


def test_two_quantiles_at_once_lose_no_more_than_their_price_and_sharper_ones_are_caught():
    question = "SELECT MEDIAN(age) AS m, QUANTILE(age, 0.9) AS h FROM visits"
    made = offered(question, pt.Promise(pt.rows(), pt.Pure(epsilon=9)), epsilon=1)
    (choice,) = made.offer.choices
    assert choice.mechanism.epsilon == 1
    assert found(made, CROWD, ONE[:1], trials=2_000) <= 1
    sharper = replace(choice, mechanism=Exponential(epsilon=Fraction(6)))
    assert found(replace(made, offer=replace(made.offer, choices=(sharper,))), CROWD, ONE[:1], trials=2_000) > 1


def test_all_rows_of_an_owner_lose_no_more_than_the_price_of_a_count_of_owners():
    promise = pt.Promise(pt.users("who", rows=2), pt.Pure(epsilon=9))
    made = offered("SELECT COUNT(DISTINCT who) AS n, MAX(age) AS m FROM visits", promise, epsilon=1)
    assert found(made, CROWD, ONE) <= 1


@pytest.mark.parametrize("kind", ["ε", "ρ"])
def test_naming_keys_loses_no_more_than_its_price_and_naming_all_is_caught(kind):
    if kind == "ε":
        promise = pt.Promise(pt.users("who", rows=2), pt.Approximate(epsilon=9, delta="0.5"))
        made = offered("SELECT word, COUNT(*) AS n FROM visits GROUP BY word", promise, epsilon=1, delta="0.01")
        claimed = 1.0
    else:
        promise = pt.Promise(pt.users("who", rows=2), pt.ZCDP(rho=9, delta="0.5"))
        made = offered("SELECT word, COUNT(*) AS n FROM visits GROUP BY word", promise, rho="0.1", delta="0.01")
        claimed = float(made.cost.epsilon_at("0.02"))
    assert found(made, CROWD, ONE, delta="0.02") <= claimed

    class Open:
        """Names every key that occurs."""

        def release(self, people, bits=None):
            return sorted(people)

    broken = replace(made, offer=replace(made.offer, selection=Open()))
    assert np.isfinite(claimed)
    assert found(broken, CROWD, ONE, delta="0.02") > claimed
