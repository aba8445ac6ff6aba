"""The custodian's file: everything that Python can declare, in partita.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final
from weakref import finalize

from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.curator.declared.declared import checked_promises, checked_tables, terms_of
from partita.curator.path.opinion import EFFORT
from partita.curator.wanted import checked_patience
from partita.engine.log import write_beside, write_to
from partita.engine.opening import BACKENDS, addressed
from partita.errors import PartitaError
from partita.errors import curator as refuse
from partita.errors import vault as refuse_vault
from partita.exact import Number, positive, whole
from partita.granularity import (
    Granularity,
    edges,
    events,
    groups,
    metric,
    nodes,
    persons,
    replace,
    rows,
    users,
    windows,
)
from partita.ledger.birth import Terms
from partita.ledger.book.address import Address
from partita.ledger.book.sqlite import MEMORY
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table, from_toml
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

LONGEST = 4_000_000
"""Bytes of a file; one with thousands of columns and categories is far shorter."""
_TOP = (
    *("ledger", "log", "backend", "database", "pace", "patience", "second_opinion", "vault_key_env"),
    *("promises", "tables", "public", "analysts", "server"),
)
_UNITS = {
    "rows": lambda _: rows(),
    "replace": lambda _: replace(),
    "edges": lambda _: edges(),
    "events": lambda given: events(given),
    "groups": lambda given: groups(given),
    "nodes": lambda given: nodes(**given) if isinstance(given, Mapping) else nodes(),
    "persons": lambda given: persons(**given),
    "users": lambda given: users(**given),
    "windows": lambda given: windows(**given),
    "metric": lambda given: metric(**given),
}
_MEASURES: dict[str, type[Measure]] = {
    "pure": Pure,
    "approximate": Approximate,
    "zcdp": ZCDP,
    "gdp": GDP,
    "renyi": Renyi,
}
_AMOUNTS = frozenset({"epsilon", "delta", "rho", "mu", "order", "tau", "orders", "taus"})
# How each is written, for those who left something out.
_LOSS_EXAMPLES = {
    "pure": 'epsilon = "1"',
    "approximate": 'epsilon = "1" and delta = "1e-6"',
    "zcdp": 'rho = "0.5", and delta = "1e-6" where keys are open',
    "gdp": 'mu = "1"',
    "renyi": 'orders = [2, 4, 8] and taus = ["0.1", "0.2", "0.4"]',
}
_UNIT_EXAMPLES = {
    "users": '{ users = { column = "patient", rows = 5 } }',
    "persons": '{ persons = { column = "customer", table = "customers", rows = { orders = 20 } } }',
    "groups": "{ groups = 4 }",
    "windows": '{ windows = { column = "day", width = 7 } }',
    "metric": '{ metric = { column = "income", unit = 1000 } }',
    "nodes": "{ nodes = { stability = 6, listed = true } }",
    "events": '{ events = "visits" }',
}


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """What a custodian's file declares; nothing has been opened or read."""

    tables: tuple[Table, ...]
    promises: tuple[Promise, ...]
    ledger: str | Address
    backend: str
    analysts: Mapping[str, Measure | tuple[Measure | None, ...]]
    public: tuple[PublicTable, ...] = ()
    pace: Number | None = None
    log: str | None = None
    second_opinion: int = EFFORT
    patience: int = 1
    vault_key_env: str | None = None
    database: str | Mapping[str, object] | None = None
    server: Mapping[str, Any] = field(default_factory=dict)
    """What stands under [server], as it stands there: the server reads it."""


def open_settings(path: str | os.PathLike[str] = "partita.toml", *, migrate: bool = False) -> Curator:
    """The curator that a file declares, with its analysts' limits; relative paths start at the file's folder.

    With ``migrate`` its ledger goes on under a declaration that refines the one it was charged under.

    >>> import tempfile
    >>> import partita as pt
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "partita.toml")
    >>> _ = Path(folder.name, "visits.csv").write_text("age\\n41\\n67\\n")
    >>> _ = file.write_text('''
    ... ledger = "visits.ledger"
    ... [[promises]]
    ... protect = "rows"
    ... rho = "0.5"
    ... [tables.visits]
    ... source = "visits.csv"
    ... columns.age = {integers = [0, 120], missing = 0}
    ... ''')
    >>> with pt.open(file) as curator:
    ...     print(curator.promises[0])
    at most ρ = 0.5 for one row, added or removed
    >>> folder.cleanup()
    """
    return opened_settings(path, read_settings(path), migrate=migrate)


