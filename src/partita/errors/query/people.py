"""What is said of tables that do not say whose rows they hold, and of joins that do not meet on their owner."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput, QueryRefused
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, shown, some


def key_column(name: str) -> QueryRefused:
    """A key links rows, and nothing else."""
    return QueryRefused(
        "people.key-column",
        f"{name} is a key: it links rows of two tables, and its values are never shown, grouped by or compared with "
        f"anything but keys. Take it out of the question. {UNTOUCHED}",
    )


def not_persons(value: object) -> InvalidInput:
    """Something else where persons were expected."""
    return InvalidInput(
        "people.not-persons",
        f"{shown(value)} does not say which tables hold people's rows. Give "
        f'persons("customer", table="customers", rows={{"orders": 20}}).',
    )


def unknown_table(name: str, known: Iterable[str]) -> InvalidInput:
    """A promise on people that names a table nobody declared."""
    return InvalidInput(
        "people.unknown-table",
        f"The promise on people names the table {name!r}, which is not declared. Declared: {some(known) or 'none'}. "
        f"Declare it, or take it out of table= and rows=.{meant(name, known)}",
    )


def unprotected_table(name: str, owner: str) -> InvalidInput:
    """A declared table that the promise on people says nothing of."""
    return InvalidInput(
        "people.unprotected-table",
        f"Table {name} is declared, and the promise on people gives it no cap, so nobody's rows in it would be "
        f"protected. Say how many rows of one {owner} are kept, rows={{{name!r}: 10}}, or name it as table=, or "
        f"declare it as public.",
    )


def one_name(name: str) -> InvalidInput:
    """Two tables that SQL could not tell apart."""
    return InvalidInput(
        "people.one-name",
        f"Table {name} is declared twice but for upper and lower case, which SQL does not tell apart. Rename one.",
    )


def no_owner(table: str, owner: str) -> InvalidInput:
    """A table that does not say whose its rows are."""
    return InvalidInput(
        "people.no-owner",
        f"Table {table} does not say whose its rows are. Declare its column {owner!r} as identifier(), or, if a key "
        f"leads to a table that does, say so: through={{{table!r}: (key, table)}}.",
    )


def no_window(table: str, per: str) -> InvalidInput:
    """A table without the column that says in which window of time its rows lie."""
    return InvalidInput(
        "people.no-window",
        f"Table {table} does not say in which window its rows lie. Declare a column {per!r} with public values in it, "
        f"the same in every table: days, weeks or months.",
    )


def other_windows(table: str, other: str, per: str) -> InvalidInput:
    """Two tables whose windows are declared in different ways."""
    return InvalidInput(
        "people.other-windows",
        f"Tables {table} and {other} declare {per!r} in different ways, so that their windows are not the same. "
        f"Declare it alike, and not constant.",
    )


def across_windows(unit: str) -> QueryRefused:
    """Joins, and what is computed of all rows of one owner, look across the protected windows."""
    return QueryRefused(
        "shape.across-windows",
        f"[{unit}] protects the windows of a person one by one, and this question puts rows of several windows of one "
        f"person together. Ask about the tables themselves, joined on the person and the window, or keep a promise on "
        f"whole persons. {UNTOUCHED}",
    )


def windows_not_linked(unit: str, example: str) -> QueryRefused:
    """A join of which rows of several windows could meet, and that is not an inner one."""
    return QueryRefused(
        "people.windows-not-linked",
        f"[{unit}] protects the windows of a person one by one, and rows of several windows would meet here. Equate "
        f"them too, in ON or inside the brackets: AND {example}. {UNTOUCHED}",
    )


def owner_not_identifier(table: str, owner: str, kind: str) -> InvalidInput:
    """The owner's column is declared as something else."""
    return InvalidInput(
        "people.owner-not-identifier",
        f"Table {table} declares {owner!r} as {kind}, and the promise on people says that it names the owner of a row. "
        f"Declare it as identifier().",
    )


def other_owner(table: str, owner: str, wanted: str) -> InvalidInput:
    """Rows that belong to other people than those of the promise."""
    return InvalidInput(
        "people.other-owner",
        f"Table {table} belongs to {owner!r}, and the promise protects each {wanted!r}. Two kinds of owners cannot be "
        f"protected by one truncation: one owner less would free places for rows of others. If both columns name the "
        f"same people, call them by one name in the source.",
    )


