"""partita calibrate finds the least noise and verifies it."""

from __future__ import annotations

import json

import pytest

from partita.cli import main


def answer(capsys, *arguments: str) -> dict:
    assert main(["calibrate", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_gaussian_noise_is_the_analytic_one(capsys):
    found = answer(capsys, "gaussian", "--epsilon", "1", "--delta", "1e-6")
    assert found["sigma"] == pytest.approx(4.2246788893, rel=1e-9)
    assert 0.999999 < found["total"]["epsilon"] <= 1


def test_the_total_is_verified_forward_for_every_kind(capsys):
    for kind in ("laplace", "gaussian", "geometric", "discrete_gaussian", "randomized_response", "exponential"):
        found = answer(capsys, kind, "--epsilon", "1", "--delta", "1e-6", "--count", "20")
        assert 0.95 < found["total"]["epsilon"] <= 1, kind
        assert found["error"] > 0


def test_a_longer_distance_needs_as_much_more_noise(capsys):
    near = answer(capsys, "laplace", "--epsilon", "1", "--count", "4")
    far = answer(capsys, "laplace", "--epsilon", "1", "--count", "4", "--distance", "10")
    assert far["scale"] == pytest.approx(10 * near["scale"], rel=1e-9)


def test_other_theorems_need_no_less_noise(capsys):
    found = answer(capsys, "laplace", "--epsilon", "1", "--delta", "1e-6", "--count", "50")
    assert set(found["methods"]) == {"basic", "advanced", "gdp", "zcdp", "renyi", "optimal", "pld"}
    assert all(other["scale"] >= found["scale"] * (1 - 1e-6) for other in found["methods"].values())


def test_one_theorem_may_be_asked_for(capsys):
    found = answer(capsys, "laplace", "--epsilon", "1", "--count", "50", "--method", "basic", "--delta", "1e-6")
    assert found["scale"] == pytest.approx(50, rel=1e-9)
    assert found["methods"] == {}


def test_the_table_names_noise_and_error_bar(capsys):
    assert main(["calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6", "--count", "10"]) == 0
    said = capsys.readouterr().out
    assert "error bar at 95%" in said
    assert "10 releases with gaussian noise" in said


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["sugar", "--epsilon", "1"], "composition.bad-document"),
        (["laplace_threshold", "--epsilon", "1"], "composition.needs-delta"),
        (["laplace", "--epsilon", "1", "--set", "keys"], "cli.not-named"),
        (["laplace", "--epsilon", "1", "--set", "keys=3"], "composition.unknown-parameters"),
        (["gaussian", "--epsilon", "1", "--delta", "1e-6", "--rate", "2"], "mechanisms.rate-too-large"),
        (["gaussian", "--epsilon", "1", "--delta", "1e-6", "--scheme", "poisson"], "composition.cannot-calibrate"),
        (["gaussian", "--epsilon", "1"], "composition.needs-delta"),
        (["laplace", "--epsilon", "0"], "number.not-positive"),
        (["laplace", "--epsilon", "nan"], "number.not-finite"),
        (["laplace", "--epsilon", "1", "--count", "0"], "number.too-small"),
        (["laplace", "--epsilon", "1", "--count", "some"], "number.not-a-number"),
        (["laplace", "--epsilon", "1", "--delta", "1"], "composition.delta-out-of-range"),
        (["laplace", "--epsilon", "1", "--distance", "0"], "number.not-positive"),
        (["laplace", "--epsilon", "1", "--confidence", "1"], "number.outside-unit-interval"),
        (["laplace", "--epsilon", "1", "--method", "magic"], "composition.unknown-method"),
        (["laplace", "--epsilon", "1", "--relation", "cousins"], "composition.unknown-relation"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_in_words(arguments, code, capsys):
    assert main(["calibrate", *arguments]) == 2
    assert capsys.readouterr().err.startswith(code)


def test_a_sampled_release_and_a_threshold_are_calibrated_from_the_command_line(capsys):
    sampled = ["gaussian", "--epsilon", "2", "--delta", "1e-6", "--count", "1000", "--rate", "0.01", "--method", "pld"]
    assert main(["calibrate", *sampled, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mechanism.sigma"] == pytest.approx(1.029, abs=1e-3)
    keys = ["laplace_threshold", "--epsilon", "1", "--delta", "1e-6", "--set", "keys=3", "--leak", "0.5", "--json"]
    assert main(["calibrate", *keys]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["keys"], found["total"]["epsilon"] <= 1) == (3, True)
