"""What is said of tables that cannot be declared, read or joined: protected ones, and public ones."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import Caution, InvalidInput, QueryRefused
from partita.errors.wording import UNTOUCHED, shown, some


def bad_table_name(name: object) -> InvalidInput:
    """A table whose name could not be written in a question."""
    return InvalidInput(
        "query.bad-table-name",
        f"{shown(name)} is not a name for a table. Use letters, digits and _, beginning with a letter.",
    )


def two_owners(table: str, columns: tuple[str, ...]) -> InvalidInput:
    """A row can belong to one person only."""
    return InvalidInput(
        "query.two-owners",
        f"Table {table} declares {' and '.join(columns)} as identifier(). A row belongs to one owner: keep one of "
        f"them, and declare the others as text_keys().",
    )


def unknown_owner(table: str, owner: str, columns: tuple[str, ...]) -> InvalidInput:
    """An owner that is not the column declared as identifier()."""
    known = f"only {columns[0]} is" if columns else "no column is"
    return InvalidInput(
        "query.unknown-owner",
        f"Table {table}: owner = {shown(owner)}, but {known} declared as identifier(). "
        f"Declare the column that says whom a row belongs to as identifier().",
    )


def no_source(table: str) -> InvalidInput:
    """The custodian's file does not say where the rows are."""
    return InvalidInput(
        "query.no-source",
        f'[tables.{table}] has no source. Write source = "{table}.parquet", a CSV file, or the backend\'s table name.',
    )


def no_declared_columns(table: str) -> InvalidInput:
    """The custodian's file does not say what the columns may hold."""
    return InvalidInput(
        "query.no-declared-columns",
        f"[tables.{table}.columns] is missing or empty. Declare what each column may hold, for example "
        f"age = {{ integers = [0, 120] }}.",
    )


def unknown_setting(place: str, name: str, known: tuple[str, ...]) -> InvalidInput:
    """A setting that does not exist is more often a slip than a wish."""
    return InvalidInput("query.unknown-setting", f"[{place}] has no setting {name!r}. It may have {', '.join(known)}.")


def bad_declaration(place: str, value: object) -> InvalidInput:
    """A column in the custodian's file that cannot be read."""
    return InvalidInput(
        "query.bad-declaration",
        f"{place} = {shown(value)} does not declare a column. Write for example {{ integers = [0, 120] }}, "
        f'{{ decimals = [0, 20000], step = "0.01" }}, {{ categories = ["F", "M"] }}, "booleans" or "identifier".',
    )


def unknown_declaration(place: str, kind: str, known: tuple[str, ...]) -> InvalidInput:
    """A kind of column that does not exist."""
    return InvalidInput(
        "query.unknown-declaration", f"{place}: there are no columns of kind {kind!r}. Use {some(known)}."
    )


def unknown_source(table: str, value: object) -> InvalidInput:
    """Rows that cannot be read from what was given."""
    return InvalidInput(
        "query.unknown-source",
        f"Table {table}: rows cannot be read from {shown(value)}. Give the path of a .parquet, .csv, .csv.gz or "
        f".jsonl file or of a folder of .parquet files, pt.csv(...) or pt.duckdb(...), a pandas, polars or Arrow "
        f"table, an Arrow stream, or a list of rows.",
    )


def not_sealed() -> InvalidInput:
    """A batch that could not be sealed, for whatever reason: its rows are told of to the operator alone."""
    return InvalidInput(
        "query.not-sealed",
        "The rows could not be sealed. None of them is read by any question, and what was sealed before is as it was. "
        "The operator's log says what happened.",
    )


def unreadable_source(table: str) -> InvalidInput:
    """A file that is damaged, or not what its name says."""
    return InvalidInput(
        "query.unreadable-source",
        f"Table {table}: its rows cannot be read: the file is damaged, or is not well-formed (a quotation mark inside "
        f"a value that does not stand in quotation marks from end to end, a line break inside a value, lines that end "
        f"differently, two columns of one name, a type that is not supported). Nothing was charged. Say how it is "
        f"written (pt.csv, or [tables.{table}.reading]), or save it anew, best as parquet. The custodian finds the "
        f"line with `partita check`, and in the operator's log.",
    )


def no_one_text(table: str, column: str, stored_type: str) -> InvalidInput:
    """Names, keys and identifiers are compared as texts, and values of this type have several."""
    return InvalidInput(
        "query.no-one-text",
        f"Table {table}: the column {column} is stored as {stored_type}, and is declared as names, keys or an "
        f"identifier, which are compared as texts. How such a value is written depends on the tool that wrote it, and "
        f"on the other rows. Nothing was charged. Store it as text, whole numbers or days.",
    )


