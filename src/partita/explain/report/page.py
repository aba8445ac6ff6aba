"""The report as one self-contained page: no script, nothing fetched, readable on paper and by a screen reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from partita.composition.account.maps import LoadMap
from partita.errors import InvalidInput
from partita.explain.report.about import FIELDS
from partita.explain.report.style import STYLE
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.explain.report.levels import Point
    from partita.explain.report.report import Promised, Report

_UNSAID = "not filled in"


def page(report: Report) -> str:
    """The whole page as text."""
    title = escape(report.title)
    body = "\n".join(part for section in _sections(report) for part in section)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        ""
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _sections(report: Report) -> Iterator[Iterator[str]]:
    yield _head(report)
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


def _head(report: Report) -> Iterator[str]:
    found = report.found
    yield f'<header><h1 dir="auto">{escape(report.title)}</h1>'
    if report.about["description"]:
        yield f'<p class="lead" dir="auto">{escape(report.about["description"])}</p>'
    yield "<p>What was released from this ledger, what is promised to the people in the data, and why it holds. "
    yield "In the order of NIST SP 800-226, with the fields of the public registry of deployments at the end.</p>"
    rows = [
        (
            _user(str(one.balance.promise.granularity)),
            f"<b>{escape(str(one.balance.promise.budget))}</b>",
            f"ε = {one.explanation.facts.epsilon:.4g}"
            + (f" at δ = {one.explanation.facts.delta:.2g}" if one.explanation.facts.delta else ""),
            escape(str(one.balance.spent)),
            escape(str(one.balance.left)),
        )
        for one in report.promises
    ]
    yield from _table(("who is protected", "promised, ever", "read as", "spent so far", "left"), rows)
    yield (
        f"<p>Ledger <code>{_user(found.name)}</code>, begun {escape(found.born[:19])}; {report.charges:,} "
        "questions charged, "
        f"{found.mark.seq:,} entries, newest hash <code>{report.ledger_hash[:16]}…</code>.</p>"
    )
    yield from _picture(lambda: _burn_down(report), "What is left of each budget, for those who have lost most.")
    yield "</header>"


def _promise(report: Report, promised: Promised, place: int) -> Iterator[str]:
    unit = str(promised.balance.promise.granularity)
    yield f'<section id="promise-{place}"><h2>The promise: {_user(unit)}</h2>'
    for section in promised.explanation.sections:
        yield f"<h3>{escape(section.title)}</h3>"
        yield from _items(section.sentences)
    budget = promised.balance.promise.budget
    yield from _picture(lambda: _tradeoff(budget), "No attack whatever gets below the line.")
    yield "<h3>Why it holds, theorem by theorem</h3><ol>"
    for step in promised.steps:
        yield f'<li>{_user(step.says)} <span class="theorem">theory {escape(step.theorem)}</span></li>'
    yield "</ol></section>"


def _levels(report: Report) -> Iterator[str]:
    yield '<section id="levels"><h2>What the guarantee rests on</h2>'
    yield "<p>From the top of the pyramid to its base; each level rests on those below it.</p>"
    for level in report.levels:
        yield f"<h3>{escape(level.title)}</h3>"
        yield from _answers(level.points)
    yield "</section>"


def _points(title: str, name: str, points: Sequence[Point]) -> Iterator[str]:
    yield f'<section id="{name}"><h2>{escape(title)}</h2>'
    yield from _answers(points)
    yield "</section>"


def _list(title: str, name: str, lines: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{name}"><h2>{escape(title)}</h2>'
    yield from _items(lines)
    yield "</section>"


def _analysts(report: Report) -> Iterator[str]:
    yield '<section id="analysts"><h2>How the budget is divided among analysts</h2>'
    yield (
        "<p>All analysts together have the joint budget, whatever they share: that they do not collude is not assumed. "
    )
    yield "A limit of an analyst's own comes on top.</p>"
    rows = [
        (
            _user(analyst),
            _user(str(limit)) if limit is not None else "none of their own",
            _user(str(spent or "nothing")),
        )
        for analyst, limits in report.found.accounts.items()
        for limit, spent in limits
    ]
    if rows:
        yield from _table(("analyst", "limit", "spent by their questions alone"), rows)
    counted = [(_user(one.analyst or "unnamed"), _user(one.table), f"{one.charges:,}") for one in report.shares[:200]]
    if counted:
        yield from _table(("analyst", "table", "questions charged"), counted, numbers=(2,))
    else:
        yield "<p>Nobody has asked anything yet.</p>"
    yield "</section>"


def _maps(report: Report) -> Iterator[str]:
    yield '<section id="maps"><h2>Who has been asked about how much</h2>'
    yield "<p>The share of the first budget that is spent on the heaviest row of each combination. Questions about "
    yield "different people cost each of them only their own.</p>"
    for table, shown in report.maps:
        yield from _picture(lambda shown=shown: _map(shown), f"{table}, by {shown.column_x} and {shown.column_y}.")
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
            _user(one.analyst or "-"),
            f"<code>{_user(one.asked)}</code>",
            _user(one.region),
            _user("; ".join(one.noise)),
            escape("; ".join(one.costs)),
            escape(one.state),
        )
        for one in report.releases
    ]
    if rows:
        yield "<p>A cost is what the question takes from one protected unit that it is about, for each promise; it "
        yield "stands whether the question was answered or not. What is spent is the largest sum of anybody: costs of "
        yield "questions about different people do not add up.</p>"
        heads = ("entry", "time", "analyst", "question", "charged to", "noise", "cost to one unit", "")
        yield from _table(heads, rows, numbers=(0,))
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
                f"<dt>{_user(_words(str(name)))}</dt><dd>{_value(part)}</dd>" for name, part in value.items()
            )
            return f"<dl>{inner}</dl>" if inner else f'<span class="unsaid">{_UNSAID}</span>'
        case list():
            return "<ul>" + "".join(f"<li>{_value(part)}</li>" for part in value) + "</ul>" if value else "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case _:
            return _user(str(value))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _user(text: str) -> str:
    """Text that somebody wrote, in any alphabet and either direction, kept from being read as markup."""
    return f'<span dir="auto">{escape(text)}</span>' if not text.isascii() else escape(text)


def _items(lines: Iterable[str]) -> Iterator[str]:
    yield "<ul>" + "".join(f"<li>{_user(line)}</li>" for line in lines) + "</ul>"


def _answers(points: Sequence[Point]) -> Iterator[str]:
    yield "<dl>" + "".join(f"<dt>{_user(one.asks)}</dt><dd>{_user(one.answer)}</dd>" for one in points) + "</dl>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> Iterator[str]:
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{escape(head)}</th>' for head in heads) + "</tr></thead><tbody>"
    for row in rows:
        cells = (f'<td class="n">{cell}</td>' if at in numbers else f"<td>{cell}</td>" for at, cell in enumerate(row))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _picture(draw: Any, caption: str) -> Iterator[str]:
    """A picture inside the page, or a word that the library which draws is not installed."""
    try:
        picture = draw()
    except InvalidInput as refusal:
        if refusal.code != "explain.no-matplotlib":
            raise
        yield f'<p class="unsaid">{escape(refusal.message)}</p>'
        return
    said = escape(caption)
    yield f'<figure role="img" aria-label="{said}">{picture}<figcaption>{said}</figcaption></figure>'


def _burn_down(report: Report) -> str:
    from partita.explain.pictures import canvas
    from partita.explain.pictures.burn_down import burn_down

    left = {}
    for place, promised in enumerate(report.promises):
        promise = promised.balance.promise
        name = str(promise.granularity)
        short = name if len(name) <= 32 else f"{name[:31]}…"
        points = [(float(one.charges), 1 - share(one.spent[place], promise.budget)) for one in report.moments]
        left[short if short not in left else f"{short} ({place + 1})"] = points
    return canvas.svg(burn_down(left))


def _map(shown: LoadMap) -> str:
    from partita.explain.pictures import canvas
    from partita.explain.region_map import draw_map

    return canvas.svg(draw_map(shown))


def _tradeoff(budget: Measure) -> str:
    from partita.explain.pictures import canvas
    from partita.explain.pictures.tradeoff import tradeoff

    return canvas.svg(tradeoff({str(budget): budget}))


def share(spent: Measure, budget: Measure) -> float:
    """How much of a budget is spent, by its scarcest part.

    >>> from partita.theory.measures.pure import Pure
    >>> share(Pure(epsilon=1), Pure(epsilon=4))
    0.25
    """
    parts = [part / whole for part, whole in zip(spent.vector(), budget.vector(), strict=True) if whole]
    return float(min(Fraction(1), max(parts, default=Fraction(0))))
