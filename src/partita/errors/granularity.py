"""What is said of neighbouring relations."""

from __future__ import annotations

from partita.errors.base import InvalidInput, NotProven


def not_a_granularity(name: str, value: object) -> InvalidInput:
    """Something that is not a relation stands where one is needed."""
    return InvalidInput(
        "granularity.not-a-granularity",
        f"{name} = {value!r} does not say who is protected. Give pt.rows(), pt.replace(), pt.groups(k), "
        f"pt.users(column, rows=m), pt.windows(column, width=w) or pt.metric(column, unit=u).",
    )


def no_guarantee(source: str, target: str) -> NotProven:
    """No number of steps of one relation makes a step of the other (theory A9)."""
    return NotProven(
        "granularity.no-guarantee",
        f"A guarantee for [{source}] says nothing about [{target}]: no number of steps of the first makes one step of "
        f"the second, so the loss could be infinite. Nothing was converted. Ask for a mechanism whose guarantee is "
        f"stated for [{target}].",
    )


def no_owner_column(value: object) -> InvalidInput:
    """Users without the column that names the owner."""
    return InvalidInput(
        "granularity.no-owner-column",
        f"users(column={value!r}) does not name the column that says whose row it is. "
        f'Write pt.users("patient", rows=10).',
    )


def no_time_column(value: object) -> InvalidInput:
    """Windows without the column of time steps."""
    return InvalidInput(
        "granularity.no-time-column",
        f'windows(column={value!r}) does not name the column of time steps. Write pt.windows("day", width=7).',
    )


def no_metric_column(value: object) -> InvalidInput:
    """A metric without the column that it measures."""
    return InvalidInput(
        "granularity.no-metric-column",
        f'metric(column={value!r}) does not name a column. Write pt.metric("income", unit=1000).',
    )


def no_part_column(value: object) -> InvalidInput:
    """Parts of an owner without the column that names them."""
    return InvalidInput(
        "granularity.no-part-column",
        f'users(per={value!r}) does not name the column that divides an owner. Write per="day".',
    )


def not_a_switch(name: str, value: object) -> InvalidInput:
    """A switch that is neither True nor False."""
    return InvalidInput("granularity.not-a-switch", f"{name} = {value!r} is neither True nor False. Give one of them.")


def no_person_column(value: object) -> InvalidInput:
    """Persons need the column that names the owner."""
    return InvalidInput(
        "granularity.no-person-column",
        f"persons(column={value!r}) does not name the column that says whose row it is. "
        f'Write pt.persons("customer", rows={{"orders": 20}}).',
    )


def no_person_table(value: object) -> InvalidInput:
    """The person table has a name."""
    return InvalidInput(
        "granularity.no-person-table",
        f"persons(table={value!r}) does not name a table. Name the table with one row a person, or leave it out.",
    )


def person_table_capped(table: str) -> InvalidInput:
    """The person table keeps one row an owner, always."""
    return InvalidInput(
        "granularity.person-table-capped",
        f"{table} is the person table, of which one row a person is kept. Leave it out of rows=, or do not name it as "
        f"table=.",
    )


def no_tables_of_persons() -> InvalidInput:
    """Somebody without any table owns nothing."""
    return InvalidInput(
        "granularity.no-tables-of-persons",
        "persons() names no table in which people have rows. Say for each table how many rows of one person are kept: "
        'rows={"orders": 20}.',
    )


def chain_leads_nowhere(table: str, key: str, parent: str, known: tuple[str, ...]) -> InvalidInput:
    """A chain of keys goes from one table with a cap to another one."""
    return InvalidInput(
        "granularity.chain-leads-nowhere",
        f"through={{{table!r}: ({key!r}, {parent!r})}} does not lead from one table to another of those in rows= "
        f"({', '.join(known) or 'none'}). Both tables need a cap there, and they must be two.",
    )


def chain_in_a_circle(tables: tuple[str, ...]) -> InvalidInput:
    """A chain of keys ends at a table that names its owners."""
    return InvalidInput(
        "granularity.chain-in-a-circle",
        f"The tables {' → '.join(tables)} belong to each other in a circle, so none of them names the owner. "
        f"Let one of them have the owner's column, and leave it out of through=.",
    )


def bad_chain(table: str, link: object) -> InvalidInput:
    """A link is a key and a table."""
    return InvalidInput(
        "granularity.bad-chain",
        f"through={{{table!r}: {link!r}}} is not a key and a table. Write the column that both tables have, "
        f'and the table that knows the owner: through={{"lines": ("order", "orders")}}.',
    )


def not_by_table(word: str, value: object) -> InvalidInput:
    """Something is said table by table."""
    return InvalidInput(
        "granularity.not-by-table",
        f"{word}={value!r} does not say it table by table. Give a mapping from the names of tables, such as "
        f'{{"orders": 20}}.',
    )


def windows_of_persons(per: str) -> InvalidInput:
    """A person's own row lies in no window of time, and a row behind a key in that of another row."""
    return InvalidInput(
        "granularity.windows-of-persons",
        f"per={per!r} protects the windows of a person one by one; a row of a person table lies in none of them, and "
        f"rows that a key leads to would have to lie in the window of another row. Leave out table= and through=, with "
        f"the column {per!r} in every table of rows=; or leave out per=, and persons are protected as a whole.",
    )


def no_event_table(value: object) -> InvalidInput:
    """Events are rows of a table that has a name."""
    return InvalidInput(
        "granularity.no-event-table",
        f"events({value!r}) does not name a table. Name one of the tables in which people have rows: "
        f'pt.events("visits").',
    )
