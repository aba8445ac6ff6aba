"""Every live class, and how one of it is made and used."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

import partita
import partita as pt
from partita.algorithms import ContinualCounter, OnlineMultiplicativeWeights, TrainingPlan
from partita.composition.account.accounts import Accounts
from partita.composition.account.slots import SlotAccount
from partita.composition.adaptive.filters import Concentrated, EitherOr
from partita.composition.adaptive.interactive import Concurrent
from partita.composition.guarantees.running import Running
from partita.engine.duckdb import DuckDB
from partita.engine.postgres import Postgres
from partita.engine.reference import Reference
from partita.engine.spark import Spark
from partita.live import Live
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.server.accounts.oidc import Provider
from partita.server.accounts.register import Caller, Role
from partita.server.board import Board
from partita.server.counts import Counts
from partita.server.models.seat import Seat
from partita.server.pages.sessions import Sessions
from partita.server.rates import Rates
from partita.server.routes.talks import Talks
from partita.server.service import Service
from partita.server.settings import Oidc, ServerSettings
from partita.server.wire.asking import Asker
from partita.server.wire.endpoint import Endpoint
from tests.laws import served
from tests.unit.ledger import plain

ONE = pt.Pure(epsilon=1)
PART = pt.Pure(epsilon="0.01")
TABLE = pt.Table("t", source=[{"x": 1}, {"x": 3}], columns={"x": pt.integers(0, 9)})
DOMAIN = TABLE.domain
EVERYTHING = pt.Region.everything(DOMAIN)
PROMISE = pt.Promise(pt.rows(), ONE)
CALLER = Caller("ada", Role.ANALYST, "")

Made = tuple[Live, Callable[[Any], object]]


def curator() -> pt.Curator:
    return pt.Curator(tables=[TABLE], promises=[PROMISE])


def asked(one: Any) -> object:
    return one.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.01")


def read(one: Any) -> object:
    return one.run(Extract(TABLE, everywhere(DOMAIN), DOMAIN.axes))


def service() -> Service:
    declared: Any = SimpleNamespace(tables=(TABLE,), promises=(PROMISE,), public=())
    return Service(curator(), declared, ServerSettings(practice_rows=2))


def seen(book: Any) -> object:
    with book.current() as balances:
        return balances


# One of each class, and a use of it that works any number of times in its own process.
FACTORIES: dict[str, Callable[[], Made]] = {
    "algorithms.adaptive_queries.conversation.Conversation": lambda: (
        OnlineMultiplicativeWeights(8, rows=40, queries=1000, epsilon=50).open(np.full(8, 5)),
        lambda one: one.range(0, 3),
    ),
    "algorithms.learning.training.Training": lambda: (
        TrainingPlan(rows=9, batch=3, steps=99, clip=1, noise_multiplier=1).start(9),
        lambda one: one.sample(),
    ),
    "algorithms.streams.stream.Stream": lambda: (ContinualCounter(64, epsilon=1).open(), lambda one: one.push(3)),
    "composition.account.account.RegionAccount": lambda: (
        pt.RegionAccount(DOMAIN, PROMISE),
        lambda one: one.charge(EVERYTHING, PART),
    ),
    "composition.account.accounts.Accounts": lambda: (
        Accounts(DOMAIN, [PROMISE]),
        lambda one: one.charge(EVERYTHING, [PART]),
    ),
    "composition.account.slots.SlotAccount": lambda: (
        SlotAccount(DOMAIN, pt.rows(), {"small": 99}),
        lambda one: one.take(EVERYTHING, "small"),
    ),
    "composition.adaptive.filters.Concentrated": lambda: (
        Concentrated(epsilon=1, delta="1e-6"),
        lambda one: one.admit(PART),
    ),
    "composition.adaptive.filters.EitherOr": lambda: (
        EitherOr([pt.Filter(ONE)], epsilon=1),
        lambda one: one.admit(PART),
    ),
    "composition.adaptive.filters.Filter": lambda: (pt.Filter(ONE), lambda one: one.admit(PART)),
    "composition.adaptive.interactive.Child": lambda: (
        Concurrent(pt.Filter(ONE)).open("it", PART),
        lambda one: one.ask(),
    ),
    "composition.adaptive.interactive.Concurrent": lambda: (
        Concurrent(pt.Filter(ONE)),
        lambda one: one.open("it", PART),
    ),
    "composition.adaptive.odometer.Odometer": lambda: (pt.Odometer(rho=1, delta="1e-6"), lambda one: one.record(PART)),
    "composition.guarantees.running.Running": lambda: (
        Running(delta="1e-6"),
        lambda one: one.add(pt.Laplace(epsilon="0.01")),
    ),
    "composition.adaptive.slots.Slots": lambda: (pt.Slots([(PART, 99)]), lambda one: one.take(PART)),
    "curator.curator.Curator": lambda: (curator(), asked),
    "curator.batches.planned.Planned": lambda: (
        curator().plan(["SELECT COUNT(*) AS n FROM t"], epsilon="0.01"),
        lambda one: one.answers(),
    ),
    "curator.session.Session": lambda: (curator().session(analyst="ada", budget=ONE), asked),
    "engine.duckdb.DuckDB": lambda: (DuckDB([TABLE]), read),
    "engine.postgres.Postgres": lambda: (Postgres([], database=served.address()), lambda engine: engine.tables),
    "engine.reference.Reference": lambda: (Reference([TABLE]), read),
    "engine.spark.Spark": lambda: (Spark([], database="local[2]"), lambda engine: engine.tables),
    "ledger.book.book.Book": lambda: (plain.opened()._book, seen),
    "ledger.ledger.Ledger": lambda: (plain.opened(), lambda one: one.spent()),
    "server.accounts.oidc.Provider": lambda: (Provider(Oidc("https://a.example", "c")), lambda one: one._begun()),
    "server.accounts.register.Register": lambda: (service().register, lambda one: one.tokens()),
    "server.approvals.Approvals": lambda: (service().approvals, lambda one: one.waiting()),
    "server.board.Board": lambda: (Board(), lambda one: one.get("visit", "a")),
    "server.counts.Counts": lambda: (Counts(), lambda one: one.begin()),
    "server.desk.Desk": lambda: (service().real, lambda one: one.session(CALLER)),
    "server.models.seat.Seat": lambda: (Seat(service(), CALLER), lambda one: one.left()),
    "server.pages.sessions.Sessions": lambda: (Sessions(1), lambda one: one.open("1f3a")),
    "server.practice.Twins": lambda: (service()._twins, lambda one: one.desk("ada")),
    "server.rates.Rates": lambda: (Rates(10**6), lambda one: one.taken("ada")),
    "server.wire.asking.Asker": lambda: (
        Asker(service(), CALLER, practice=False),
        lambda one: one.columns("SELECT COUNT(*) AS n FROM t", "columns"),
    ),
    "server.wire.endpoint.Endpoint": lambda: (
        Endpoint(service(), tls=None, tls_only=False),
        lambda one: one.valid(CALLER),
    ),
    "server.routes.talks.Talks": lambda: (
        Talks(service(), version="1"),
        lambda one: one._made(CALLER, practice=False),
    ),
    "server.service.Service": lambda: (service(), lambda one: one.desk(CALLER, practice=False)),
    "mechanisms.sparse_vector.Session": lambda: (
        pt.SparseVector(epsilon=1, positives=10**6).open(threshold=10**9),
        lambda one: one.ask(3),
    ),
}


def live_classes() -> Iterator[type[Live]]:
    """Every class of the package that is live and can be made."""
    for module in pkgutil.walk_packages(partita.__path__, prefix="partita."):
        if not module.name.startswith(("partita.__main__", "partita.cli", "partita.algorithms.synthetic.by_mbi")):
            importlib.import_module(module.name)
    waiting = [Live]
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith("partita.") and not inspect.isabstract(found):
            yield found


def name(one: type[Live]) -> str:
    return f"{one.__module__.removeprefix('partita.')}.{one.__qualname__}"
