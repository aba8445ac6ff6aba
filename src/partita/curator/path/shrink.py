"""Auto-shrink: a question about many becomes the same question about those who can still pay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from partita.curator.path.path import charge_of
from partita.curator.path.placed import on_people
from partita.errors import curator as refuse
from partita.ledger.ledger import Ledger
from partita.query.language.conditions import Condition
from partita.query.language.plan import Plan
from partita.query.language.text import readable
from partita.query.noise.quote import Quote
from partita.query.rewrite import rewritten
from partita.region.region import Region

ROUNDS = 8


def shrunk(offered: Quote, requoted: Callable[[Plan], Quote], ledger: Ledger, analyst: str) -> Quote:
    """The offer for the part of its region that can still pay, as far as was found; all of it if all can pay.

    The part is a function of the public ledger and of the question (theory E18, E20), and the narrowed plan is what is
    run and charged. A narrower question may have another noise, hence another cost, so it is looked at again. Of a
    question about people those rows are left whose owner can pay whatever else is theirs (theory I7).
    """
    people = on_people(offered.promises)
    for _ in range(ROUNDS):
        charge = charge_of(offered, asked="", analyst=analyst)
        part = ledger.payable(charge)
        if part == charge.region:
            break
        part = part if people is None else people.left(offered, charge.region - part)
        if part.empty:
            who = "everybody" if offered.region.whole else _short(offered.region)
            raise refuse.nobody_can_pay(who, str(offered.cost), "" if people is None else people.unread)
        offered = requoted(about(offered.plan, part))
    return offered


def about(plan: Plan, part: Region) -> Plan:
    """The same question about a part of its region."""
    return rewritten(replace(plan, where=Condition(plan.where.region & part, plan.where.tests)))


def said(asked: Region | None, part: Region) -> str:
    """Which part of those asked about an answer is about; nothing if it is about all of them.

    >>> from partita.region import Domain, integers
    >>> domain = Domain({"age": integers(0, 120, missing=0)})
    >>> said(Region.everything(domain), Region.where("age < 65", domain))
    'Only a part of those asked about can still pay, and this is about them: age <= 64. Left out: age >= 65.'
    """
    if asked is None:
        return ""
    return (
        f"Only a part of those asked about can still pay, and this is about them: {_short(part)}. "
        f"Left out: {_short(asked - part)}."
    )


def _short(region: Region) -> str:
    """A condition people can read; of a ragged one only its size."""
    text = readable(region)
    return text if len(text) <= 400 else f"{region.size} record values in {len(region.boxes)} boxes"