def unfit_type(table: str, column: str, kind: str, stored_type: str) -> InvalidInput:
    """A column whose stored type holds nothing of what is declared: every value would be a missing one."""
    return InvalidInput(
        "query.unfit-type",
        f"Table {table}: the column {column} is declared as {kind} and stored as {stored_type}, in which there are "
        f"none: every value would be a missing one. Nothing was charged. Declare it as what it holds, or store it in "
        f"another type.",
    )


def unfit_guess(table: str, column: str, kind: str, stored_type: str) -> Caution:
    """A column whose type, as it was guessed from its rows, holds nothing of what is declared."""
    return Caution(
        "query.unfit-guess",
        f"Table {table}: the column {column} is declared as {kind} and holds {stored_type}, in which there are none: "
        f"every value counts as a missing one. Declare it as what it holds, or change its type in the frame.",
    )


def times_as_days(table: str, column: str, stored_type: str) -> Caution:
    """Times of day that a declaration as days drops, so that conditions on it mean days."""
    return Caution(
        "query.times-as-days",
        f"Table {table}: the column {column} is stored as {stored_type} and declared as dates. Times of day are "
        f"dropped before anything else, so that {column} = '2025-03-04' is that whole day and {column} BETWEEN "
        f"'2025-03-04' AND '2025-03-10' counts all of the last one, where SQL on the stored times would stop at its "
        f"midnight. Declare it as timestamps to keep the times, or store CAST({column} AS DATE) to say so yourself.",
    )


def pattern(table: str, path: object) -> InvalidInput:
    """A file whose name means other files to the engine."""
    return InvalidInput(
        "query.pattern",
        f"Table {table}: the path {shown(str(path))} has one of the signs * ? [ in it, by which the database would "
        f"look for other files. Nothing was read. Rename the file, or its folder.",
    )


def no_utf8() -> InvalidInput:
    """A name, a key or an owner that no file could hold."""
    return InvalidInput(
        "query.no-utf8",
        "A stored name, key or identifier is a text that has no UTF-8 (half a surrogate pair, as Python makes of "
        "bytes that it could not read). Nothing was charged. Read the source in its own encoding.",
    )


def old_statistics(table: str, path: object) -> InvalidInput:
    """A parquet file whose statistics of texts nobody may use."""
    return InvalidInput(
        "query.old-statistics",
        f"Table {table}: the file {shown(str(path))} was written by an old tool, whose statistics of texts are "
        f"wrong where a text has letters beyond ASCII. Nothing was charged. Write it anew with a newer tool.",
    )


def absent_source(table: str, path: object) -> InvalidInput:
    """A file that is not there."""
    further = "Nothing is fetched from addresses. Give the path of a file." if "://" in str(path) else "Check the path."
    return InvalidInput("query.absent-source", f"Table {table}: there is no file {shown(str(path))}. {further}")


def absent_column(table: str, column: str, stored: Iterable[str]) -> InvalidInput:
    """A declared column that the rows do not have."""
    return InvalidInput(
        "query.absent-column",
        f"Table {table} declares the column {column!r}, which its source does not have. It has {some(stored)}.",
    )


def no_owner(table: str, unit: str) -> InvalidInput:
    """A promise on users needs a table that says whose rows they are."""
    return InvalidInput(
        "query.no-owner",
        f"The promise protects {unit}, and table {table} does not name that owner. "
        f"Declare the column as identifier() in columns=.",
    )


def unlike_caps(table: str) -> InvalidInput:
    """Two truncations at once would undo each other's guarantee."""
    return InvalidInput(
        "query.unlike-caps",
        f"Two promises on users of table {table} divide its owners differently. One fixed truncation can serve one "
        f"division: keep one of them, or use the same column and the same per= in both.",
    )


# --- public tables --------------------------------------------------------------------------------------------------


def bad_public_name(name: object) -> InvalidInput:
    """A public table whose name could not be written in a question."""
    return InvalidInput(
        "public.bad-name",
        f"{shown(name)} is not a name for a public table. Use letters, digits and _, beginning with a letter.",
    )


def taken_name(name: str) -> InvalidInput:
    """Two tables with one name."""
    return InvalidInput("public.taken-name", f"Two tables are called {name!r}. Give the public table another name.")


