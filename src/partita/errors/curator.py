"""What the curator says when it cannot serve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from partita.errors.base import BudgetExceeded, Caution, InvalidInput, NotProven
from partita.errors.wording import some


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
    """Something that knows protected tables was to be pickled or copied."""
    return InvalidInput(
        "curator.not-sent",
        f"{what} cannot be pickled or copied: it knows the protected tables. {instead}",
    )


def no_receipt() -> InvalidInput:
    """The receipt of an answer for which nothing was released."""
    return InvalidInput(
        "curator.no-receipt", "Nothing was released for this answer, which shows no line, so there is no receipt of it."
    )


def several_receipts(places: Sequence[int]) -> InvalidInput:
    """One receipt was asked for of an answer that is made from several releases."""
    return InvalidInput(
        "curator.several-receipts",
        f"The answer is made from {len(places)} releases (entries {', '.join(map(str, places))} of the ledger), and "
        "the receipt of one of them would state less than was lost. Use answer.receipts, which has them all.",
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


def same_name(first: str, second: str) -> InvalidInput:
    """Two tables under one name could not be told apart, nor under two that differ in capitals only."""
    called = f"{first!r}" if first == second else f"{first!r} and {second!r}, which SQL takes for one name"
    return InvalidInput("curator.same-name", f"Two tables are called {called}. Give each a name of its own.")


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
    """A promise beside one on users for which keeping some of an owner's rows is not proven."""
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


