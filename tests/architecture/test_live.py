"""A class that changes after it was made is live, or a part of one that is, or it is listed why it need not be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import classes, last_name, modules, shown

CHANGES = {"add", "append", "clear", "extend", "insert", "pop", "popleft", "remove", "setdefault", "update"}
CONSTRUCTORS = {"__init__", "__post_init__", "__new__"}

# By their place in the layers these neither read rows nor count what was spent.
INNOCENT = (
    "assay/", "attacks/", "cli/", "errors/", "explain/", "granularity/", "query/", "region/", "theory/", "effort.py",
)  # fmt: skip

# Reached only through the live object that owns them, which is empty in a forked process and refuses copies.
PARTS = {
    "composition/account/loads/allowance.py:Allowance": "RegionAccount",
    "algorithms/streams/running.py:_Sums": "Stream; and of noisy numbers alone",
    "composition/account/loads/wide/booked.py:Booked": "RegionAccount",
    "composition/account/loads/wide/booked.py:_Clauses": "RegionAccount",
    "composition/account/loads/changes.py:Changes": "RegionAccount",
    "composition/account/loads/wide/cover.py:Cover": "RegionAccount",
    "composition/account/loads/wide/cover.py:Group": "RegionAccount",
    "composition/account/loads/wide/elimination.py:Elimination": "RegionAccount; one decision",
    "composition/account/loads/grid.py:Grid": "RegionAccount",
    "composition/account/loads/hot.py:HotPoints": "RegionAccount",
    "composition/account/loads/hot.py:RecentPoints": "RegionAccount",
    "composition/account/loads/pairs.py:PairLoads": "RegionAccount",
    "composition/account/loads/partners.py:Partners": "RegionAccount",
    "composition/account/loads/profile.py:Profiles": "RegionAccount",
    "composition/account/loads/rectangles.py:Rectangles": "RegionAccount",
    "composition/account/loads/settle.py:Search": "RegionAccount",
    "composition/account/loads/values.py:ValueLoads": "RegionAccount",
    "composition/account/loads/wide/shown.py:Shown": "RegionAccount",
    "composition/account/loads/wide/touched.py:Touched": "RegionAccount",
    "composition/account/loads/wide/values.py:WideLoads": "RegionAccount",
    "composition/account/loads/wide/pairs.py:WidePairLoads": "RegionAccount",
    "composition/account/loads/windows.py:WindowLoads": "RegionAccount",
    "composition/numerics/grid.py:Grid": "Running",
    "composition/guarantees/running.py:_Direction": "Running",
    "curator/batches/batches.py:Batches": "Curator; which plans are charged",
    "curator/declared/catalogue.py:Catalogue": "Curator; which texts it has read",
    "curator/ingest.py:Growth": "Curator; what is sealed, and the engine that holds it",
    "curator/path/gate.py:Gate": "Curator; how many questions are under way",
    "curator/path/opinion.py:SecondOpinion": "Curator; which charges it has tried",
    "curator/path/turns.py:Turns": "Curator; which reservations its threads are at",
    "curator/shelf.py:Shelf": "Curator; reads released answers from the ledger",
    "engine/growing.py:Growing": "Curator; the rows of an engine that a batch is added to",
    "vault/cipher.py:_Sink": "one file that is being written",
    "vault/vault.py:Vault": "Curator; what the ledger says is sealed",
    "ledger/book/anchor.py:FileAnchor": "Book",
    "ledger/admission.py:Balances": "Book",
    "ledger/book/files.py:Files": "Book; and what a process had open when it was forked is refused to the child",
    "ledger/schedules.py:Budgets": "Book",
    "ledger/declarations.py:Eras": "Book",
    "ledger/payer.py:RegionPayer": "Book",
    "ledger/book/replay.py:Replay": "Book",
    "ledger/book/postgres.py:PostgresStore": "Book",
    "ledger/book/turn.py:Turn": "Book",
    "ledger/book/sqlite.py:SQLiteStore": "Book",
}

# Public results, or work that ends before anything is handed over.
HARMLESS = {
    "server/wire/authentication.py:Exchange": "one connection; what was said while signing in",
    "server/wire/catalogue.py:Catalogue": "declared tables, without a row",
    "server/punctual.py:Punctual": "one connection",
    "server/wire/conversation.py:_Begun": "work on one statement, and whether it was given up",
    "server/wire/line.py:Line": "one connection",
    "server/wire/listening.py:Answering": "one connection",
    "server/wire/messages.py:Fields": "one message",
    "server/wire/performing.py:Performer": "one connection, which asks through an Asker",
    "server/wire/prepared.py:Portal": "lines that were released",
    "server/wire/translation.py:_Translator": "one statement, while it is translated",
    "server/wire/variables.py:Variables": "settings of one connection",
    "server/workers.py:Workers": "numbers of processes",
    "curator/answers/presenter.py:Presenter": "released numbers, while a statement about them runs",
    "algorithms/adaptive_queries/belief.py:Belief": "a guess made from noisy answers",
    "algorithms/estimators/base.py:Private": "a fitted model",
    "algorithms/estimators/kmeans.py:KMeans": "a fitted model",
    "algorithms/estimators/linear_regression.py:LinearRegression": "a fitted model",
    "algorithms/estimators/logistic_regression.py:LogisticRegression": "a fitted model",
    "algorithms/estimators/pca.py:PCA": "a fitted model",
    "algorithms/estimators/search.py:PrivateSearch": "a fitted model",
    "algorithms/synthetic/exchange.py:_Fit": "synthetic rows",
    "algorithms/linear/linear.py:LinearQueries": "a bound, kept once it is known",
    "algorithms/linear/marginals.py:_Combined": "variances",
    "engine/sources/examine.py:Look": "the custodian's own look, which ends with it",
    "engine/statements/stored.py:Stored": "names and types of columns",
    "ledger/charge.py:Reader": "prices already read",
    "ledger/audit/verify.py:_Audit": "the book of an audit",
}


def changed(found: ast.ClassDef) -> bool:
    """Whether a method that is no constructor changes the object, or the object keeps a lock."""
    methods = [node for node in found.body if isinstance(node, ast.FunctionDef) and node.name not in CONSTRUCTORS]
    if any(_changes(node) for method in methods for node in ast.walk(method)):
        return True
    return any(isinstance(node, ast.Attribute) and node.attr in {"Lock", "RLock"} for node in ast.walk(found))


def _changes(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(_own(part) for target in targets for part in _parts(target))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return any(map(_own, _parts(target)))
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self")), attr=name)):
            return name in CHANGES
        case _:
            return False


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _parts(element)
    else:
        yield target


def _own(target: ast.expr) -> bool:
    while isinstance(target, ast.Subscript):
        target = target.value
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"


def live() -> set[str]:
    """The names of all classes that derive from Live, directly or not."""
    bases: dict[str, set[str]] = {}
    for module in modules():
        for found in classes(module):
            bases.setdefault(found.name, set()).update(last_name(base) for base in found.bases)
    known = {"Live"}
    while more := {name for name, above in bases.items() if above & known} - known:
        known |= more
    return known


def test_every_class_that_changes_is_live_or_says_why_it_need_not_be():
    lives = live()
    found = {
        f"{shown(module)}:{one.name}"
        for module in modules()
        for one in classes(module)
        if not shown(module).startswith(INNOCENT) and one.name not in lives and changed(one)
    }
    unsaid = found - set(PARTS) - set(HARMLESS)
    assert not unsaid, f"derive {unsaid} from partita.live.Live, or list here whose parts they are"
    assert not (set(PARTS) | set(HARMLESS)) - found


def test_the_search_sees_what_it_looks_for():
    seen = """
class Counter:
    def take(self):
        self.left, other = self.left - 1, 0
class Keeper:
    def keep(self, one):
        self.kept.append(one)
class Table:
    def put(self, at):
        self.cells[at][0] = 1
class Guarded:
    def __init__(self):
        self.lock = threading.Lock()
class Still:
    def __init__(self):
        self.size = 1
    def double(self):
        size = self.size
        size += 1
        return size
"""
    assert [one.name for one in ast.parse(seen).body if changed(one)] == ["Counter", "Keeper", "Table", "Guarded"]