def not_a_public_table(value: object) -> InvalidInput:
    """Something else where a public table is expected."""
    return InvalidInput(
        "public.not-a-public-table",
        f'{shown(value)} is not a public table. Write public=[pt.PublicTable("clinics", "clinics.csv", key="clinic")].',
    )


def too_many_public_rows(table: str, rows: int, most: int) -> InvalidInput:
    """A lookup table larger than any declared column that it could describe."""
    return InvalidInput(
        "public.too-many-rows",
        f"Public table {table} has {rows} rows; at most {most} are read. Keep the rows whose keys are declared values.",
    )


def no_public_key(table: str, key: str, columns: Iterable[str]) -> InvalidInput:
    """The key of a public table is none of its columns."""
    return InvalidInput(
        "public.no-key", f"Public table {table} has no column {key!r} for its key. It has {some(columns)}."
    )


def repeated_public_column(table: str, column: str) -> InvalidInput:
    """A public table with two columns of one name, whatever their capitals."""
    return InvalidInput("public.repeated-column", f"Public table {table} has two columns called {column!r}.")


def repeated_key(table: str, key: str, value: object, most: int = 1) -> InvalidInput:
    """More rows of the public table for one key than were declared."""
    return InvalidInput(
        "public.repeated-key",
        f"Public table {table} has more than {most} {'row' if most == 1 else 'rows'} with {key} = {shown(str(value))}. "
        f"Keep one row for each key, or say how many there may be: fanout=3 (for questions about people).",
    )


def fan_of_rows(table: str, most: int) -> QueryRefused:
    """A public table with several rows for a key, joined where rows are not counted by people."""
    return QueryRefused(
        "public.fan-out",
        f"{table} has up to {most} rows for one key, so that one row would become several: that is answered under a "
        f"promise pt.persons(column, rows=...) alone, in SQL. {UNTOUCHED} Declare a public table with one row for each "
        f"key, or write WHERE column IN (...) with the keys you want.",
    )


def too_many_fanned(table: str, count: int, limit: int) -> QueryRefused:
    """More public rows than one statement spells out."""
    return QueryRefused(
        "public.too-many-fanned",
        f"{count:,} rows of {table} are met by the declared values, and at most {limit:,} are joined where there are "
        f"several for one key. {UNTOUCHED} Declare a public table with the rows that you need.",
    )


def mixed_facts(table: str, column: str) -> QueryRefused:
    """A public column that is no column of one kind."""
    return QueryRefused(
        "public.mixed-facts",
        f"Column {column} of public table {table} holds facts of several kinds, or numbers without a common decimal "
        f"step: with several rows for one key it must be one of numbers, texts, days or truth values. {UNTOUCHED}",
    )


def fan_in_on(table: str) -> QueryRefused:
    """A column of a public table in the condition of an outer join."""
    return QueryRefused(
        "public.fan-in-on",
        f"A column of {table}, which has several rows for one key, cannot stand in the ON of a LEFT or FULL JOIN. "
        f"Write the condition in WHERE, or join on it with JOIN. {UNTOUCHED}",
    )


def unknown_public_source(table: str, value: object) -> InvalidInput:
    """Rows that cannot be read from what was given."""
    return InvalidInput(
        "public.unknown-source",
        f"Public table {table}: rows cannot be read from {shown(value)}. Give the path of a .parquet or .csv file, a "
        f"pandas, polars or Arrow table, or a list of rows.",
    )


def unreadable_public_table(table: str, path: str) -> InvalidInput:
    """A file that is absent or damaged."""
    return InvalidInput("public.unreadable", f"Public table {table}: the file {path!r} cannot be read. Check the path.")


def not_a_fact(table: str, column: str, value: object) -> InvalidInput:
    """A value that is neither number, text, truth nor day."""
    return InvalidInput(
        "public.not-a-fact",
        f"Public table {table}, column {column}: {shown(value)} is neither a number, a text, a truth nor a day.",
    )


# --- joins -----------------------------------------------------------------------------------------------------


def private_join(table: str) -> QueryRefused:
    """A join of two protected tables."""
    return QueryRefused(
        "public.private-join",
        f"{table} is protected as well, and one of its rows could then meet many rows of the other. Ask about each "
        f"table by itself, or let the custodian join them and declare the result. Public tables can be joined. "
        f"{UNTOUCHED}",
    )


def unknown_join(name: str, known: Iterable[str]) -> QueryRefused:
    """A table that is not declared public."""
    listed = list(known)
    there = f"Public tables are: {some(listed)}" if listed else "No public table is declared"
    return QueryRefused(
        "public.unknown-join",
        f"There is no public table {name!r} to join. {there}. The custodian declares one with "
        f"public=[PublicTable(...)]. {UNTOUCHED}",
    )