def nobody_can_pay(region: str, cost: str, join: str = "") -> BudgetExceeded:
    """Even the smallest part of the region has too little left."""
    more = (
        f" Its rows do not say what kind of person they are of: join {join}, so that those who can pay are told apart."
    )
    return BudgetExceeded(
        "curator.nobody-can-pay",
        f"Nobody that this question is about ({region}) can still pay {cost}. Nothing was read and nothing was "
        f"charged. Ask with a lower price, or about records that were asked about less.{more if join else ''}",
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
    """Something else than a computation was to be run."""
    return InvalidInput(
        "curator.not-a-computation",
        f"A {type(value).__name__} is not a computation. Nothing was read and nothing was charged. Use an algorithm of "
        f"partita.algorithms, or ask a question with curator.ask.",
    )


def computation_beside_users(kind: str, unit: str) -> NotProven:
    """A computation under promises on users beside others: keeping some rows of an owner is proven for sums alone."""
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


def other_orders(count: int) -> InvalidInput:
    """A promise on Rényi orders that no mechanism states its loss at."""
    return InvalidInput(
        "curator.other-orders",
        f"A curator's promise in Rényi terms is about the {count} orders at which every mechanism states its loss; on "
        f"others every question would be refused. Write Renyi(taus=[...]) with one τ for each of "
        f"partita.theory.measures.renyi.ORDERS, or promise ρ: ZCDP(rho=...).",
    )


def computation_not_opened(kind: str) -> InvalidInput:
    """A computation whose result is no live object: it could be copied, or used by two processes."""
    return InvalidInput(
        "curator.computation-not-opened",
        f"{kind} gives nothing that stays open. Nothing was read and nothing was charged. Run it with "
        f"curator.run(...); a computation to be opened names a class that derives from partita.live.Live in `opens`.",
    )


def computation_not_live(kind: str) -> NotProven:
    """No theorem covers interactive mechanisms with a δ beside ρ that are used side by side (theory D3)."""
    return NotProven(
        "curator.computation-not-live",
        f"{kind} cannot stay open under a promise in ρ, because it has a δ of its own, and no theorem covers such a "
        f"mechanism while other questions are asked. Nothing was read and nothing was charged. Choose a variant "
        f"without δ, or a promise in (ε, δ).",
    )


# --- cautions: nothing is refused -----------------------------------------------------------------------------------


def no_such_column(name: object, known: Sequence[str]) -> InvalidInput:
    """A column that an answer does not have."""
    return InvalidInput(
        "curator.no-such-column",
        f"{name!r} is no column of this answer. Choose from: {', '.join(known)}; or take its lines with rows().",
    )


def not_drawn(name: object, known: Sequence[str]) -> InvalidInput:
    """A column without error bars, or none of that name."""
    have = f"Choose from: {', '.join(known)}." if known else "This answer has no column with error bars."
    return InvalidInput("curator.not-drawn", f"{name!r} is not a column of this answer that has error bars. {have}")


def too_many_bars(lines: int, most: int) -> InvalidInput:
    """More groups than a picture can show."""
    return InvalidInput(
        "curator.too-many-bars",
        f"A picture of {lines:,} bars cannot be read; {most} can. Draw answer.to_pandas(error=True) yourself, or ask "
        f"about fewer groups.",
    )


def forgetful() -> Caution:
    """Nobody said where the ledger is kept."""
    return Caution(
        "curator.forgetful",
        "No ledger= was given, so what is spent is kept in memory and forgotten when this program ends: the next one "
        'begins with a full budget. Give a file, such as ledger="visits.ledger", or say ledger=":memory:" for a trial.',
    )


def unfixed_rows(path: str, tables: Iterable[str]) -> Caution:
    """A book that was charged by a version that did not write down which rows it read."""
    return Caution(
        "curator.unfixed-rows",
        f"The ledger {path} was charged by a version that did not write down which rows of {some(tables)} it read. "
        f"From the next charge on it is bound to the rows that are there now. If the source has changed since its "
        f"first charge, an owner may have lost more than was promised: see past vulnerabilities, case 25.",
    )


def large_delta(table: str, people: int, unit: str, delta: str) -> Caution:
    """A δ of at least one in the number of people: publishing somebody outright would keep such a promise (B25)."""
    return Caution(
        "curator.large-delta",
        f"δ = {delta} of the promise for [{unit}] is more than 1/{people}, and table {table} was declared to hold at "
        f"least {people} people: publishing one of them outright would keep such a promise. Choose a δ far below "
        f"1/{people}.",
    )


def same_contents(first: str, second: str) -> Caution:
    """Two sources with the same rows in them; told in the operator's log alone, since it depends on the rows."""
    return Caution(
        "curator.same-contents",
        f"The tables {first} and {second} hold the same rows in two places. Each has a budget of its own, so that what "
        f"is promised for a row holds for each of the copies and not for both together. Declare the rows once.",
    )


def people_alone(unit: str) -> InvalidInput:
    """One promise on people, and not in groups."""
    return InvalidInput(
        "curator.people-alone",
        f"A curator keeps one promise on people across tables, and not in groups: [{unit}]. "
        f"Give one, pt.persons(...), and beside it promises on single rows, pt.events(...). Rows are kept for persons "
        f"or for windows of them, not for both. Nothing was opened.",
    )


def not_beside_people(unit: str, fit: Iterable[str]) -> InvalidInput:
    """A promise that is not proven behind the truncation of people's rows."""
    listed = some(fit)
    advice = (
        f"Protect single rows of a table, events(...) of one of {listed}, or several of them at once, "
        f'groups(7, of=pt.events("visits")): so many steps of a window with one row in each. '
        if listed
        else ""
    )
    return InvalidInput(
        "curator.not-beside-people",
        f"A promise for [{unit}] cannot stand beside a promise on people: rows are kept for people, so one row lets "
        f"another of the same person in or out, in any step and of any value. {advice}Nothing was opened.",
    )


def events_alone(table: str) -> InvalidInput:
    """Events are rows of people's tables."""
    return InvalidInput(
        "curator.events-alone",
        f"events({table!r}) stands beside a promise on people. Without one, rows are protected by rows(), and rows "
        f"that are altered by replace(). Nothing was opened.",
    )


def events_of_nobody(table: str, fit: Iterable[str]) -> InvalidInput:
    """Events of a table in which nobody has rows."""
    return InvalidInput(
        "curator.events-of-nobody",
        f"events({table!r}) names no table of the promise on people. Name one of {some(fit) or 'none'}. "
        f"Nothing was opened.",
    )


def event_is_a_person(table: str, *, person: bool, fit: Iterable[str]) -> InvalidInput:
    """One row less there alters everything about a person."""
    reason = "says what a person is" if person else "says whose the rows of another table are"
    return InvalidInput(
        "curator.event-is-a-person",
        f"A row of {table} {reason}, so one row of it alters all of that person's rows: it is protected by the promise "
        f"on people, with altered=True. Name one of {some(fit) or 'no other table'}. Nothing was opened.",
    )


def not_computed_on(rows: str) -> InvalidInput:
    """An algorithm was to run on rows of which one row of a table may make several, or move others."""
    return InvalidInput(
        "curator.not-computed-on",
        f"An algorithm does not run on {rows!r}: each of its rows must be one row of one table, as where a table is "
        f"joined to the person table, and no promise may be on single rows of it. Run it on such a join or on one "
        f"table. Nothing was read and nothing was charged.",
    )
