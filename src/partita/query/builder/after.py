"""Steps after the aggregates of a question: which lines of its answer are shown, and in which order."""

from __future__ import annotations

from dataclasses import replace

from partita.errors.query import language as refuse
from partita.exact import whole
from partita.query.builder.expressions import Expr
from partita.query.builder.frame import Frame, meaning
from partita.query.language.formulas import Apply, Formula, Operation
from partita.query.language.plan import STEPS, KeyColumn, Plan, needed
from partita.query.rewrite import rewritten


def sorted_by(plan: Plan, *by: str | Expr) -> Plan:
    """The lines in this order; what was an order before is forgotten."""
    lines = _frame(plan).order_by(*by)._lines(_named(plan))
    return _made(replace(plan, lines=replace(plan.lines, order=lines.order)))


def kept(plan: Plan, *conditions: str | Expr) -> Plan:
    """Only the lines whose noisy numbers and keys meet all conditions."""
    having = _frame(plan).having(*conditions)._lines(_named(plan)).having
    before = plan.lines.having
    both = having if before is None or having is None else Apply(Operation.AND, (before, having))
    return _made(replace(plan, lines=replace(plan.lines, having=both)))


def first(plan: Plan, lines: int, offset: int) -> Plan:
    """At most so many lines."""
    limit, skipped = whole(lines, "limit", least=0), whole(offset, "offset", least=0)
    return replace(plan, lines=replace(plan.lines, limit=limit, offset=skipped))


def selected(plan: Plan, *names: str) -> Plan:
    """Only these columns of the answer, in this order; others that lines are chosen by are still released."""
    known = {column.name: column for column in plan.shown}
    for name in names:
        if name not in known:
            raise refuse.unreadable(f"the answer has no column {name!r}; it has {', '.join(known)}")
    shown = tuple(known[name] for name in names)
    return _made(replace(plan, shown=shown))


def _made(plan: Plan) -> Plan:
    needs = needed(plan.shown, plan.lines)
    if not needs:
        raise refuse.no_aggregate()
    return rewritten(replace(plan, aggregates=needs))


def _frame(plan: Plan) -> Frame:
    table = plan.table if plan.per_user is None else plan.per_user.table
    return Frame(table, keys=tuple((one.name, one.key) for one in plan.shown if isinstance(one, KeyColumn)))


def _named(plan: Plan) -> dict[str, Formula]:
    return {column.name.lower(): meaning(column) for column in plan.shown}


STEPS.update(sort=sorted_by, filter=kept, limit=first, select=selected)
