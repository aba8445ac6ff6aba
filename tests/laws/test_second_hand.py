"""The whole path, judged by a second hand: what neighbours of stored tables lose is no more than is booked for them.

Random declarations, promises, stored rows and histories go through the curator as it is, on the real engine. What goes
into every noise is kept, on a table and on its neighbours; their loss follows from the theory sheet alone, and is
compared with every price told, with the ledger, and with the promise. ``SECOND_HAND=50000`` compares so many neighbours
(and ``python -m tests.laws.second_hand 50000`` goes on after a violation, and prints what was compared).
"""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

import partita as pt
from partita.curator.path import path
from partita.curator.path.opinion import SecondOpinion
from partita.region.region import Region
from tests.laws.second_hand import losses
from tests.laws.second_hand.judge import judged
from tests.laws.second_hand.known import KNOWN
from tests.laws.second_hand.losses import Moves, exceeds
from tests.laws.second_hand.scenarios import UNITS, scenario
from tests.laws.second_hand.views import View

pytestmark = pytest.mark.filterwarnings("ignore")
EACH = int(os.environ.get("SECOND_HAND", "220")) // len(UNITS)


@pytest.mark.parametrize("name", UNITS)
def test_nobody_loses_more_than_is_booked(name, tmp_path):
    compared, number = 0, 0
    while compared < EACH:
        verdict = judged(scenario(name, number), tmp_path, most=min(8, EACH))
        assert not verdict.wrong, "\n".join(verdict.wrong)
        compared, number = compared + verdict.neighbours, number + 1


@pytest.mark.parametrize("name", KNOWN)
def test_what_once_broke_the_promise_does_not_any_more(name, tmp_path):
    verdict = judged(KNOWN[name], tmp_path, most=24)
    assert verdict.neighbours
    assert verdict.answered
    assert not verdict.wrong, "\n".join(verdict.wrong)


# --- the law notices what is broken on purpose ----------------------------------------------------------------


def found_wrong(tmp_path, name, *, numbers=range(12)):
    return any(judged(scenario(name, number), tmp_path, most=8).wrong for number in numbers)


def test_a_region_that_is_charged_too_small_is_noticed(tmp_path):
    charge_of = path.charge_of

    def nobody(quote, **words):
        charge = charge_of(quote, **words)
        return replace(charge, region=Region.nothing(charge.region.domain))

    # The second opinion refuses such a charge; here it is the law that has to notice.
    with mock.patch.object(path, "charge_of", nobody), mock.patch.object(SecondOpinion, "on"):
        assert found_wrong(tmp_path, "rows")


def test_an_owner_whose_rows_are_not_cut_is_noticed(tmp_path):
    def uncut(self, program):
        return self.shared.compute(replace(program, table=self.twin, truncation=None))

    with mock.patch.object(View, "compute", uncut):
        assert found_wrong(tmp_path, "users")


def test_a_row_that_makes_reading_fail_is_noticed(tmp_path, heard):
    def moody(self, program):
        found = self.shared.compute(replace(program, table=self.twin))
        assert not any(isinstance(number, int) and number % 2 for number in found.ravel().tolist())
        return found

    with mock.patch.object(View, "compute", moody):
        assert found_wrong(tmp_path, "rows")
    assert heard


# --- the losses themselves ------------------------------------------------------------------------------------


def test_losses_are_those_of_the_theory_sheet():
    assert losses.gaussian_delta(1 / 4.2246788893, np.array([1.0]))[0] == pytest.approx(1e-6, rel=1e-6)  # C6
    assert losses.truncated_geometric_chance(11, 1, 1e-5) == pytest.approx(0.348447738, rel=1e-8)  # C15
    assert np.exp(losses.permute_and_flip_law(np.array([0.0, 1, 2]), Fraction(1, 2))) == pytest.approx(
        [0.146751, 0.266077, 0.587172], rel=1e-5
    )
    far = (losses.permute_and_flip_law(np.array(scores), Fraction(1)) for scores in ([0.0, 0], [-1.0, 1]))
    kl = Moves(choices=[tuple(far)])
    assert exceeds(kl, pt.ZCDP(rho="0.5"))
    assert not exceeds(kl, pt.ZCDP(rho="2"))
    laplace = Moves(laplace=[1.0])
    assert exceeds(laplace, pt.ZCDP(rho="0.3678"))
    assert not exceeds(laplace, pt.ZCDP(rho="0.36788"))
    assert exceeds(laplace, pt.GDP(mu="1.03"))
    assert not exceeds(laplace, pt.GDP(mu="1.03007"))
    assert exceeds(laplace, pt.Pure(epsilon="0.999"))
    assert not exceeds(laplace, pt.Pure(epsilon=1))
    three = Moves(choices=[_coin(0.5)] * 3 + [_coin(0.3)] * 2)
    assert exceeds(three, pt.Approximate(epsilon=1, delta="0.1132")) is not None  # D9
    assert exceeds(three, pt.Approximate(epsilon=1, delta="0.1133")) is None


def _coin(epsilon):
    lie = -np.logaddexp(0, epsilon)
    return np.array([lie + epsilon, lie]), np.array([lie, lie + epsilon])