def opened_settings(path: str | os.PathLike[str], declared: Settings, *, migrate: bool = False) -> Curator:
    """The curator of what a file was found to declare."""
    ended = None
    if declared.log is not None and Path(declared.log) == _beside(Path(path)):
        ended = write_beside(declared.log)
    elif declared.log is not None:
        try:
            write_to(declared.log)
        except OSError as problem:
            raise refuse.bad_setting(str(path), "log", f"{problem.strerror or 'it cannot be written'}.") from None
    try:
        curator = Curator(
            tables=declared.tables,
            promises=declared.promises,
            public=declared.public,
            ledger=declared.ledger,
            backend=declared.backend,
            database=declared.database,
            pace=declared.pace,
            second_opinion=declared.second_opinion,
            patience=declared.patience,
            migrate=migrate,
            vault_key=_vault_key(declared.vault_key_env),
        )
    except BaseException:
        if ended is not None:
            ended()
        raise
    if ended is not None:
        finalize(curator, ended)
    for name, limit in declared.analysts.items():
        curator.session(analyst=name, budget=limit)
    return curator


def declared_terms(settings: Settings) -> Terms:
    """What the ledger of a file is declared with now; neither ledger nor rows are opened."""
    tables = checked_tables(settings.tables)
    return terms_of(checked_promises(settings.promises, tables), tables)


def _beside(settings: Path) -> Path:
    """Where the operator's log is kept unless another place is named: whoever looks for it finds it."""
    return settings.parent / f"{settings.stem}.log"


def _kept(ledger: str, folder: Path) -> str | Address:
    """Where a ledger is: a file beside the settings, or a server, with what this machine keeps of it beside them."""
    if Address.named(ledger):
        return Address(ledger, str(folder))
    return ledger if ledger == MEMORY else str(folder / ledger)


def read_settings(path: str | os.PathLike[str] = "partita.toml") -> Settings:
    """What a file declares, without opening its ledger or its tables."""
    shown = str(path)
    try:
        place = Path(path)
    except TypeError:
        raise refuse.settings_unreadable(shown, "it is not a path") from None
    try:
        with place.open("rb") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise refuse.settings_unreadable(shown, f"it is longer than {LONGEST:,} bytes")
        settings = tomllib.loads(text.decode("utf-8").replace("\r\n", "\n"))
    except FileNotFoundError:
        raise refuse.settings_missing(shown) from None
    except OSError as problem:
        raise refuse.settings_unreadable(shown, problem.strerror or "the system refused") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise refuse.settings_unreadable(shown, str(problem).splitlines()[0]) from None
    unknown = sorted(set(settings) - set(_TOP))
    if unknown:
        raise refuse.unknown_setting(shown, unknown[0], _TOP)
    tables = settings.get("tables")
    if not isinstance(tables, Mapping) or not tables:
        raise refuse.bad_setting(shown, "tables", "declare at least one table: [tables.visits]")
    _filled_in(shown, tables)
    backend = settings.get("backend", "duckdb")
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise refuse.unknown_backend(backend, BACKENDS)
    # A table of a server is no file beside the settings.
    base = None if addressed(backend) else place.parent
    declared = [from_toml(name, _mapping(shown, f"tables.{name}", one), base) for name, one in tables.items()]
    promises = settings.get("promises")
    if not isinstance(promises, list) or not promises:
        raise refuse.bad_setting(shown, "promises", "declare at least one promise: [[promises]]")
    kept = [_promise(shown, f"promises[{at}]", one) for at, one in enumerate(promises)]
    # Never in memory by default: a budget that is forgotten between two questions is no budget.
    ledger = settings.get("ledger", f"{place.stem}.ledger")
    if not isinstance(ledger, str):
        raise refuse.bad_setting(shown, "ledger", "give a path or an address as text.")
    log = settings.get("log", _beside(place).name)
    if log is not False and not isinstance(log, str):
        raise refuse.bad_setting(shown, "log", "give a path as text, or false for none.")
    limits = _mapping(shown, "analysts", settings.get("analysts", {}))
    return Settings(
        tables=tuple(declared),
        promises=tuple(kept),
        ledger=_kept(ledger, place.parent),
        backend=backend,
        database=settings.get("database"),
        analysts={name: _limits(shown, f"analysts.{name}", limit) for name, limit in limits.items()},
        public=tuple(_public(shown, place.parent, settings.get("public", {}))),
        pace=_pace(settings.get("pace")),
        log=None if log is False else str(place.parent / log),
        second_opinion=whole(settings.get("second_opinion", EFFORT), "second_opinion"),
        patience=checked_patience(settings.get("patience", 1)),
        vault_key_env=_name_of_key(shown, settings.get("vault_key_env")),
        server=_mapping(shown, "server", settings.get("server", {})),
    )


def _name_of_key(shown: str, given: object) -> str | None:
    if given is not None and (not isinstance(given, str) or not given):
        raise refuse.bad_setting(shown, "vault_key_env", "give the name of an environment variable.")
    return given


