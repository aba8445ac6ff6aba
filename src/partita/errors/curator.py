"""What the curator says when it cannot serve."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import BudgetExceeded, InvalidInput, NotProven


def no_tables() -> InvalidInput:
    """A curator without tables has nothing to protect."""
    return InvalidInput(
        "curator.no-tables", "A curator needs at least one table. Write pt.Curator(tables=[pt.Table(...)], ...)."
    )


def not_a_table(value: object) -> InvalidInput:
    """Something that is not a table stands in the list of tables."""
    return InvalidInput(
        "curator.not-a-table",
        f"tables holds a {type(value).__name__}, which is not a table. Write pt.Table(name, source=..., columns=...).",
    )


def not_a_promise(value: object) -> InvalidInput:
    """Something that is not a promise stands in the list of promises."""
    return InvalidInput(
        "curator.not-a-promise",
        f"promises holds a {type(value).__name__}, which is not a promise. "
        f"Write pt.Promise(pt.rows(), pt.ZCDP(rho=...)).",
    )


def no_graphs(unit: str) -> InvalidInput:
    """No question about rows has a guarantee for edges or nodes."""
    return InvalidInput(
        "curator.no-graphs",
        f"A curator answers questions about rows, and no such answer has a guarantee for [{unit}]: every question "
        f"would be refused. Promise on rows, users, groups or windows.",
    )


def not_sent(what: str, instead: str) -> InvalidInput:
    """What knows protected tables is neither pickled nor copied deeply."""
    return InvalidInput(
        "curator.not-sent",
        f"{what} cannot be pickled or copied: it knows the protected tables. {instead}",
    )


def placeholder(path: str, setting: str) -> InvalidInput:
    """A draft that nobody filled in."""
    return InvalidInput(
        "curator.placeholder",
        f'{path}: {setting} still says "?". Write what is publicly known about the column (an age is between 0 and '
        f"120), never what you find in the data; or delete the line, and the column is never read.",
    )


def no_promises() -> InvalidInput:
    """A curator without a promise protects nobody."""
    return InvalidInput(
        "curator.no-promises",
        "A curator needs at least one promise. Write promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=...))].",
    )


def same_name(name: str) -> InvalidInput:
    """Two tables under one name could not be told apart."""
    return InvalidInput("curator.same-name", f"Two tables are called {name!r}. Give each a name of its own.")


def same_rows(first: str, second: str) -> InvalidInput:
    """Two declarations of the same rows would each have a budget of their own."""
    return InvalidInput(
        "curator.same-rows",
        f"The tables {first!r} and {second!r} read the same rows. Each would have a budget of its own, and together "
        f"they would break the promise. Declare the rows once, with all the columns that may be asked about.",
    )


def users_of_several_tables(names: Sequence[str]) -> InvalidInput:
    """A user may own rows in every table, so one table's budget is not hers."""
    return InvalidInput(
        "curator.users-of-several-tables",
        f"A promise on users covers one table, and there are {len(names)} ({', '.join(names)}): the same person may "
        f"own rows in each of them, and the losses would add up. Give each table a curator of its own with its share "
        f"of the budget, or keep the rows in one table.",
    )


def not_beside_users(unit: str, reason: str) -> InvalidInput:
    """The truncation of an owner's rows is proven for promises on owners, and on single rows in the plain case."""
    return InvalidInput(
        "curator.not-beside-users",
        f"A promise for [{unit}] cannot stand beside this promise on users: {reason}. Keep the promise on users alone, "
        f"or without that setting.",
    )


def other_terms(name: str) -> InvalidInput:
    """A ledger made for other promises or domains would be charged by the wrong rules."""
    return InvalidInput(
        "curator.other-terms",
        f"The ledger {name} was born with other promises or other tables than this curator declares. "
        f"Declare the same, or open another ledger.",
    )


def unknown_backend(name: object, known: Sequence[str]) -> InvalidInput:
    """No engine of that name is part of this version."""
    return InvalidInput("curator.unknown-backend", f"backend = {name!r} is not known. Choose from: {', '.join(known)}.")


def not_a_question(value: object) -> InvalidInput:
    """A question is SQL text or a built query."""
    return InvalidInput(
        "curator.not-a-question",
        f"A question is SQL text, or a query built with curator.table(...); a {type(value).__name__} is neither. "
        f"Nothing was read and nothing was charged.",
    )