def owner_beside_chain(table: str, owner: str, key: str) -> InvalidInput:
    """A table that says in two ways whose its rows are."""
    return InvalidInput(
        "people.owner-beside-chain",
        f"Table {table} names its owners in {owner!r}, and through= says that the key {key!r} leads to them. Rows "
        f"belong to one owner: take {owner!r} out of its columns, or the table out of through=.",
    )


def absent_key(table: str, key: str, child: str) -> InvalidInput:
    """A chain over a column that is not there."""
    return InvalidInput(
        "people.absent-key",
        f"through= says that rows of {child} are reached by the key {key!r}, which table {table} does not declare. "
        f"Declare it there as key().",
    )


def not_a_key(table: str, key: str, kind: str, child: str) -> InvalidInput:
    """A chain over a column that is something else."""
    return InvalidInput(
        "people.not-a-key",
        f"through= says that rows of {child} are reached by {key!r}, which table {table} declares as {kind}. A column "
        f"that links tables is declared as key().",
    )


# --- joins -------------------------------------------------------------------------------------------------------


def not_linked(table: str, example: str, owner: str) -> QueryRefused:
    """Rows that would meet rows of other people."""
    return QueryRefused(
        "people.not-linked",
        f"Rows of {table} may only meet rows of the same {owner}, and this does not say so. Add {example} to it, or "
        f"the key that leads to the owner. {UNTOUCHED}",
    )


def not_a_link(column: str, table: str, owner: str) -> QueryRefused:
    """USING of a column that says nothing about owners."""
    return QueryRefused(
        "people.not-a-link",
        f"USING ({column}) does not lead from {table} to the same {owner}. Write USING ({owner}), and further "
        f"conditions in ON or WHERE. {UNTOUCHED}",
    )


def link_elsewhere(table: str, owner: str) -> QueryRefused:
    """A condition of a join about tables joined before."""
    return QueryRefused(
        "people.link-elsewhere",
        f"This equates two tables that are joined already, in the ON of {table}. Move it to their own ON; the ON of "
        f"{table} says how its rows meet those of the same {owner}. {UNTOUCHED}",
    )


def link_in_where(table: str) -> QueryRefused:
    """A link that stands after an outer join."""
    return QueryRefused(
        "people.link-in-where",
        f"In an outer join the equality that leads to {table} belongs to its ON; in WHERE it would make an inner join "
        f"of it. Move it to ON, or write JOIN. {UNTOUCHED}",
    )


def join_kind(words: str, table: str, owner: str) -> QueryRefused:
    """A kind of join that is not answered."""
    return QueryRefused(
        "people.join-kind",
        f"{words} is not answered. Write JOIN, LEFT JOIN, RIGHT JOIN or FULL JOIN {table} ON ..., which says that the "
        f"{owner} is the same; for rows that have (or have not) others, WHERE EXISTS (or NOT EXISTS). {UNTOUCHED}",
    )


def right_of_several(table: str) -> QueryRefused:
    """A right join behind others."""
    return QueryRefused(
        "people.right-of-several",
        f"RIGHT JOIN {table} is answered beside one table. Begin with it: FROM {table} LEFT JOIN ... {UNTOUCHED}",
    )


def one_alias(alias: str) -> QueryRefused:
    """Two occurrences under one name."""
    return QueryRefused(
        "people.one-alias",
        f"Two tables of the join are called {alias}. Give each a name of its own: FROM {alias} AS a JOIN ... AS b. "
        f"{UNTOUCHED}",
    )


def ambiguous_column(name: str, names: Iterable[str]) -> QueryRefused:
    """A column that several tables have."""
    return QueryRefused(
        "people.ambiguous-column", f"Several tables have a column {name}. Say which: {some(names)}. {UNTOUCHED}"
    )


def too_many_tables(count: int, limit: int) -> QueryRefused:
    """A join longer than any sensible question has."""
    return QueryRefused(
        "people.too-many-tables", f"The question joins {count} tables; at most {limit} are answered. {UNTOUCHED}"
    )


def too_many_existences(count: int, limit: int) -> QueryRefused:
    """More questions in conditions than any sensible question has."""
    return QueryRefused(
        "people.too-many-existences",
        f"The question has {count} different questions in EXISTS and IN; at most {limit} are answered. Put conditions "
        f"on one table into one of them. {UNTOUCHED}",
    )


