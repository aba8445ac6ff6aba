"""The first page of a report: the promises, what to beware of, what is spent, and where to sign."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from partita.explain.numbers import at_most, factor, short
from partita.explain.report.markup import items, loss, table, user
from partita.ledger.book.store import State

if TYPE_CHECKING:
    from partita.explain.report.report import Promised, Report


def first_page(report: Report) -> Iterator[str]:
    """Everything that is signed, on one sheet of paper."""
    yield f'<header><h1 dir="auto">{escape(report.title)}</h1>'
    if report.about["description"]:
        yield f'<p class="lead" dir="auto">{escape(report.about["description"])}</p>'
    yield "</header>"
    if report.cautions:
        yield '<section id="cautions" class="warning" aria-labelledby="beware"><h2 id="beware">Before you sign</h2>'
        yield items(report.cautions) + "</section>"
    yield '<section id="summary"><h2>What is promised</h2>'
    yield from _promises(report)
    yield "<ul>" + "".join(f"<li>{user(_meaning(one))}</li>" for one in report.promises) + "</ul>"
    yield from _facts(report)
    yield "</section>"
    yield from _signature(report)


def _promises(report: Report) -> Iterator[str]:
    rows = [
        (
            user(str(one.balance.promise.granularity)),
            f"<b>{loss(one.balance.promise.budget)}</b>",
            loss(
                f"ε = {one.explanation.facts.epsilon:.4g}"
                + (f" at δ = {short(one.explanation.facts.delta)}" if one.explanation.facts.delta else "")
            ),
            loss(one.balance.spent),
            loss(one.balance.left),
        )
        for one in report.promises
    ]
    yield from table(
        "Promises",
        ("who is protected", "promised, ever", "read as", "spent so far", "left for those who lost most"),
        rows,
    )


def _meaning(one: Promised) -> str:
    facts, unit = one.explanation.facts, one.balance.promise.granularity.named
    times = factor(facts.multiplier)
    likely = f"at most {times} times as likely" if times[0].isdigit() else "any number of times as likely"
    return (
        f"For {unit}: whatever happens because of these releases becomes {likely}"
        + (f", plus a chance of {short(facts.delta)}" if facts.delta else "")
        + f". An attacker who wrongly accuses {facts.fpr:.0%} of those who are not in the data finds at most "
        f"{at_most(facts.tpr)} of those who are."
    )


def _facts(report: Report) -> Iterator[str]:
    found = report.found
    times = [one.at[:10] for one in report.releases if one.at]
    released = f"{times[0]} to {times[-1]}" if times else "nothing yet"
    analysts = len({one.analyst for one in report.shares})
    facts = (
        ("Answered for by", user(report.about["data_curators"]) or '<span class="unsaid">not filled in</span>'),
        ("Used for", user(report.about["intended_use"]) or '<span class="unsaid">not filled in</span>'),
        ("Questions charged", f"{report.charges:,}, of which {found.states[State.ANSWERED]:,} were answered"),
        (
            "Released",
            escape(released) + (f", to {analysts:,} {'analyst' if analysts == 1 else 'analysts'}" if times else ""),
        ),
        ("Ledger", f"<code>{user(found.name)}</code>, begun {escape(found.born[:10])}, {found.mark.seq:,} entries"),
    )
    yield '<dl class="facts">' + "".join(f"<div><dt>{name}</dt><dd>{said}</dd></div>" for name, said in facts) + "</dl>"


def _signature(report: Report) -> Iterator[str]:
    yield '<section id="signature" class="sign"><h2>Signature</h2>'
    warned = " and the warnings above" if report.cautions else ""
    yield (
        f"<p>I have read this report{warned}. I answer for the promises above, for everything this ledger has released "
        "and will release, up to its budgets.</p>"
    )
    yield f'<p class="hash">State of the ledger: entry {report.found.mark.seq:,}, <code>{report.ledger_hash}</code></p>'
    fields = "".join(
        f"<div><dd></dd><dt>{name}</dt></div>" for name in ("Name", "Office", "Place and date", "Signature")
    )
    yield f'<dl class="lines">{fields}</dl></section>'