def foreign_quotation(table: str) -> InvalidInput:
    """A quotation is good only where it was made."""
    return InvalidInput(
        "curator.foreign-quotation",
        f"The quotation about {table} was made by another curator, for other tables, promises or rows of an owner; its "
        f"cost means nothing here. Nothing was read and nothing was charged. Ask this curator for a quotation.",
    )


def nobody_can_pay(region: str, cost: str) -> BudgetExceeded:
    """Even the smallest part of the region has too little left."""
    return BudgetExceeded(
        "curator.nobody-can-pay",
        f"Nobody that this question is about ({region}) can still pay {cost}. Nothing was read and nothing was "
        f"charged. Ask with a lower price, or about records that were asked about less.",
    )


def library_missing(name: str) -> InvalidInput:
    """The caller's dataframe library is not installed."""
    return InvalidInput(
        "curator.library-missing",
        f"{name} is not installed, so the answer cannot be turned into one of its tables. Install {name}, or use "
        f"answer.rows(). The answer is in the ledger, and asking again is free.",
    )


def budget_of_session(count: int, promises: int) -> InvalidInput:
    """A session's budget is one loss, or one for each promise."""
    return InvalidInput(
        "curator.budget-of-session",
        f"budget gives {count} losses and the curator keeps {promises} promises. Give one loss in the measure of the "
        f"first promise, or a list with one for each (None for no limit).",
    )


def settings_missing(path: str) -> InvalidInput:
    """There is no such file."""
    return InvalidInput(
        "curator.settings-missing", f"There is no file {path}. Write one with: partita init data.parquet"
    )


def settings_unreadable(path: str, problem: str) -> InvalidInput:
    """The file is not TOML."""
    return InvalidInput("curator.settings-unreadable", f"{path} cannot be read as TOML: {problem}.")


def unknown_setting(path: str, setting: str, known: Sequence[str]) -> InvalidInput:
    """A setting that means nothing would be a promise not kept."""
    return InvalidInput(
        "curator.unknown-setting", f"{path}: {setting} is not a setting. Known here: {', '.join(known)}."
    )


def bad_setting(path: str, setting: str, problem: str) -> InvalidInput:
    """A setting that cannot be used."""
    return InvalidInput("curator.bad-setting", f"{path}: {setting}: {problem}")


def not_a_computation(value: object) -> InvalidInput:
    """The door takes computations only."""
    return InvalidInput(
        "curator.not-a-computation",
        f"A {type(value).__name__} is not a computation. Nothing was read and nothing was charged. Use an algorithm of "
        f"partita.algorithms, or ask a question with curator.ask.",
    )


def computation_beside_users(kind: str, unit: str) -> NotProven:
    """Behind a truncation one row may move another, which is proven for sums alone."""
    return NotProven(
        "curator.computation-beside-users",
        f"{kind} cannot be charged to the promise for [{unit}] while another promise limits the rows of each user: one "
        f"row more may push out another. Nothing was read and nothing was charged. Keep the promise on users alone.",
    )


def computation_not_proven(kind: str, mechanism: str, relation: str) -> NotProven:
    """A mechanism inside a computation has no proof for the relation of a promise."""
    return NotProven(
        "curator.computation-not-proven",
        f"{kind} uses {mechanism}, whose cost is not proven for {relation} neighbours. Nothing was read and nothing "
        f"was charged. Choose a variant without it, or a promise for other neighbours.",
    )


def second_opinion() -> NotProven:
    """What is about to be booked is less than a second computation finds: an error of ours, found in time."""
    return NotProven(
        "curator.second-opinion",
        "The price of this question could not be confirmed: computed a second way, it loses more than would be booked. "
        "That is an error of Partita's, not yours. Nothing was read and nothing was charged. The operator's log says "
        "what was found; please report it. The same question in simpler parts may be answered.",
    )


def computation_not_live(kind: str) -> NotProven:
    """No theorem covers interactive mechanisms with a δ beside ρ that are used side by side (theory D3)."""
    return NotProven(
        "curator.computation-not-live",
        f"{kind} cannot stay open under a promise in ρ, because it has a δ of its own, and no theorem covers such a "
        f"mechanism while other questions are asked. Nothing was read and nothing was charged. Choose a variant "
        f"without δ, or a promise in (ε, δ).",
    )
