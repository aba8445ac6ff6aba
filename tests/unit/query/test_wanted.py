"""What is wanted of an answer is listed once: the keywords that are typed are the keywords that are read."""

from __future__ import annotations

from inspect import signature
from typing import get_type_hints

import pytest

from partita.composition.calibration.pricing import Price, Prices
from partita.curator.wanted import Wanted, Wants
from partita.errors import InvalidInput


@pytest.mark.parametrize(("typed", "reader"), [(Wants, Wanted.of), (Prices, Price.of)], ids=["wants", "prices"])
def test_the_keywords_that_are_typed_are_those_that_are_read(typed, reader):
    read = get_type_hints(reader)
    read.pop("return")
    assert get_type_hints(typed) == read
    assert set(signature(reader).parameters) == set(read)


def test_nothing_said_beside_a_price_leaves_everything_as_usual():
    wanted = Wanted.of(rho="0.01")
    assert wanted == Wanted(Price.of(rho="0.01"), None)
    assert (wanted.reuse, wanted.shrink, bool(wanted.caps)) == (True, False, False)


def test_a_price_and_an_accuracy_contradict_each_other():
    with pytest.raises(InvalidInput) as refusal:
        Wanted.of(rho="0.01", within=5)
    assert refusal.value.code == "accuracy.price-and-accuracy"