def question_joined(owner: str) -> QueryRefused:
    """A join with a question in brackets."""
    return QueryRefused(
        "people.question-joined",
        f"A question in brackets is not joined. Join the tables themselves, and gather the joined rows outside: "
        f"SELECT ... FROM (SELECT {owner}, COUNT(*) AS n FROM ... JOIN ... GROUP BY {owner}). {UNTOUCHED}",
    )


def public_first(table: str) -> QueryRefused:
    """A public table whose rows would be there whoever is in the data."""
    return QueryRefused(
        "people.public-first",
        f"{table} is public, so its rows are there without anybody's. Begin with the people's table: FROM ... LEFT "
        f"JOIN {table} ON ...; groups without rows come back with zero anyway. {UNTOUCHED}",
    )


def public_before_full(table: str) -> QueryRefused:
    """A public table that filters one side of a full join."""
    return QueryRefused(
        "people.public-before-full",
        f"JOIN {table} before a FULL JOIN would filter one side of it. Put it behind the FULL JOIN, or write LEFT JOIN "
        f"{table}. {UNTOUCHED}",
    )


def owner_of_absent(name: str, owner: str) -> QueryRefused:
    """The owner of a row that may be absent."""
    return QueryRefused(
        "people.owner-of-absent",
        f"{name} is NULL where an outer join finds no row, so it does not say whose a joined row is. Write {owner} "
        f"alone, or that of the table that is always there; {name} IS NULL asks whether a row was found. {UNTOUCHED}",
    )


def not_an_existence(owner: str) -> QueryRefused:
    """A question in a condition that is not about one table's rows."""
    return QueryRefused(
        "people.not-an-existence",
        f"EXISTS and IN ask whether somebody has rows of one of the people's tables, without joins, aggregates, GROUP "
        f"BY or LIMIT: WHERE EXISTS (SELECT 1 FROM visits AS v WHERE v.{owner} = o.{owner} AND ...). {UNTOUCHED}",
    )


def correlated(owner: str) -> QueryRefused:
    """A question in a condition that compares with rows outside of it."""
    return QueryRefused(
        "people.correlated",
        f"In brackets only the {owner} and keys are compared with the question around them; other conditions are on "
        f"the columns of the table inside. Join the table to compare its columns. {UNTOUCHED}",
    )


def member_of_others(owner: str) -> QueryRefused:
    """IN over something else than owners."""
    return QueryRefused(
        "people.member-of-others",
        f"IN with a question is answered for owners that are always there: o.{owner} IN (SELECT {owner} FROM ...). "
        f"Otherwise write EXISTS (SELECT 1 FROM ... WHERE ...). {UNTOUCHED}",
    )


def too_many_joined(most: int, limit: int) -> QueryRefused:
    """A join in which one person may have very many rows."""
    return QueryRefused(
        "people.too-many-joined",
        f"One person may have {most:,} joined rows in this question, and {limit:,} are answered at most: the time "
        f"that it takes would tell who is there. Join fewer tables, or the same table fewer times. {UNTOUCHED}",
    )


def owner_behind_full(name: str, table: str) -> QueryRefused:
    """An owner without a table before it, where the first table may be absent."""
    return QueryRefused(
        "people.owner-behind-full",
        f"Behind a FULL JOIN the first table may be absent, so {name} alone does not say which rows of {table} are "
        f"meant. Write ON with the table before it: ON {table}.{name} = orders.{name}. {UNTOUCHED}",
    )


def odd_owner(column: str) -> InvalidInput:
    """An owner's column that reads like a column of a joined table."""
    return InvalidInput(
        "people.odd-owner",
        f"The owner's column {column!r} reads like a joined column. Give it a name without a dot that does not begin "
        f"with 'exists '. Nothing was opened.",
    )


# --- questions in brackets ---------------------------------------------------------------------------------------


def too_many_derived(limit: int) -> QueryRefused:
    """More questions in brackets than any sensible question has."""
    return QueryRefused(
        "people.too-many-derived",
        f"More than {limit} questions in brackets are joined or rank rows. Put conditions on one table into one of "
        f"them. {UNTOUCHED}",
    )


