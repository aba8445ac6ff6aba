"""The report as one self-contained page: no script, nothing fetched, readable on paper and by a screen reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from partita.composition.account.maps import LoadMap
from partita.explain.report.about import FIELDS
from partita.explain.report.first_page import first_page
from partita.explain.report.markup import answers, items, loss, picture, table, user
from partita.explain.report.style import STYLE
from partita.explain.report.sums import Sum
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.explain.report.levels import Point
    from partita.explain.report.report import Promised, Report

_UNSAID = "not filled in"

# The sections after the promises, by name.
_PARTS = {
    "levels": "What the guarantee rests on",
    "hazards": "Common hazards, one by one",
    "unprotected": "Unprotected quantities",
    "analysts": "How the budget is divided among analysts",
    "maps": "Who has been asked about how much",
    "releases": "Everything released",
    "limitations": "Known limitations",
    "registry": "For a public registry of deployments",
}


def page(report: Report) -> str:
    """The whole page as text."""
    title = escape(report.title)
    body = "\n".join(part for section in _sections(report) for part in section)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _sections(report: Report) -> Iterator[Iterator[str]]:
    yield first_page(report)
    yield _contents(report)
    yield _used(report)
    for place, promised in enumerate(report.promises):
        yield _promise(report, promised, place)
    yield _levels(report)
    yield _points("Common hazards, one by one", "hazards", report.hazards)
    yield _list("Unprotected quantities", "unprotected", report.unprotected)
    yield _analysts(report)
    if report.maps:
        yield _maps(report)
    yield _releases(report)
    yield _list("Known limitations", "limitations", report.limitations)
    yield _registry(report)
    yield _foot(report)


def _contents(report: Report) -> Iterator[str]:
    promises = [
        (f"promise-{place}", f"The promise: {one.balance.promise.granularity}")
        for place, one in enumerate(report.promises)
    ]
    parts = [("used", "How the budget was used"), *promises, *_PARTS.items()]
    shown = [(name, title) for name, title in parts if name != "maps" or report.maps]
    yield '<nav aria-label="Contents"><h2>In detail</h2>'
    yield "<p>In the order of NIST SP 800-226, with the fields of the public registry of deployments at the end.</p>"
    yield "<ol>"
    yield "".join(f'<li><a href="#{name}">{user(title)}</a></li>' for name, title in shown) + "</ol></nav>"


def _used(report: Report) -> Iterator[str]:
    yield '<section id="used"><h2>How the budget was used</h2>'
    yield picture("used", lambda: _burn_down(report), "What is left of each budget, for those who have lost most.")
    for place, (promised, made) in enumerate(zip(report.promises, report.sums, strict=True)):
        unit = promised.balance.promise.granularity
        yield f'<h3 id="sum-{place}">{user(str(unit).capitalize())}</h3>'
        yield from _sum(promised, made)
    yield "</section>"


def _sum(promised: Promised, made: Sum | None) -> Iterator[str]:
    spent = promised.balance.spent
    if spent.is_zero():
        yield "<p>Nothing is spent.</p>"
        return
    if made is None:
        yield (
            f"<p>{loss(spent)} is spent by those who lost most. It is the largest over all of them, and not one "
            "sum that could be written down here; <code>partita ledger certificate</code> gives it with its proof.</p>"
        )
        return
    yield f"<p>Those who lost most: {user(made.who)}. Line by line:</p>"
    rows = [
        (str(line.entry), f"<code>{user(line.asked)}</code>", loss(line.adds), loss(line.total)) for line in made.lines
    ]
    if made.rounding is not None:
        rows.append(("", "rounded up by the account", loss(made.rounding), loss(made.spent)))
    rows.append(("", "<b>spent so far</b>", "", f"<b>{loss(made.spent)}</b>"))
    rows.append(("", "left of the promise", "", loss(promised.balance.left)))
    heads = ("entry", "question", f"takes from {promised.balance.promise.granularity.named}", "sum")
    yield from table("How what is spent adds up", heads, rows, numbers=(0,))


def _promise(report: Report, promised: Promised, place: int) -> Iterator[str]:
    unit = str(promised.balance.promise.granularity)
    yield f'<section id="promise-{place}"><h2>The promise: {user(unit)}</h2>'
    for section in promised.explanation.sections:
        yield f"<h3>{escape(section.title)}</h3>"
        yield items(section.sentences)
    budget = promised.balance.promise.budget
    yield picture(f"attack-{place}", lambda: _tradeoff(budget), "No attack whatever gets below the line.")
    yield "<h3>Why it holds, theorem by theorem</h3><ol>"
    for step in promised.steps:
        yield f'<li>{user(step.says)} <span class="theorem">theory {escape(step.theorem)}</span></li>'
    yield "</ol></section>"


def _levels(report: Report) -> Iterator[str]:
    yield '<section id="levels"><h2>What the guarantee rests on</h2>'
    yield "<p>From the top of the pyramid to its base; each level rests on those below it.</p>"
    for level in report.levels:
        yield f"<h3>{escape(level.title)}</h3>"
        yield answers(level.points)
    yield "</section>"


def _points(title: str, name: str, points: Sequence[Point]) -> Iterator[str]:
    yield f'<section id="{name}"><h2>{escape(title)}</h2>'
    yield answers(points)
    yield "</section>"


def _list(title: str, name: str, lines: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{name}"><h2>{escape(title)}</h2>'
    yield items(lines)
    yield "</section>"


def _analysts(report: Report) -> Iterator[str]:
    yield '<section id="analysts"><h2>How the budget is divided among analysts</h2>'
    yield (
        "<p>All analysts together have the joint budget, whatever they share: that they do not collude is not assumed. "
    )
    yield "A limit of an analyst's own comes on top.</p>"
    rows = [
        (
            user(analyst),
            user(str(limit)) if limit is not None else "none of their own",
            user(str(spent or "nothing")),
        )
        for analyst, limits in report.found.accounts.items()
        for limit, spent in limits
    ]
    if rows:
        yield from table("Limits of analysts", ("analyst", "limit", "spent by their questions alone"), rows)
    counted = [(user(one.analyst or "unnamed"), user(one.table), f"{one.charges:,}") for one in report.shares[:200]]
    if counted:
        yield from table("Questions by analyst", ("analyst", "table", "questions charged"), counted, numbers=(2,))
    else:
        yield "<p>Nobody has asked anything yet.</p>"
    yield "</section>"


def _maps(report: Report) -> Iterator[str]:
    yield '<section id="maps"><h2>Who has been asked about how much</h2>'
    yield "<p>The share of the first budget that is spent on the heaviest row of each combination. Questions about "
    yield "different people cost each of them only their own.</p>"
    for place, (name, shown) in enumerate(report.maps):
        caption = f"{name}, by {shown.column_x} and {shown.column_y}."
        yield picture(f"map-{place}", partial(_map, shown), caption)
    yield "</section>"


def _releases(report: Report) -> Iterator[str]:
    yield '<section id="releases"><h2>Everything released</h2>'
    listed = len(report.releases)
    if not listed:
        yield f"<p>{f'{report.charges:,} releases, none listed here.' if report.charges else 'Nothing yet.'}</p>"
    elif listed < report.charges:
        yield f"<p>The newest {listed:,} of {report.charges:,}; <code>partita ledger export</code> lists them all.</p>"
    rows = [
        (
            str(one.seq),
            escape(one.at[:19].replace("T", " ")),
            user(one.analyst or "-"),
            f"<code>{user(one.asked)}</code>",
            user(one.region),
            user("; ".join(one.noise)),
            *map(loss, one.costs),
            escape(one.state),
        )
        for one in report.releases
    ]
    if rows:
        yield "<p>A cost is what the question takes from one protected unit that it is about, for each promise; it "
        yield "stands whether the question was answered or not. What is spent is the largest sum of anybody: costs of "
        yield "questions about different people do not add up. Noise is in the units of the column.</p>"
        units = [f"cost to {one.balance.promise.granularity.named}" for one in report.promises]
        heads = ("entry", "time", "analyst", "question", "charged to", "noise", *units, "state")
        yield from table("Everything released", heads, rows, numbers=(0,))
    yield "</section>"


def _registry(report: Report) -> Iterator[str]:
    yield '<section id="registry"><h2>For a public registry of deployments</h2>'
    missing = report.about.missing()
    if missing:
        yield "<p>Fields that only the custodian can fill in, and nobody has: "
        yield ", ".join(f"<code>{name}</code> ({escape(FIELDS[name])})" for name in missing) + ".</p>"
    yield "<dl>"
    for name, value in report.registry.items():
        yield f"<dt>{escape(_words(name))}</dt><dd>{_value(value)}</dd>"
    yield "</dl></section>"


def _foot(report: Report) -> Iterator[str]:
    yield (
        f"<footer><p>Written by Partita {escape(report.version)} from the ledger alone. An audit can refute a "
        "promise and "
    )
    yield "cannot confirm one; what is proven stands in the theory notes and the proofs beside the code.</p></footer>"


def _value(value: Any) -> str:
    match value:
        case None | "":
            return f'<span class="unsaid">{_UNSAID}</span>'
        case dict():
            inner = "".join(
                f"<dt>{user(_words(str(name)))}</dt><dd>{_value(part)}</dd>" for name, part in value.items()
            )
            return f"<dl>{inner}</dl>" if inner else f'<span class="unsaid">{_UNSAID}</span>'
        case list():
            return "<ul>" + "".join(f"<li>{_value(part)}</li>" for part in value) + "</ul>" if value else "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case _:
            return user(str(value))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _burn_down(report: Report) -> str:
    from partita.canvas import svg
    from partita.explain.pictures.burn_down import burn_down

    left = {}
    for place, promised in enumerate(report.promises):
        promise = promised.balance.promise
        name = str(promise.granularity)
        short = name if len(name) <= 32 else f"{name[:31]}…"
        points = [(float(one.charges), 1 - share(one.spent[place], promise.budget)) for one in report.moments]
        left[short if short not in left else f"{short} ({place + 1})"] = points
    return svg(burn_down(left))


def _map(shown: LoadMap) -> str:
    from partita.canvas import svg
    from partita.explain.region_map import draw_map

    return svg(draw_map(shown))


def _tradeoff(budget: Measure) -> str:
    from partita.canvas import svg
    from partita.explain.pictures.tradeoff import tradeoff

    return svg(tradeoff({str(budget): budget}))


def share(spent: Measure, budget: Measure) -> float:
    """How much of a budget is spent, by its scarcest part.

    >>> from partita.theory.measures.pure import Pure
    >>> share(Pure(epsilon=1), Pure(epsilon=4))
    0.25
    """
    parts = [part / whole for part, whole in zip(spent.vector(), budget.vector(), strict=True) if whole]
    return float(min(Fraction(1), max(parts, default=Fraction(0))))
