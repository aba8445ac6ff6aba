"""Methods that hand their keywords on still show them one by one."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.curator.wanted import Wanted
from tests.unit.curator.hospital import hospital


@pytest.mark.parametrize(
    ("method", "reader", "own"),
    [
        (Curator.ask, Wanted.of, ["key", "batch", "analyst"]),
        (Curator.quote, Wanted.of, ["key", "analyst"]),
        (Curator.batch, Price.of, ["weights", "analyst"]),
        (Curator.plan, Price.of, ["weights", "analyst"]),
        (Session.ask, Wanted.of, ["key", "batch"]),
        (Session.quote, Wanted.of, ["key"]),
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


VERBS = ["ask", "quote", "batch", "plan", "run", "admits", "released", "open", "spent", "remaining"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_session_shows_the_verbs_of_its_curator_without_the_analyst(verb):
    own, whole = getattr(Session, verb), getattr(Curator, verb)
    shown = signature(whole)
    assert signature(own) == shown.replace(
        parameters=[one for one in shown.parameters.values() if one.name != "analyst"]
    )
    assert "analyst" in shown.parameters
    assert (own.__doc__, own.__name__, own.__qualname__) == (whole.__doc__, verb, f"Session.{verb}")


@pytest.mark.parametrize("verb", VERBS)
def test_a_session_speaks_for_its_own_analyst_only(verb):
    given = () if verb in {"spent", "remaining"} else ("SELECT COUNT(*) AS n FROM visits",)
    with hospital() as curator:
        mine = curator.session(analyst="ada", budget=pt.ZCDP(rho="0.1", delta="1e-6"))
        with pytest.raises(TypeError, match="analyst"):
            getattr(mine, verb)(*given, analyst="bob")
        with pytest.raises(TypeError, match="analyst"):
            mine.spent("bob")
        assert curator.spent() == (pt.ZCDP(rho=0),)
