"""The built-in audit: every mechanism against its own claims, and broken ones that must be caught."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.attacks.audits.audit import Audit, audit
from partita.attacks.audits.cases import Case
from partita.exact import Number, probability, whole
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """What the audit of one case showed, and which of its claims that refutes."""

    case: Case
    shown: Audit
    refuted: tuple[Measure, ...]

    @property
    def as_expected(self) -> bool:
        """Whether honest claims stand and broken ones fall."""
        return bool(self.refuted) == self.case.broken

    @property
    def claim(self) -> Measure:
        """The claim the event was chosen to refute."""
        return self.case.claims[0]

    def found(self) -> str:
        """What was shown, in the measure of the claim."""
        match self.claim:
            case GDP():
                return f"μ ≥ {self.shown.mu:.3f}"
            case ZCDP() | Renyi():
                return f"ρ ≥ {self.shown.rho:.3f}"
            case _:
                return f"ε ≥ {self.shown.epsilon:.3f}"

    def document(self) -> dict[str, object]:
        """The verdict as plain data, for JSON."""
        return {
            "case": self.case.name,
            "mechanism": self.case.kind,
            "relation": self.case.relation.value,
            "broken on purpose": self.case.broken,
            "claim": str(self.claim),
            "shown": {"epsilon": self.shown.epsilon, "mu": self.shown.mu, "rho": self.shown.rho},
            "delta": float(self.shown.delta),
            "runs": self.shown.runs,
            "event": self.shown.event,
            "refuted": [str(claim) for claim in self.refuted],
            "as expected": self.as_expected,
        }


def run(
    cases: Iterable[Case], *, trials: int, single_trials: int, false_alarms: Number = Fraction(1, 10**6)
) -> Iterator[Verdict]:
    """Audit the cases one by one; the probability that any honest claim is refuted is at most ``false_alarms``.

    Cases that can only be run one at a time have ``single_trials`` runs.
    """
    everything = list(cases)
    many, few = whole(trials, "trials", least=100), whole(single_trials, "single_trials", least=100)
    confidence = 1 - probability(false_alarms, "false_alarms") / max(1, len(everything))
    for case in everything:
        claim = case.claims[0]
        shown = audit(
            case.release,
            case.first,
            case.second,
            trials=many if case.batch else few,
            confidence=confidence,
            delta=claim.delta if isinstance(claim, Approximate) else 0,
            claim=claim,
            batch=case.batch,
        )
        refuted = tuple(dict.fromkeys(claim for claim in case.claims if shown.falsifies(claim)))
        yield Verdict(case, shown, refuted)