def derived_column(written: str) -> QueryRefused:
    """Something else than a column, an aggregate or a window in brackets."""
    return QueryRefused(
        "people.derived-column",
        f"{written[:80]} is computed inside brackets that are joined or rank rows. There, columns, aggregates and "
        f"windows stand by themselves, each with a name; compute with them outside. {UNTOUCHED}",
    )


def derived_twice(name: str) -> QueryRefused:
    """Two columns of one name in brackets."""
    return QueryRefused(
        "people.derived-twice",
        f"Two columns in brackets are called {name}. Give each a name of its own with AS. {UNTOUCHED}",
    )


def derived_of_derived(owner: str) -> QueryRefused:
    """Brackets in brackets, of which the inner ones filter or rename."""
    return QueryRefused(
        "people.derived-of-derived",
        f"Brackets that are joined or rank rows are about tables, joins of them on the {owner}, or other such "
        f"brackets. Put the conditions of the inner ones into one WHERE. {UNTOUCHED}",
    )


def derived_clause(clause: str, owner: str) -> QueryRefused:
    """A clause that has no meaning for the rows of one owner."""
    return QueryRefused(
        "people.derived-clause",
        f"{clause} is not answered inside brackets that are joined or rank rows: what it leaves of one {owner}'s rows "
        f"would depend on those of others. For the first rows of each {owner} write QUALIFY ROW_NUMBER() OVER "
        f"(PARTITION BY {owner} ORDER BY ...) <= 3. {UNTOUCHED}",
    )


def owner_renamed(name: str, owner: str) -> QueryRefused:
    """The owner's column under another name."""
    return QueryRefused(
        "people.owner-renamed",
        f"In brackets {owner} is called {name}, and tables meet on {owner}. Leave its name as it is. {UNTOUCHED}",
    )


def distinct_rows(owner: str) -> QueryRefused:
    """DISTINCT of values."""
    return QueryRefused(
        "people.distinct-rows",
        f"DISTINCT in brackets is answered for owners: SELECT DISTINCT {owner} FROM .... For values of each {owner}, "
        f"gather them: SELECT {owner}, value, COUNT(*) AS n FROM ... GROUP BY {owner}, value. {UNTOUCHED}",
    )


def window_of_others(written: str, owner: str) -> QueryRefused:
    """A window that looks at rows of several people."""
    return QueryRefused(
        "people.window-of-others",
        f"{written[:80]} compares rows of different people. Windows on protected rows are answered within one "
        f"{owner}: OVER (PARTITION BY {owner} ORDER BY ...). {UNTOUCHED}",
    )


def window_frame(written: str, owner: str) -> QueryRefused:
    """A frame of a window."""
    return QueryRefused(
        "people.window-frame",
        f"{written[:80]} has a frame, FILTER or IGNORE NULLS. Windows within one {owner} run over all rows of the "
        f"{owner}, or up to the row at hand with ORDER BY: leave the rest out. {UNTOUCHED}",
    )


def window_without_order(written: str) -> QueryRefused:
    """Ranks of rows in no order."""
    return QueryRefused(
        "people.window-without-order",
        f"{written[:80]} ranks rows that are in no order. Say by which declared column: ORDER BY day. {UNTOUCHED}",
    )


def window_without_name(written: str) -> QueryRefused:
    """A window that nothing can refer to."""
    return QueryRefused(
        "people.window-without-name", f"{written[:80]} has no name. Write ... OVER (...) AS place. {UNTOUCHED}"
    )


def window_not_answered(written: str, owner: str) -> QueryRefused:
    """A function that is not answered within an owner."""
    return QueryRefused(
        "people.window-not-answered",
        f"{written[:80]} is not answered within one {owner}. ROW_NUMBER, RANK, DENSE_RANK, LAG, LEAD and FIRST_VALUE "
        f"of declared columns are, and COUNT, SUM, MIN and MAX of numbers, MIN and MAX of days. {UNTOUCHED}",
    )


def cap_beyond_product(rows: int, most: int, owner: str) -> InvalidInput:
    """A cap on joined rows that no owner can reach."""
    return InvalidInput(
        "people.cap-beyond-product",
        f"rows_per_user = {rows} caps nothing: by the caps of its tables one {owner} has at most {most} rows of this "
        f"join. {UNTOUCHED} Leave it out, or give less than {most}.",
    )
