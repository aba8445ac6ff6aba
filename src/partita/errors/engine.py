"""What is said when an engine cannot be used, or fails."""

from __future__ import annotations

from partita.errors.base import EngineFault, InvalidInput


def fault() -> EngineFault:
    """The one error of an engine: the same words whatever happened, so that they tell nothing about a row."""
    return EngineFault(
        "engine.fault",
        "The question could not be computed. It stays charged, because rows may have been read; asking again costs "
        "nothing more with the same key. The operator's log says what happened.",
    )


def never_computed() -> EngineFault:
    """A question that failed on a table without rows, before it was charged: it would fail on every table."""
    return EngineFault(
        "engine.never-computed",
        "The question cannot be computed: it failed on a table without rows, so it would fail whatever the rows are. "
        "No row was read and nothing is charged for it. The operator's log says what happened.",
    )


def not_attached(table: str) -> InvalidInput:
    """A question about a table that the engine was not opened with."""
    return InvalidInput(
        "engine.not-attached", f"The engine was not opened with the table {table!r}. Open it with all tables."
    )


def other_declaration(table: str) -> InvalidInput:
    """An engine that maps stored values into another domain than the one that prices are proven for."""
    return InvalidInput(
        "engine.other-declaration",
        f"The engine was opened with another declaration of the table {table!r}: it would read rows as that one says. "
        f"Open it with the tables of the curator, or give the name of a backend.",
    )


def opened_for_people() -> InvalidInput:
    """An engine that was open before the ledger could say which rows of people are kept."""
    return InvalidInput(
        "engine.opened-for-people",
        "An engine that is open already cannot serve a promise on people across tables, nor one that was opened for "
        "people any other promise: the ledger's key decides which rows are kept. Give the name of a backend, as in "
        "backend='duckdb'.",
    )


def bad_threads(value: object) -> InvalidInput:
    """A number of threads that cannot be used."""
    return InvalidInput(
        "engine.bad-threads", f"threads = {value!r} is not a number of threads. Give a whole number, 1 or more."
    )


def does_not_grow(kind: str) -> InvalidInput:
    """An engine that holds no batches of rows."""
    return InvalidInput(
        "engine.does-not-grow",
        f"The engine {kind!r} cannot take in batches of rows. Use backend='duckdb', given by its name. Nothing was "
        f"read and nothing is lost.",
    )


def fixes_no_rows(kind: str) -> InvalidInput:
    """An engine that cannot say whether the rows it keeps of owners are still the same."""
    return InvalidInput(
        "engine.fixes-no-rows",
        f"The engine {kind!r} does not tell whether the rows that it keeps of users are the same as before, so a "
        f"promise to users cannot be kept with it. Use backend='duckdb'.",
    )


def keeps_no_rows(kind: str) -> InvalidInput:
    """An engine that cannot hold people's rows."""
    return InvalidInput(
        "engine.keeps-no-rows",
        f"The engine {kind!r} does not keep the rows of people across tables. Use backend='duckdb'.",
    )


def no_driver(backend: str, package: str) -> InvalidInput:
    """An engine whose driver is not installed."""
    return InvalidInput(
        "engine.no-driver",
        f"The engine {backend!r} needs the package {package}. Install the extra partita[{backend}].",
    )


def needs_address(backend: str) -> InvalidInput:
    """An engine that is a server, without its address."""
    return InvalidInput(
        "engine.needs-address",
        f'The engine {backend!r} reads tables of a server. Say where it is: database="postgresql://...". '
        f"Nothing was read.",
    )


def needs_no_address(backend: str) -> InvalidInput:
    """An address for an engine that is no server."""
    return InvalidInput(
        "engine.needs-no-address",
        f'The engine {backend!r} is no server: leave database= out, or say backend="postgres". Nothing was read.',
    )


def no_address(given: object) -> InvalidInput:
    """An address that is none; what was given may hold a password, and only its type is shown."""
    return InvalidInput(
        "engine.no-address",
        f"database= is no address{'' if given is None else f' but a {type(given).__name__}'}. Give one such as "
        f'"postgresql://reader@db.example/clinic", or a table of address, superuser, views and timeout.',
    )


def bad_database(option: str, advice: str) -> InvalidInput:
    """A setting of a server that cannot be used."""
    return InvalidInput("engine.bad-database", f"database: {option} cannot be used. {advice}")


def unreachable(server: str) -> InvalidInput:
    """A server that does not let us in."""
    return InvalidInput(
        "engine.unreachable",
        f"The server {server} cannot be used: it does not answer, or not to this name and password. The operator's log "
        f"says what it said. Nothing was read and nothing is charged.",
    )


def old_server(version: int) -> InvalidInput:
    """A server of a version that is not supported."""
    return InvalidInput(
        "engine.old-server", f"The server is PostgreSQL {version}. Version 14 and later are read. Nothing was read."
    )


