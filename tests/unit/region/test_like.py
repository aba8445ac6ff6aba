"""LIKE decided part by part agrees with trying all ways."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.effort import bounded
from partita.errors import QueryRefused
from partita.region.like import pattern


@given(st.text("aAb%_\n", max_size=8), st.text("aAb\n", max_size=10), st.booleans())
def test_it_agrees_with_a_regular_expression(written, text, folded):
    wild = {"%": ".*", "_": "."}
    every = "".join(wild.get(sign, re.escape(sign)) for sign in re.sub("%+", "%", written))
    expected = re.fullmatch(every, text, re.DOTALL | (re.IGNORECASE if folded else 0)) is not None
    assert pattern(written, folded=folded).meets(text) is expected


def test_what_took_for_ever_is_decided_and_counted():
    assert not pattern("%_" * 8 + "z").meets("a" * 4000)
    with bounded(1000), pytest.raises(QueryRefused):
        pattern("%" + "a" * 3000 + "b%").meets("a" * 4000)
