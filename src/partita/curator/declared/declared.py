"""What a curator is declared with: tables, promises that can be kept together, and limits of analysts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partita.calls import listed
from partita.composition.account.engine import MOST_COLUMNS
from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.errors import curator as refuse
from partita.errors import theory as refuse_theory
from partita.errors.query import tables as refuse_public
from partita.errors.region import too_many_columns
from partita.granularity import Edges, Events, Granularity, Metric, Nodes, Persons, Replace, Rows, Users
from partita.ledger.birth import Terms
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.theory.measures.base import Measure
from partita.theory.measures.renyi import ORDERS, Renyi


def checked_tables(tables: Sequence[Table]) -> dict[str, Table]:
    """The tables by name, no two of them over the same rows."""
    found: dict[str, Table] = {}
    for table in listed("tables", tables, "tables=[table]"):
        if not isinstance(table, Table):
            raise refuse.not_a_table(table)
        if len(table.domain.shape) > MOST_COLUMNS:
            # Before anything is read; the account would say the same.
            raise too_many_columns(len(table.domain.shape), MOST_COLUMNS)
        for other in found.values():
            if table.name.lower() == other.name.lower():
                raise refuse.same_name(other.name, table.name)
            if table.same_rows(other):
                raise refuse.same_rows(other.name, table.name)
        found[table.name] = table
    if not found:
        raise refuse.no_tables()
    return found


def checked_promises(promises: Sequence[Promise], tables: dict[str, Table]) -> tuple[Promise, ...]:
    """The promises, if this curator can keep all of them at once."""
    promises = listed("promises", promises, "promises=[promise]")
    for promise in promises:
        if not isinstance(promise, Promise):
            raise refuse.not_a_promise(promise)
    if not promises:
        raise refuse.no_promises()
    for budget in (promise.budget for promise in promises):
        if isinstance(budget, Renyi) and budget.orders != ORDERS:
            raise refuse.other_orders(len(ORDERS))
    for unit in (promise.granularity.single for promise in promises):
        if isinstance(unit, Edges | Nodes):
            raise refuse.no_graphs(str(unit))
        if isinstance(unit, Metric):
            for table in tables.values():
                table.domain.axis(unit.column)
    people = [promise for promise in promises if isinstance(promise.granularity.single, Persons)]
    if people:
        _beside_people(promises, [promise.granularity for promise in people], tables)
    for unit in (promise.granularity.single for promise in promises):
        if isinstance(unit, Events) and not people:
            raise refuse.events_alone(unit.table)
    owners = [unit for promise in promises if isinstance(unit := promise.granularity.single, Users)]
    if owners:
        if len(tables) > 1:
            raise refuse.users_of_several_tables(tuple(tables))
        (table,) = tables.values()
        for promise in promises:
            _beside_owners(promise.granularity, owners, table)
    return tuple(promises)


def _beside_people(promises: Sequence[Promise], people: Sequence[Granularity], tables: Mapping[str, Table]) -> None:
    """Refuse what is not proven beside a promise on people: single rows of a table that leads to nobody are (I9)."""
    persons = people[0]
    if len(people) > 1 or not isinstance(persons, Persons):
        raise refuse.people_alone(str(people[0]))
    leading = {parent for _, (_, parent) in persons.through}
    fit = [name for name in persons.tables if name != persons.table and name not in leading]
    for promise in promises:
        unit = promise.granularity.single
        if isinstance(unit, Persons):
            continue
        if not isinstance(unit, Events):
            raise refuse.not_beside_people(str(promise.granularity), fit)
        if unit.table not in persons.tables:
            raise refuse.events_of_nobody(unit.table, fit)
        if unit.table not in fit:
            raise refuse.event_is_a_person(unit.table, person=unit.table == persons.table, fit=fit)
        if unit.table in tables and tables[unit.table].domain.constant:
            raise refuse.not_beside_people(str(promise.granularity), [name for name in fit if name != unit.table])


def _beside_owners(granularity: Granularity, owners: Sequence[Users], table: Table) -> None:
    """Refuse what the truncation of an owner's rows would break: one row may move others of the same owner.

    For single rows the quote counts that (theory E4); where the truncation also caps each question, keeps columns
    constant, or moves rows of other steps, no proof covers promises that are not on owners.
    """
    unit = granularity.single
    if isinstance(unit, Users):
        return
    if not isinstance(unit, Rows | Replace | Metric):
        raise refuse.not_beside_users(str(granularity), "its rows would move with those of other steps")
    if any(owner.in_region is not None for owner in owners):
        raise refuse.not_beside_users(str(granularity), "in_region= caps the rows of an owner in each question anew")
    if table.domain.constant:
        raise refuse.not_beside_users(str(granularity), "a constant= column leaves out rows that differ from the first")


def people_of(promises: Sequence[Promise], tables: Mapping[str, Table]) -> tuple[People, PersonSpace] | None:
    """The people whom a promise protects across tables, and the wide domain in which it is kept; None without one."""
    persons = next((unit for promise in promises if isinstance(unit := promise.granularity, Persons)), None)
    if persons is None:
        return None
    people = People(persons, tables.values())
    return people, PersonSpace(persons, {name: table.domain for name, table in people.tables.items()})


def terms_of(promises: Sequence[Promise], tables: Mapping[str, Table]) -> Terms:
    """What the ledger of these promises and tables is declared with."""
    people = people_of(promises, tables)
    if people is None:
        return Terms(promises, {name: table.domain for name, table in tables.items()})
    declared = {name: table.domain for name, table in tables.items()}
    return Terms(promises, {people[1].persons.column: people[1].domain}, declared)


def checked_public(public: Sequence[PublicTable], tables: Mapping[str, Table]) -> dict[str, PublicTable]:
    """The public tables by name, if each has a name of its own."""
    found: dict[str, PublicTable] = {}
    taken = {name.lower() for name in tables}
    for table in public:
        if not isinstance(table, PublicTable):
            raise refuse_public.not_a_public_table(table)
        if table.name.lower() in taken:
            raise refuse_public.taken_name(table.name)
        taken.add(table.name.lower())
        found[table.name] = table
    return found


def checked_limits(
    budget: Measure | Sequence[Measure | None], promises: Sequence[Promise]
) -> tuple[Measure | None, ...]:
    """The limits of one analyst: a budget for each promise, or one for the first."""
    if isinstance(budget, Measure):
        return (budget, *[None] * (len(promises) - 1))
    if not isinstance(budget, list | tuple):
        raise refuse_theory.not_a_loss("budget", budget)
    if len(budget) != len(promises):
        raise refuse.budget_of_session(len(budget), len(promises))
    for limit in budget:
        if limit is not None and not isinstance(limit, Measure):
            raise refuse_theory.not_a_loss("budget", limit)
    return tuple(budget)