def other_encoding(encoding: str) -> InvalidInput:
    """A database whose texts are other bytes than everywhere else."""
    return InvalidInput(
        "engine.other-encoding",
        f"The database is encoded in {encoding}. Only UTF8 is read: which rows of an owner are kept follows from the "
        f"bytes of texts. Nothing was read.",
    )


def superuser(role: str) -> InvalidInput:
    """A role that may do everything."""
    return InvalidInput(
        "engine.superuser",
        f"The role {role!r} is a superuser, and a curator needs no more than SELECT on the declared tables. Give it a "
        f'role of its own, or allow this one: database = {{ address = "...", superuser = true }}. Nothing was read.',
    )


def no_relation_name(table: str) -> InvalidInput:
    """A source that names no table of a server."""
    return InvalidInput(
        "engine.no-relation-name",
        f'Table {table}: its source is no table of the server. Give schema and name, as in source="public.visits".',
    )


def no_relation(table: str, relation: str) -> InvalidInput:
    """A table that the server does not have."""
    return InvalidInput(
        "engine.no-relation",
        f"Table {table}: the server has no table {relation}. Names are written as they are stored there, large and "
        f"small letters included. Nothing was read.",
    )


def no_right(table: str, relation: str) -> InvalidInput:
    """A table that the role may not read."""
    return InvalidInput(
        "engine.no-right",
        f"Table {table}: the role may not read {relation}. Grant it USAGE on the schema and SELECT on the table. "
        f"Nothing was read.",
    )


def computed_rows(table: str, relation: str) -> InvalidInput:
    """A view, a foreign table or a virtual column: what computes it may fail on one row, and so tell of it."""
    return InvalidInput(
        "engine.computed-rows",
        f"Table {table}: {relation} is a view, a foreign table or has columns that are computed when they are read. "
        f"What computes them may fail on a row, and no proof covers it. Store the rows in a table or a materialised "
        f'view; or, if no row can ever fail it, allow it: database = {{ address = "...", views = true }}.',
    )


def no_cluster(given: object) -> InvalidInput:
    """A place for Spark that is none."""
    return InvalidInput(
        "engine.no-cluster",
        f"database= says nothing of Spark but is a {type(given).__name__}. Give a master such as "
        f'"local[4]", an open SparkSession, or a table of master, folder and session; or leave it out.',
    )


def bad_cluster(option: str, advice: str) -> InvalidInput:
    """A setting of Spark that cannot be used."""
    return InvalidInput("engine.bad-cluster", f"database: {option} cannot be used. {advice}")


def not_classic() -> InvalidInput:
    """A session that speaks to Spark from afar."""
    return InvalidInput(
        "engine.not-classic",
        "The session is none of Spark's own: one of Spark Connect keeps no settings that others cannot change. Give a "
        'classic session, or a master such as "spark://host:7077". Nothing was read.',
    )


def no_spark() -> InvalidInput:
    """Spark that does not start."""
    return InvalidInput(
        "engine.no-spark",
        "Spark cannot be used: it needs Java 17 or later, and a master that answers. The operator's log says what it "
        "said. Nothing was read and nothing is charged.",
    )


def needs_a_folder() -> InvalidInput:
    """Several machines, and no folder that all of them can use."""
    return InvalidInput(
        "engine.needs-a-folder",
        "Spark runs on other machines, and sanitised rows are kept where all of them can read. Say where: "
        'database = { master = "...", folder = "hdfs://.../curator" }. Nothing was read.',
    )


def no_table(table: str, relation: str) -> InvalidInput:
    """A table that the catalogue does not have."""
    return InvalidInput(
        "engine.no-table",
        f"Table {table}: Spark has no table {relation}. A file is given by its path, with a / in it or .parquet at "
        f"its end. Nothing was read.",
    )


def no_spark_source(table: str) -> InvalidInput:
    """Rows that Spark does not hold."""
    return InvalidInput(
        "engine.no-spark-source",
        f"Table {table}: the engine 'spark' reads parquet files, tables of its catalogue and Spark's own data frames. "
        f"Rows that are in memory are read by backend='duckdb'. Nothing was read.",
    )


def too_many_rows(table: str, most: int) -> InvalidInput:
    """More rows than sums are proven for."""
    return InvalidInput(
        "engine.too-many-rows",
        f"Table {table} has more than {most:,} rows, for which sums are no longer proven to be exact. Nothing was "
        f"charged. Declare parts of it as tables of their own.",
    )


def reads_no_words(kind: str) -> InvalidInput:
    """A condition on open text, or a key made from it, whose functions differ between engines."""
    return InvalidInput(
        "engine.reads-no-words",
        f"The engine {kind!r} has no conditions on open text, nor groups made from it by functions: its functions of "
        f"texts are not proven to be those of the others. Declare the column as categories, or use backend='duckdb'. "
        f"No row was read and nothing is charged.",
    )


def changed_types(table: str) -> InvalidInput:
    """Columns that are not what they were when the engine was opened."""
    return InvalidInput(
        "engine.changed-types",
        f"The columns of {table} are not of the types they had when the engine was opened. Open it again.",
    )