def _vault_key(name: str | None) -> str | None:
    """The key of the vault, which is in the environment and in no file."""
    if name is None:
        return None
    found = os.environ.get(name)
    if not found:
        raise refuse_vault.no_key_there(name)
    return found


def _pace(given: object) -> Number | None:
    return None if given is None else positive(given, "pace")


def _public(path: str, base: Path, given: object) -> Iterator[PublicTable]:
    """Public tables: [public.clinics] with source and key, and fanout where a key has several rows."""
    for name, values in _mapping(path, "public", given).items():
        setting = f"public.{name}"
        declared = _mapping(path, setting, values)
        unknown = sorted(set(declared) - {"source", "key", "fanout"})
        if unknown:
            raise refuse.unknown_setting(path, f"{setting}.{unknown[0]}", ("source", "key", "fanout"))
        source, key = declared.get("source"), declared.get("key")
        if not isinstance(source, str) or not isinstance(key, str):
            raise refuse.bad_setting(path, setting, 'say source = "clinics.csv" and key = "clinic".')
        yield PublicTable(name, base / source, key, fanout=declared.get("fanout", 1))


def _filled_in(path: str, tables: Mapping[str, Any]) -> None:
    """Refuse a draft whose placeholders still stand."""
    for name, table in tables.items():
        columns = table.get("columns") if isinstance(table, Mapping) else None
        for column, declared in columns.items() if isinstance(columns, Mapping) else ():
            values = declared.values() if isinstance(declared, Mapping) else ()
            if any(isinstance(value, list) and "?" in value for value in values):
                raise refuse.placeholder(path, f"tables.{name}.columns.{column}")


def _promise(path: str, setting: str, given: object) -> Promise:
    values = dict(_mapping(path, setting, given))
    if "protect" not in values:
        raise refuse.bad_setting(path, setting, 'say who is protected: protect = "rows"')
    unit, schedule, ceiling = (values.pop(name, None) for name in ("protect", "schedule", "ceiling"))
    protected, budget = _unit(path, f"{setting}.protect", unit), read_loss(path, setting, values)
    return Promise(protected, budget, schedule={} if schedule is None else schedule, ceiling=ceiling)


def _unit(path: str, setting: str, given: object) -> Granularity:
    named = {given: None} if isinstance(given, str) else given
    if not isinstance(named, Mapping) or len(named) != 1:
        raise refuse.bad_setting(path, setting, f"give one of: {', '.join(_UNITS)}.")
    ((kind, value),) = named.items()
    if kind not in _UNITS:
        raise refuse.unknown_setting(path, f"{setting} = {kind!r}", tuple(_UNITS))
    try:
        made: Granularity = _UNITS[kind](value)  # type: ignore[no-untyped-call]
    except TypeError:
        raise refuse.bad_setting(path, setting, _unmade(kind, value, _UNIT_EXAMPLES.get(kind, repr(kind)))) from None
    return made


def _unmade(kind: str, value: object, example: str) -> str:
    return f"{kind} cannot be made from {value!r}. Write for example {example}."


def read_loss(path: str, setting: str, given: object) -> Measure:
    """A loss is told by the numbers it has: epsilon, epsilon and delta, rho, mu."""
    values: dict[str, Any] = dict(_mapping(path, setting, given))
    kind = values.pop("measure", None)
    if kind is None and not values:
        raise refuse.bad_setting(path, setting, f"it says no amount. Write for example {_LOSS_EXAMPLES['zcdp']}.")
    strange = sorted(set(values) - _AMOUNTS)
    if strange:
        raise refuse.unknown_setting(path, f"{setting}.{strange[0]}", tuple(sorted(_AMOUNTS)))
    if kind is None:
        names = set(values)
        guesses = {"rho": "zcdp", "mu": "gdp", "tau": "renyi", "taus": "renyi"}
        kind = next((guess for name, guess in guesses.items() if name in names), None)
        if kind is None:
            kind = "approximate" if "delta" in names else "pure"
    if not isinstance(kind, str) or kind not in _MEASURES:
        raise refuse.unknown_setting(path, f"{setting}.measure = {kind!r}", tuple(_MEASURES))
    try:
        return _MEASURES[kind](**values)
    except TypeError:
        raise refuse.bad_setting(path, setting, _unmade(kind, values, _LOSS_EXAMPLES[kind])) from None
    except PartitaError as problem:
        raise refuse.bad_setting(path, setting, problem.message) from None


def _limits(path: str, setting: str, given: object) -> Measure | tuple[Measure | None, ...]:
    """The limits of an analyst: one for the first promise, or a list with one for each, where {} is none."""
    if not isinstance(given, list):
        return read_loss(path, setting, given)
    return tuple(read_loss(path, f"{setting}[{at}]", one) if one else None for at, one in enumerate(given))


def _mapping(path: str, setting: str, given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise refuse.bad_setting(path, setting, f"{given!r} is not a table of settings.")
    return given