def join_condition(table: str, key: str) -> QueryRefused:
    """A join that is not on the key of the public table."""
    return QueryRefused(
        "public.join-condition",
        f"{table} is joined on its key and on nothing else: each row may meet one row of it. Write "
        f"JOIN {table} ON {table}.{key} = column, with a declared column. {UNTOUCHED}",
    )


def join_kind(kind: str) -> QueryRefused:
    """A join that could add rows."""
    return QueryRefused(
        "public.join-kind",
        f"{kind} could add rows that are in neither table. Write JOIN or LEFT JOIN. {UNTOUCHED}",
    )


def natural_join(table: str, key: str) -> QueryRefused:
    """A join that leaves unsaid which columns are compared."""
    return QueryRefused(
        "public.natural-join",
        f"NATURAL JOIN leaves unsaid which columns are compared. Write JOIN {table} USING ({key}). {UNTOUCHED}",
    )


def better_joined(table: str, key: str) -> QueryRefused:
    """A question about a public table inside a condition."""
    return QueryRefused(
        "public.better-joined",
        f"{table} is public: join it, JOIN {table} ON {table}.{key} = column, and write the condition on its columns "
        f"into WHERE; or list its keys, column IN (SELECT {key} FROM {table} WHERE ...). {UNTOUCHED}",
    )


def too_large_to_join(column: str, size: int, most: int) -> QueryRefused:
    """A column with too many values to look each of them up beforehand."""
    return QueryRefused(
        "public.too-large-to-join",
        f"{column} has {size} possible values, and facts are looked up beforehand for at most {most}. Join on a column "
        f"with fewer values. {UNTOUCHED}",
    )


def too_many_numbers(name: str, numbers: int, most: int) -> QueryRefused:
    """A column of a public table with too many different numbers to compute with."""
    return QueryRefused(
        "public.too-many-numbers",
        f"{name} takes {numbers} different values from a public table, and at most {most} are computed with. Round "
        f"them, as in ROUND({name} / 10) * 10, narrow them in the public table, or let the custodian declare {name} as "
        f"a column of the protected table. {UNTOUCHED}",
    )


def facts_not_numbers(name: str) -> QueryRefused:
    """A column of a public table that holds texts, truths or dates where numbers are needed."""
    return QueryRefused(
        "public.not-numbers",
        f"{name} takes other values than numbers from a public table, so it cannot be computed with. Group by it, or "
        f"compare it in WHERE. {UNTOUCHED}",
    )


def ambiguous(name: str, tables: Iterable[str]) -> QueryRefused:
    """A column of two tables."""
    return QueryRefused(
        "public.ambiguous", f"{name} is a column of {' and of '.join(tables)}. Write table.{name}. {UNTOUCHED}"
    )


def open_condition(name: str) -> QueryRefused:
    """A condition on open text of a kind that is not asked of an engine."""
    return QueryRefused(
        "query.open-condition",
        f"Of {name}, which holds open text, conditions are =, <>, IN, IS NULL, LIKE, ILIKE, STARTS_WITH, ENDS_WITH, "
        f"CONTAINS and REGEXP_MATCHES with written texts, of {name} itself or of LOWER, UPPER, TRIM, LEFT, RIGHT, "
        f"SUBSTR, SPLIT_PART, REPLACE by nothing longer, or COALESCE of it, and LENGTH({name}) or STRPOS({name}, 'a') "
        "compared with a number. Patterns of LIKE have no backslash, and beside _ at most one % and 32 signs; regular "
        f"expressions have no references, look around nowhere, and are short. {UNTOUCHED}",
    )


def open_number(name: str, most: int) -> QueryRefused:
    """A number that open text says, between ends that are too far apart."""
    return QueryRefused(
        "query.open-number",
        f"A number that {name} says is one of at most {most}, and 0 at least. {UNTOUCHED} Write "
        f"CLAMP(LENGTH({name}), 0, 200) with the longest text that shall count.",
    )


def zones_unclear() -> QueryRefused:
    """AT TIME ZONE of something that is no declared moment, or of several zones."""
    return QueryRefused(
        "query.zones-unclear",
        "AT TIME ZONE is answered of a column that is declared with timestamps(...), and gives what clocks of another "
        f"zone show then: seen AT TIME ZONE 'Europe/Berlin'. The declared zone may stand before it. {UNTOUCHED}",
    )
