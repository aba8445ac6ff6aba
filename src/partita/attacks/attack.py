"""What an attack came to: the same attack on a curator without protection and on Partita, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

from partita.attacks.confidence import at_least
from partita.notebook import InWords

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# How unlikely it is that Partita is said to have failed when it has not.
FALSE_ALARM = 1e-6

Line = tuple[tuple[float, float], ...]


@final
@dataclass(frozen=True, slots=True)
class Chart:
    """What the picture of an attack shows: lines by name, and what lies across and up."""

    across: str
    up: str
    lines: Mapping[str, Line]
    shares: bool = True  # whether both directions of the picture, or the upward one, are shares
    logarithmic: bool = False  # whether what lies across spans orders of magnitude


@final
@dataclass(frozen=True, slots=True)
class Attack(InWords):
    """One attack, run twice: where nothing protects the data, and against Partita through its public face alone.

    The attack works if it reaches ``needed`` there. Partita withstands it if what it reaches here is consistent with
    ``allowed``, the most that the promise permits: ``surely`` is a lower confidence bound on the attack's true success.

    >>> from partita.attacks import read_low_bits
    >>> found = read_low_bits()
    >>> found.works, found.withstood
    (True, True)
    """

    name: str
    aim: str
    criterion: str  # when the attack counts as successful (theory G)
    statistic: str  # what the numbers measure; the larger, the better for the attacker
    without: float
    against: float
    surely: float
    needed: float
    allowed: float
    chart: Chart = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether the attack succeeds where nothing protects the data."""
        return self.without >= self.needed

    @property
    def withstood(self) -> bool:
        """Whether Partita gave no more than was promised, as far as this attack can tell."""
        return self.surely <= self.allowed

    @property
    def as_expected(self) -> bool:
        """Whether the attack succeeds there and fails here."""
        return self.works and self.withstood

    def plot(self) -> Figure:
        """The picture of the attack."""
        from partita.explain.pictures.contest import contest

        return contest(
            self.chart.lines,
            across=self.chart.across,
            up=self.chart.up,
            title=f"Attack: {self.name}",
            shares=self.chart.shares,
            logarithmic=self.chart.logarithmic,
        )

    def document(self) -> dict[str, Any]:
        """The outcome as plain data, for JSON."""
        return {
            "attack": self.name,
            "aim": self.aim,
            "criterion": self.criterion,
            "statistic": self.statistic,
            "without protection": self.without,
            "against Partita": self.against,
            "against Partita, surely": self.surely,
            "needed": self.needed,
            "allowed": self.allowed,
            "works": self.works,
            "withstood": self.withstood,
            "notes": [*self.notes],
            "chart": {
                "across": self.chart.across,
                "up": self.chart.up,
                "lines": {name: [[x, y] for x, y in points] for name, points in self.chart.lines.items()},
            },
        }

    def __str__(self) -> str:
        there = "succeeds" if self.works else "FAILS"
        here = "withstood" if self.withstood else "NOT withstood"
        return (
            f"{self.name}: {self.aim}\n"
            f"  {self.statistic}\n"
            f"  without protection {self.without:.4g} (needed {self.needed:.4g}): {there}\n"
            f"  against Partita    {self.against:.4g} (allowed {self.allowed:.4g}): {here}"
            + "".join(f"\n  {note}" for note in self.notes)
        )


def surely(hits: int, tries: int) -> float:
    """A share that the attack's true success is at least, but for one time in a million.

    >>> surely(50, 100) < 0.5
    True
    """
    return at_least(hits, tries, FALSE_ALARM)
