"""What differs between the terms that a ledger was born with and those that are declared now."""

from __future__ import annotations

from collections.abc import Mapping

from partita.ledger.birth import Terms
from partita.region import Domain

Parts = Mapping[str, object]
Change = tuple[str, str, str]
"""What it is, how the ledger has it, how it is declared now; nothing stands for a part that is not there."""


def promise_changes(written: Terms, given: Terms) -> list[Change]:
    """The promises that differ, place by place."""
    old, new = ([f"{one.granularity}: {one.budget}" for one in terms.promises] for terms in (written, given))
    if len(old) != len(new):
        return [("the promises", "; ".join(old), "; ".join(new))]
    return [(f"promise {at}", was, now) for at, (was, now) in enumerate(zip(old, new, strict=True), 1) if was != now]


def domain_changes(written: Terms, given: Terms) -> list[Change]:
    """The columns that differ, table by table; a table that one of the two does not have is named as a whole.

    >>> from partita.composition.plans.promise import Promise
    >>> from partita.granularity import rows
    >>> from partita.region import integers
    >>> from partita.theory.measures.pure import Pure
    >>> terms = [
    ...     Terms([Promise(rows(), Pure(epsilon=1))], {"t": Domain({"age": integers(0, top)})}) for top in (99, 120)
    ... ]
    >>> domain_changes(*terms)
    [('t.age', 'integers with high = 99', 'integers with high = 120')]
    """
    found: list[Change] = []
    # The wide domain of people follows from their tables as they were declared.
    before, after = (terms.declared or terms.tables for terms in (written, given))
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            found.append((f"table {name}", _columns(old), _columns(new)))
        elif old != new:
            found += _column_changes(name, old, new)
    return found


def _column_changes(table: str, old: Domain, new: Domain) -> list[Change]:
    before, after = ({name: one.describe() for name, one in domain.columns.items()} for domain in (old, new))
    pairs = [(name, before.get(name), after.get(name)) for name in {**before, **after}]
    found = [(f"{table}.{name}", *_differing(was, now)) for name, was, now in pairs if was != now]
    return found or [(f"table {table}", _columns(old), _columns(new))]


def _differing(old: Parts | None, new: Parts | None) -> tuple[str, str]:
    """Two declarations of a column, each without what the other says alike."""
    alike = {} if old is None or new is None else {name: old[name] for name in old if old[name] == new.get(name)}
    return _said(old, alike), _said(new, alike)


def _said(column: Parts | None, alike: Parts) -> str:
    if column is None:
        return ""
    parts = ", ".join(f"{name} = {value}" for name, value in column.items() if name != "kind" and name not in alike)
    return f"{column['kind']} with {parts}" if parts else str(column["kind"])


def _columns(domain: Domain | None) -> str:
    return "" if domain is None else f"columns {', '.join(domain.columns)}"
