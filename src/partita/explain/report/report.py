"""A report of a whole ledger: gathered once, then written as a page for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, final

from partita.composition.account.maps import LoadMap
from partita.errors import explain as refuse
from partita.errors.wording import counted
from partita.exact import whole
from partita.explain.book import explain_ledger
from partita.explain.report.about import About
from partita.explain.report.cautions import cautions
from partita.explain.report.derivation import Step, derivation
from partita.explain.report.levels import Level, Point, hazards, levels, limitations, unprotected
from partita.explain.report.registry import registry
from partita.explain.report.releases import Released, Share, kinds, maps, newest, shares
from partita.explain.report.sums import Sum, sums
from partita.explain.words import Explanation
from partita.ledger.book.store import State
from partita.ledger.ledger import Ledger
from partita.ledger.reports.history import Moment, history
from partita.ledger.reports.report import Balance, Summary, summary
from partita.theory.documents import to_document

# A book with more releases is summarised, and its newest are listed.
LISTED = 500


@final
@dataclass(frozen=True, slots=True)
class Promised:
    """One promise with its meaning, its derivation and how it was used up."""

    balance: Balance
    explanation: Explanation
    steps: tuple[Step, ...]


@final
@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reader needs to judge what was released from a ledger."""

    title: str
    version: str
    found: Summary
    about: About
    promises: tuple[Promised, ...]
    cautions: tuple[str, ...]
    sums: tuple[Sum | None, ...]
    levels: tuple[Level, ...]
    hazards: tuple[Point, ...]
    unprotected: tuple[str, ...]
    limitations: tuple[str, ...]
    releases: tuple[Released, ...]
    shares: tuple[Share, ...]
    moments: tuple[Moment, ...]
    maps: tuple[tuple[str, LoadMap], ...]
    registry: Mapping[str, Any]
    ledger_hash: str

    @property
    def charges(self) -> int:
        """How many questions were charged, answered or not."""
        return sum(self.found.states.values())

    def __str__(self) -> str:
        lines = [f"{self.title}: {counted(self.charges, 'release')}, {counted(len(self.promises), 'promise')}."]
        for one in self.promises:
            balance = one.balance
            lines.append(f"Promised: {balance.promise}. Spent: {balance.spent}. Left: {balance.left}.")
        return "\n".join([*lines, *self.cautions])

    def __repr__(self) -> str:
        return f"<Report: {self}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: the whole page, in a frame of its own."""
        return (
            f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.html())}" sandbox '
            'style="width: 100%; height: 40em; border: 1px solid #999"></iframe>'
        )

    def document(self) -> dict[str, Any]:
        """The report as plain data, in the order of the page."""
        return {
            "title": self.title,
            "software": f"Partita {self.version}",
            "ledger": {
                "name": self.found.name,
                "born": self.found.born,
                "entries": self.found.mark.seq,
                "newest hash": self.ledger_hash,
                "charges": self.charges,
                "answered": self.found.states[State.ANSWERED],
            },
            "promises": [
                {
                    "unit": str(one.balance.promise.granularity),
                    "budget": to_document(one.balance.promise.budget),
                    "spent": to_document(one.balance.spent),
                    "left": to_document(one.balance.left),
                    "explanation": one.explanation.document(),
                    "derivation": [{"says": step.says, "theorem": step.theorem} for step in one.steps],
                }
                for one in self.promises
            ],
            "warnings": [*self.cautions],
            "sums": [None if made is None else _summed(made) for made in self.sums],
            "levels": [{"title": level.title, "points": _points(level.points)} for level in self.levels],
            "hazards": _points(self.hazards),
            "unprotected quantities": [*self.unprotected],
            "analysts": {
                "joint": "All analysts together have the joint budget; that they do not collude is not assumed.",
                "limits": {
                    analyst: [
                        {"limit": None if limit is None else to_document(limit), "spent": str(spent)}
                        for limit, spent in limits
                    ]
                    for analyst, limits in self.found.accounts.items()
                },
                "charges": [
                    {"analyst": one.analyst, "table": one.table, "charges": one.charges} for one in self.shares
                ],
            },
            "releases": {
                "charged": self.charges,
                "listed": len(self.releases),
                "newest": [one.document() for one in self.releases],
            },
            "burn-down": [
                {"charges": one.charges, "at": one.at, "spent": [to_document(loss) for loss in one.spent]}
                for one in self.moments
            ],
            "limitations": [*self.limitations],
            "registry": dict(self.registry),
            "not filled in": [*self.about.missing()],
        }

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        from partita.explain.report.page import page

        return page(self)


def report(
    ledger: Ledger | str | Path,
    *,
    about: Mapping[str, object] | About | None = None,
    version: str = "",
    most: int = LISTED,
) -> Report:
    """The report of a ledger, or of the book of this path; ``about`` holds what only the custodian knows.

    The time it takes is bounded: of a long book the newest ``most`` releases are listed, and the rest is counted.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     answer = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    ...     page = report(curator.ledger, about={"name": "Visits"}).html()
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    if isinstance(ledger, str | Path):
        from partita.ledger.opening import open_ledger

        with open_ledger(ledger) as opened:
            return report(opened, about=about, version=version, most=most)
    if not isinstance(ledger, Ledger):
        raise refuse.not_a_ledger(ledger)
    words = about if isinstance(about, About) else About(about)
    found = summary(ledger, 0)
    said = explain_ledger(ledger, people=words.people, compared=True)
    facts = [one.facts for one in said]
    released = newest(ledger, whole(most, "most"))
    noise = kinds(released)
    terms = ledger.terms
    public = unprotected(terms, words)
    return Report(
        title=words["name"] or f"Releases from {', '.join(terms.tables)}",
        version=version,
        found=found,
        about=words,
        promises=tuple(
            Promised(balance, one, derivation(balance.promise, balance.spent, one.facts, noise))
            for balance, one in zip(found.balances, said, strict=True)
        ),
        cautions=cautions(found, terms, said, words),
        sums=sums(ledger, [balance.spent for balance in found.balances], whole(most, "most")),
        levels=levels(terms, found.balances, facts, words),
        hazards=hazards(terms, found.balances, facts, words),
        unprotected=public,
        limitations=limitations([balance.promise.granularity for balance in found.balances]),
        releases=released,
        shares=shares(ledger),
        moments=history(ledger),
        maps=maps(ledger, released),
        registry=registry(
            found,
            facts,
            words,
            noise=noise,
            unprotected=public,
            tables=[f"{name}({', '.join(domain.columns)})" for name, domain in terms.tables.items()],
            version=version,
        ),
        ledger_hash=found.mark.hash.hex(),
    )


def _summed(made: Sum) -> dict[str, Any]:
    return {
        "who": made.who,
        "lines": [{"entry": one.entry, "asked": one.asked, "adds": to_document(one.adds)} for one in made.lines],
        "rounding": None if made.rounding is None else to_document(made.rounding),
        "spent": to_document(made.spent),
    }


def _points(points: tuple[Point, ...]) -> list[dict[str, str]]:
    return [{"asks": point.asks, "answer": point.answer} for point in points]
