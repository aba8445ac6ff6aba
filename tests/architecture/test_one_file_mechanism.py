"""A mechanism is one file: dropped into its folder it is composed, calibrated, audited, reported and exchanged."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest

import partita as pt
import partita.mechanisms as folder
from partita.attacks.audits.cases import built_in
from partita.attacks.audits.sampler_law import sampler_laws
from partita.attacks.audits.suite import run
from partita.cli import main
from partita.composition.exchange.documents import calibrate_document, compose_document
from partita.composition.exchange.interchange import from_document, to_document
from partita.curator.computations.computation import Computation
from partita.errors import InvalidInput
from partita.explain.report.report import report
from partita.mechanisms.family import family
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance

# Laplace noise and once more as much, which is free: post-processing.
SOURCE = '''
"""Laplace noise, added twice."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from partita.exact import float_up, positive
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Forms
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.words import LaplaceShift
from partita.theory.distance import Norm
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.pure import Pure

DRAWS = 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Twice(AdditiveNoise):
    """Add two independent Laplace noises of one scale; only the first is paid for."""

    kind: ClassVar[str] = "twice"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "B7, C3"
    strength = Strength.EPSILON
    law_family = LaplaceLoss
    scale: Fraction

    def __post_init__(self):
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    def forms(self, distance):
        return {Pure: lambda: Pure(epsilon=distance.power / self.scale)}

    def pair(self, distance):
        self.require(distance)
        return Pair.of(LaplaceLoss(float_up(distance.power / self.scale)))

    def parameter(self, power):
        return Laplace(scale=self.scale).parameter(power)

    def said(self, distance):
        return LaplaceShift(self.scale / distance.power)

    @classmethod
    def of_strength(cls, strength, setting):
        return cls(scale=1 / strength, **setting.parameters)

    def parameters(self):
        return {"scale": str(self.scale)}

    def draw(self, size, bits):
        return sum(Laplace(scale=self.scale).draw(size, bits) for _ in range(DRAWS))

    def masses(self, places):
        ends = int(np.abs(places).max()) + int(60 * self.scale)
        one = Laplace(scale=self.scale).masses(np.arange(-ends, ends + 1, dtype=np.float64))
        return np.convolve(one, one)[places.astype(np.int64) + 2 * ends]

    def reach(self, confidence, entries):
        return 2 * Laplace(scale=self.scale).reach((1 + confidence) / 2, entries)
'''


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Puts a file into a folder that belongs to the family for as long as the test runs."""

    def add(source: str = SOURCE) -> Any:
        (tmp_path / "twice.py").write_text(source, encoding="utf-8")
        monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
        importlib.invalidate_caches()
        return family()["twice"]

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield add
    sys.modules.pop("partita.mechanisms.twice", None)
    vars(folder).pop("twice", None)


@dataclass(frozen=True)
class Counted(Computation):
    """How many rows there are, with noise."""

    kind: ClassVar[str] = "counted"
    columns: ClassVar[tuple[str, ...]] = ("age",)
    noise: Any

    def parameters(self):
        return {}

    def losses(self, rows, *, changed):
        return [self.noise.at(Distance.l1(0 if changed else rows))]

    def compute(self, sample, *, bits):
        return int(self.noise.release(len(sample.codes), bits=bits))


def test_it_is_composed(added):
    twice = added()
    together = pt.compose([(twice(scale=10), 50), twice(scale=5).at(Distance.l1(2), 3)], delta="1e-6")
    same = pt.compose([(pt.Laplace(scale=10), 50), pt.Laplace(scale=5).at(Distance.l1(2), 3)], delta="1e-6")
    assert together.epsilon == same.epsilon
    assert together.lower == 0  # nobody said that its pair is exact
    assert same.lower > 0


def test_it_is_calibrated(added):
    twice = added()
    found = pt.calibrate(twice, count=100, epsilon=1, delta="1e-6")
    assert pt.compose([(found, 100)], delta="1e-6").epsilon <= 1
    assert pt.compose([(twice(scale=found.scale * Fraction(999, 1000)), 100)], delta="1e-6").epsilon > 1
    sampled = pt.calibrate(pt.Subsampled, mechanism=twice, rate="0.1", count=10, epsilon=1, delta="1e-6")
    assert type(sampled.mechanism) is twice
    with pytest.raises(InvalidInput, match="Twice"):
        pt.calibrate(pt.UnaryEncoding, epsilon=1)


def test_it_is_audited(added):
    added()
    cases = [case for case in built_in(TestBits(1)) if case.kind == "twice"]
    verdicts = list(run(cases, trials=20_000, single_trials=100))
    assert len(verdicts) >= 2
    assert all(verdict.as_expected for verdict in verdicts)
    laws = [law for law in sampler_laws(draws=5000, bits=TestBits(2)) if law.noise.startswith("twice")]
    assert len(laws) == 2
    assert all(law.stands for law in laws)


def test_it_is_caught_if_it_is_broken(added):
    added(SOURCE.replace("DRAWS = 2", "DRAWS = 1").replace("epsilon=distance.power /", "epsilon=distance.power / 3 /"))
    cases = [case for case in built_in(TestBits(1)) if case.kind == "twice"]
    assert any(verdict.refuted for verdict in run(cases, trials=20_000, single_trials=100))
    laws = [law for law in sampler_laws(draws=5000, bits=TestBits(2)) if law.noise.startswith("twice")]
    assert not all(law.stands for law in laws)


def test_it_is_reported(added):
    noise = added()(scale=10)
    table = pt.Table("visits", source=[{"age": 30}], columns={"age": pt.integers(0, 120)})
    curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], bits=TestBits(3))
    curator.run(Counted(noise), table="visits")
    steps = {step.theorem: step.says for step in report(curator.ledger).promises[0].steps}
    assert steps["B7, C3"].startswith("A release with twice noise costs what its closed form says")
    assert "D1, F" not in steps


def test_it_is_exchanged(added, tmp_path, capsys):
    twice = added()
    written = to_document([(twice(scale=10), 3)])
    assert written["event"]["event"] == {"type": "LaplaceDpEvent", "noise_multiplier": 10.0}
    own = pt.compose([(twice(scale=10), 3)], delta="1e-6").epsilon
    back = pt.compose(from_document(json.loads(json.dumps(written))), delta="1e-6")
    assert back.epsilon == pytest.approx(own, rel=1e-12)
    plan = {"version": 1, "delta": "1e-6", "events": [{"mechanism": "twice", "scale": "10", "count": 3}]}
    assert compose_document(plan).epsilon == pytest.approx(own, rel=1e-12)
    question = {"version": 1, "mechanism": "twice", "count": 3, "epsilon": 1, "delta": "1e-6"}
    assert calibrate_document(question) == pt.calibrate(twice, count=3, epsilon=1, delta="1e-6")
    assert main(["calibrate", "twice", "--epsilon", "1", "--delta", "1e-6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mechanism"] == "twice"


def test_without_a_word_it_is_written_as_a_loss_that_is_no_smaller(added):
    twice = added(SOURCE.replace("def said", "def unsaid").replace("LaplaceLoss(float_up", "LaplaceLoss(2 * float_up"))
    written = to_document([twice(scale=10)])["event"]
    assert written["type"] == "LaplaceDpEvent"
    assert 5 * (1 - 1e-12) < written["noise_multiplier"] <= 5
