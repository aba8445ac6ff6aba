"""Protected tables: where the rows are, what each column may hold in public, and whom a row belongs to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import isdir
from pathlib import Path
from typing import Any, final

from partita.calls import made_by_name
from partita.errors.query import tables as refuse
from partita.exact import whole
from partita.notebook import InWords
from partita.query.tables.sources import CSV_OPTIONS, DATABASE_OPTIONS, PATTERN, Delimited, read_as, same_rows
from partita.region.columns import (
    Column,
    Identifier,
    booleans,
    categories,
    dates,
    decimals,
    identifier,
    integers,
    key,
    timestamps,
)
from partita.region.columns import text_keys as open_keys
from partita.region.columns.reading import PLAIN
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain


@final
@made_by_name
@dataclass(frozen=True, init=False, eq=False)
class Table(InWords):
    """A table of protected rows.

    ``source`` is the path of a parquet or CSV file, of lines of JSON, of a folder or a pattern of parquet files, what
    ``pt.csv``, ``pt.duckdb`` or ``pt.database`` say, a pandas, polars or Arrow table, an Arrow stream, or a list of
    rows.
    ``columns`` says in public what each column may hold; columns that are not declared are never read.
    Whom a row belongs to is the column declared as ``identifier()``. ``people`` is a public lower bound on
    how many there are, against which the δ of a promise is judged.

    >>> visits = Table("visits", source="visits.parquet", columns={"patient": identifier(), "age": integers(0, 120)})
    >>> visits.owner, visits.domain.axes
    ('patient', ('age',))
    """

    name: str
    source: object = field(repr=False)
    domain: Domain
    owner: str | None
    people: int | None
    batch: int | None
    """The last batch of rows that a question about the table reads; None where its source is read as it is."""

    def __init__(
        self,
        name: str,
        source: object,
        columns: Mapping[str, Column] | Domain,
        owner: str | None = None,
        people: int | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise refuse.bad_table_name(name)
        domain = columns if isinstance(columns, Domain) else Domain(columns)
        if isinstance(source, Delimited):
            domain = _read_under(domain, source)
        named = [column for column, kind in domain.columns.items() if isinstance(kind, Identifier)]
        if len(named) > 1:
            raise refuse.two_owners(name, tuple(named))
        if owner is not None and owner not in named:
            raise refuse.unknown_owner(name, owner, tuple(named))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "owner", named[0] if named else None)
        object.__setattr__(self, "people", None if people is None else whole(people, "people", least=1))
        object.__setattr__(self, "batch", None)

    def sealed(self, batch: int | None) -> Table:
        """The same table with the rows of all batches up to this one."""
        made = Table(self.name, self.source, self.domain, people=self.people)
        object.__setattr__(made, "batch", batch)
        return made

    @property
    def columns(self) -> Mapping[str, Column]:
        """What each column may hold, in the order declared."""
        return self.domain.columns

    @cached_property
    def digest(self) -> str:
        """A fingerprint of what was declared: name, columns, owner and how a file is read, not where the rows are."""
        declared = {"name": self.name, "owner": self.owner, **self.domain.describe()}
        if isinstance(self.source, Delimited):
            declared["file"] = self.source.describe()
        return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()

    @property
    def version(self) -> str:
        """What was declared, and which batches of rows are read: two questions about one version read the same rows."""
        return self.digest if self.batch is None else f"{self.digest} batch {self.batch}"

    def same_rows(self, other: Table) -> bool:
        """Whether two declarations read the same rows, so that they must share one account."""
        return same_rows(self.source, other.source)

    def __str__(self) -> str:
        from partita.query.tables.holding import listed

        return "\n".join(listed(self.name, self.columns))

    def describe(self) -> dict[str, object]:
        """The declaration as plain data, without the source."""
        return {"name": self.name, **self.domain.describe()}


def without_batch(canonical: str) -> str:
    """A question in its normal form as it would be about rows that are read where they were declared.

    >>> without_batch("table visits 5f0c batch 3\\nwhere TRUE")
    'table visits 5f0c\\nwhere TRUE'
    """
    return re.sub(r"\A(table \S+ \S+) batch [0-9]+$", r"\1", canonical, flags=re.MULTILINE)


def texts(table: Table) -> tuple[str, ...]:
    """The columns of open texts that a row is known by besides its declared values: keys to name, then keys that link.

    >>> texts(Table("t", [], {"order": key(), "age": integers(0, 120), "term": open_keys()}))
    ('term', 'order')
    """
    return tuple(name for kind in ("text_keys", "key") for name, column in table.columns.items() if column.kind == kind)


def from_toml(name: str, settings: Mapping[str, object], base: Path | None = None) -> Table:
    """A table as ``partita.toml`` declares it.

    >>> settings = {
    ...     "source": "visits.parquet",
    ...     "columns": {"age": {"integers": [0, 120]}, "sex": {"categories": ["F"]}},
    ... }
    >>> from_toml("visits", settings).domain.axes
    ('age', 'sex')
    """
    unknown = sorted(set(settings) - set(_TABLE))
    if unknown:
        raise refuse.unknown_setting(f"tables.{name}", unknown[0], _TABLE)
    source, declared = settings.get("source"), settings.get("columns")
    if not isinstance(source, str) or not source:
        raise refuse.no_source(name)
    if not isinstance(declared, Mapping) or not declared:
        raise refuse.no_declared_columns(name)
    columns = {str(column): _declared(name, str(column), value) for column, value in declared.items()}
    path = Path(source)
    if base is not None and _FILE.match(source):
        source = f"sqlite:///{base / source.removeprefix('sqlite:///')}"
    elif (
        base is not None
        and "://" not in source
        and not path.is_absolute()
        and (path.suffix or PATTERN & set(source) or isdir(base / path))
    ):
        source = str(base / path)
    people: Any = settings.get("people")
    options = settings.get("reading")
    if options is None and "://" in source:
        options = {}
    if options is None:
        return Table(name, source, columns, people=people)
    if not isinstance(options, Mapping):
        raise refuse.bad_declaration(f"tables.{name}.reading", options)
    known = DATABASE_OPTIONS if "://" in source else (*CSV_OPTIONS, "table")
    strange = sorted(set(options) - set(known))
    if strange:
        raise refuse.unknown_setting(f"tables.{name}.reading", strange[0], known)
    return Table(name, read_as(source, options), columns, people=people)


def _read_under(domain: Domain, file: Delimited) -> Domain:
    """The domain whose columns are read as their file is written, where they do not say otherwise themselves."""
    if file.reading == PLAIN:
        return domain
    columns: dict[str, Column] = {}
    for name, column in domain.columns.items():
        under = (column.reading or PLAIN).under(file.reading, numbers=isinstance(column, Stepped))
        columns[name] = column if under == (column.reading or PLAIN) else replace(column, reading=under)  # type: ignore[type-var]
    return Domain(columns)


# A file of SQLite by a path that is not absolute: it is looked for beside the settings, as every file is.
_FILE = re.compile(r"sqlite:///(?![/:]|file:|\Z)")
_TABLE = ("source", "columns", "people", "reading")
_TEXTS = ("decimal", "thousands", "unit", "format", "true", "false", "null")
_SETTINGS = ("missing", "constant", "step", "zone", "other", *_TEXTS)


def _declared(table: str, name: str, value: object) -> Column:
    """One column: a word such as "identifier", or a table such as {integers = [0, 120], missing = 0}."""
    place = f"tables.{table}.columns.{name}"
    if isinstance(value, str):
        value = {value: []}
    if not isinstance(value, Mapping):
        raise refuse.bad_declaration(place, value)
    kinds = [kind for kind in value if kind not in _SETTINGS]
    if len(kinds) != 1:
        raise refuse.bad_declaration(place, dict(value))
    kind = str(kinds[0])
    arguments = value[kind]
    given = list(arguments) if isinstance(arguments, list | tuple) else [] if arguments is True else [arguments]
    options = {str(option): setting for option, setting in value.items() if option != kind}
    makers = {
        "integers": integers,
        "decimals": decimals,
        "categories": categories,
        "dates": dates,
        "timestamps": timestamps,
        "booleans": booleans,
        "identifier": identifier,
        "key": key,
        "text_keys": open_keys,
    }
    maker = makers.get(kind)
    if maker is None:
        raise refuse.unknown_declaration(place, kind, tuple(makers))
    try:
        made: Column = maker(*given, **options)  # type: ignore[operator]
    except TypeError:
        raise refuse.bad_declaration(place, dict(value)) from None
    return made
