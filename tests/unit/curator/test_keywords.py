"""Methods that hand their keywords on still show them one by one."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest

from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.query.pricing import Price
from partita.query.wanted import Wanted


@pytest.mark.parametrize(
    ("method", "reader", "own"),
    [
        (Curator.ask, Wanted.of, ["key", "analyst"]),
        (Curator.quote, Wanted.of, ["analyst"]),
        (Curator.batch, Price.of, ["weights", "analyst"]),
        (Curator.plan, Price.of, ["weights", "analyst"]),
        (Session.ask, Wanted.of, ["key"]),
        (Session.quote, Wanted.of, []),
        (Session.batch, Price.of, ["weights"]),
        (Session.plan, Price.of, ["weights"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", "own"),
)
def test_every_keyword_is_in_the_signature_with_its_default(method, reader, own):
    shown = signature(method).parameters
    for name, parameter in signature(reader).parameters.items():
        assert shown[name] == parameter
    assert list(shown)[2:] == [*signature(reader).parameters, *own]
    assert all(one.kind is not Parameter.VAR_KEYWORD for one in shown.values())


def test_a_keyword_that_does_not_exist_is_an_ordinary_type_error():
    with pytest.raises(TypeError, match="epsilno"):
        Wanted.of(epsilno=1)
