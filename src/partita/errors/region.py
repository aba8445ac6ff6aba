"""What is said of columns, domains, regions and their accounts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from partita.errors.base import BudgetExceeded, InvalidInput, NotProven
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, shown, some

# --- columns ------------------------------------------------------------------------------------------------


def bad_bound(kind: str, name: str, value: object) -> InvalidInput:
    """A bound of a column that cannot be read."""
    wanted = {
        "integers": "a whole number",
        "decimals": "a number",
        "dates": "a date such as '2025-01-31'",
        "timestamps": "a time such as '2025-01-31 08:30:00' (without a zone)",
    }[kind]
    return InvalidInput("region.bad-bound", f"{kind}(...): {name} = {shown(value)} is not {wanted}. Give {wanted}.")


def empty_column(kind: str, low: object, high: object) -> InvalidInput:
    """A column whose lower bound is above its upper bound."""
    return InvalidInput(
        "region.empty-column",
        f"{kind}({low}, {high}) holds no value, because {low} is above {high}. Give the smaller bound first.",
    )


def missing_outside(kind: str, missing: object, low: object, high: object) -> InvalidInput:
    """A declared missing value that the column does not hold."""
    return InvalidInput(
        "region.missing-outside",
        f"{kind}({low}, {high}): missing = {missing} is outside. Give a value of the column, or leave it out "
        f"to keep NULL as a value of its own.",
    )


def bad_step(step: object) -> InvalidInput:
    """A step that is not above zero."""
    return InvalidInput(
        "region.bad-step", f"decimals(...): step = {shown(step)} is not above zero. Give a positive step."
    )


def bad_reading(option: str, value: object, advice: str) -> InvalidInput:
    """An option that says how texts are written, and cannot be meant so."""
    return InvalidInput(
        "region.bad-reading",
        f"{option} = {shown(value)} does not say how texts are written. {advice} Nothing was read.",
    )


def bad_format(written: str, why: str) -> InvalidInput:
    """A format of days that cannot be read."""
    return InvalidInput(
        "region.bad-format",
        f"dates(...): format = {shown(written)} is no format of days: {why}. Write it of %d, %m (or %b for English "
        f'names), %Y (or %y) and signs between them, such as "%d.%m.%Y"; %H, %M, %S and %p are times, which are '
        f"dropped. Nothing was read.",
    )


def bad_time_step(step: object) -> InvalidInput:
    """A step of times that does not divide a day."""
    return InvalidInput(
        "region.bad-time-step",
        f"timestamps(...): step = {shown(step)} does not divide a day. Give a step such as '1s', '15min' or '1h'.",
    )


def unknown_zone(zone: object) -> InvalidInput:
    """A time zone that does not exist."""
    return InvalidInput(
        "region.unknown-zone",
        f"timestamps(...): there is no time zone {shown(zone)}. Give the name of a region and city, such as "
        f"'Europe/Berlin', or 'UTC'.",
    )


def off_grid(kind: str, value: object, step: object) -> InvalidInput:
    """A bound that is not a multiple of the step."""
    return InvalidInput(
        "region.off-grid",
        f"{kind}(...): {value} is not a multiple of the step {step}. Move it to a multiple, or take a finer step.",
    )


def too_fine(kind: str, low: object, high: object, step: object) -> InvalidInput:
    """A grid with more units than double precision tells apart."""
    return InvalidInput(
        "region.too-fine",
        f"{kind} from {low} to {high} in steps of {step} needs numbers beyond 2^50, where stored values could "
        f"not be rounded exactly. Take a coarser step or narrower bounds.",
    )


def no_categories() -> InvalidInput:
    """A category column without names."""
    return InvalidInput("region.no-categories", "categories() needs at least one name. List the public names.")


def bad_category(name: object) -> InvalidInput:
    """A category that is neither text nor a whole number."""
    return InvalidInput(
        "region.bad-category", f"categories(...): {shown(name)} is not a name. Give text or whole numbers."
    )


def repeated_category(name: str) -> InvalidInput:
    """The same name listed twice."""
    return InvalidInput("region.repeated-category", f"categories(...): {name!r} is listed twice. List it once.")


def unknown_category(column: str, value: object, names: Iterable[str]) -> InvalidInput:
    """A category that was not declared."""
    listed = tuple(names)
    return InvalidInput(
        "region.unknown-category",
        f"{column} has no value {shown(value)}.{meant(value, listed)} It was declared with: {some(listed)}. "
        f"{UNTOUCHED}",
    )


def unknown_column_kind(kind: object) -> InvalidInput:
    """A description of a column of an unknown kind."""
    return InvalidInput(
        "region.unknown-column-kind",
        f"A column of kind {shown(kind)} is not known. It may come from a newer version of Partita.",
    )


def bad_description(kind: str) -> InvalidInput:
    """A stored description of a column with parts missing."""
    return InvalidInput(
        "region.bad-description", f"The description of a column of kind {kind!r} is incomplete. It may be damaged."
    )


# --- domains ------------------------------------------------------------------------------------------------


def no_columns() -> InvalidInput:
    """A domain without columns."""
    return InvalidInput(
        "region.no-columns", 'No column was declared. Write what each may hold: {"age": integers(0, 120), ...}.'
    )


def bad_column_name(name: object) -> InvalidInput:
    """A column name that is not text."""
    return InvalidInput("region.bad-column-name", f"{shown(name)} is not a name for a column. Give text.")


def not_a_column(name: str, value: object) -> InvalidInput:
    """Something else where a column was expected."""
    return InvalidInput(
        "region.not-a-column",
        f"{name} is declared as {shown(value)}, which is no column. Use integers, decimals, categories, dates, "
        f"booleans, text_keys or identifier.",
    )


def repeated_column(name: str) -> InvalidInput:
    """Two columns that SQL could not tell apart."""
    return InvalidInput(
        "region.repeated-column",
        f"{name} is declared twice but for upper and lower case, which SQL does not tell apart. Rename one.",
    )


def unknown_column(name: str, known: Iterable[str]) -> InvalidInput:
    """A column that was not declared."""
    return InvalidInput(
        "region.unknown-column",
        f"There is no column {name!r}. Declared are: {some(known)}. {UNTOUCHED}",
    )


def owner_in_region(name: str) -> InvalidInput:
    """A region that mentions whom a row belongs to."""
    return InvalidInput(
        "region.owner-column",
        f"{name} says whom a row belongs to, so no question may select by it. Take it out of the condition. "
        f"{UNTOUCHED}",
    )


def open_in_region(name: str) -> InvalidInput:
    """A region that mentions a column without public values."""
    return InvalidInput(
        "region.open-column",
        f"{name} has no public list of values, so no region can be built from it. Declare it with "
        f"categories(...), or leave it out. {UNTOUCHED}",
    )


def other_domain() -> InvalidInput:
    """Regions of different domains in one operation."""
    return InvalidInput(
        "region.other-domain",
        "The region belongs to another domain than the one it is used with. Build it from the same Domain.",
    )


# --- predicates ---------------------------------------------------------------------------------------------


def not_comparable(column: str, kind: str, value: object) -> InvalidInput:
    """A literal that is not of the column's kind."""
    written = str(value) if isinstance(value, Fraction) else shown(value)
    example = {
        "numbers": "= 5",
        "dates": "= '2025-01-31'",
        "timestamps": ">= '2025-01-31 08:00'",
        "true and false": "= TRUE",
    }.get(kind, "IS NULL")
    return InvalidInput(
        "region.not-comparable",
        f"{column} holds {kind} and is compared with {written}. Write for example {column} {example}. {UNTOUCHED}",
    )


def no_order(column: str, operator: str) -> InvalidInput:
    """An order asked of values that have none."""
    return InvalidInput(
        "region.no-order",
        f"{column} has no order, so {operator} cannot be used with it. Use =, <>, IN or IS NULL. {UNTOUCHED}",
    )


def empty_interval(column: str, low: object, high: object) -> InvalidInput:
    """BETWEEN with its ends the wrong way round."""
    return InvalidInput(
        "region.empty-interval",
        f"{column} BETWEEN {low} AND {high} holds of no value, because {low} is above {high}. "
        f"Write the smaller end first. {UNTOUCHED}",
    )


def empty_list(column: str) -> InvalidInput:
    """A list of values without values."""
    return InvalidInput(
        "region.empty-list", f"{column} is compared with an empty list. Name at least one value. {UNTOUCHED}"
    )


def unreadable(text: str, reason: str) -> InvalidInput:
    """A condition that is not SQL."""
    return InvalidInput(
        "region.unreadable",
        f"The condition {shown(text)} cannot be read as SQL: {reason}. {UNTOUCHED}",
    )


# --- accounts -----------------------------------------------------------------------------------------------


def over_budget(who: str, region: str, asked: str, spent: str, budget: str, fits: str) -> BudgetExceeded:
    """A charge that somebody in the region cannot pay any more."""
    return BudgetExceeded(
        "region.over-budget",
        f"The promise of {budget} for {who} cannot pay {asked} on [{region}]: {spent} has been spent there. "
        f"{UNTOUCHED} The largest cost that still fits there is {fits}; a part of the region may have more left.",
    )


def not_shown_to_fit(who: str, region: str, asked: str, budget: str, upper: str) -> BudgetExceeded:
    """A charge that may fit, but was not shown to within the work allowed."""
    return BudgetExceeded(
        "region.not-shown-to-fit",
        f"The promise of {budget} for {who} may be able to pay {asked} on [{region}], but this could not be shown "
        f"within the work allowed: what was spent there is only known to be at most {upper}. {UNTOUCHED} Ask about "
        f"fewer columns or a narrower region, at a lower cost, or with more patience.",
    )


def own_domain(who: str) -> NotProven:
    """A cost proven for change-one with the number of selected rows fixed (theory E5)."""
    return NotProven(
        "region.own-domain",
        f"The cost was proven for changes that keep the number of selected rows fixed. A change can move a row out of "
        f"the region, which such a proof says nothing about, so for {who} the loss could be infinite: printing the "
        f"number of selected rows is free by that proof. {UNTOUCHED} Give a cost proven on the whole table, or for "
        f"rows that enter or leave the region.",
    )


def no_account(who: str) -> NotProven:
    """A granularity that the region account has no theorem for."""
    return NotProven(
        "region.no-account",
        f"There is no theorem that gives loads of record values for {who}. {UNTOUCHED} Use rows, replace, groups, "
        f"users, windows or a metric.",
    )


def window_too_wide(width: int, most: int) -> InvalidInput:
    """A window with more steps than can be added up for every charge."""
    return InvalidInput(
        "region.window-too-wide",
        f"width = {width:,} steps is more than an account can add up for every charge, which is {most:,}. {UNTOUCHED} "
        f"Count in longer steps.",
    )


def too_many_steps(column: str, count: int, most: int) -> InvalidInput:
    """A column of time with more steps than can be kept and added up for every charge."""
    return InvalidInput(
        "region.too-many-steps",
        f"windows({column!r}): {column} has {count:,} steps, more than an account can add up for every charge, which "
        f"is {most:,}. {UNTOUCHED} Declare a narrower range of {column}, or count in longer steps.",
    )


def no_steps(column: str, kind: str) -> InvalidInput:
    """Windows of values that do not follow one another."""
    return InvalidInput(
        "region.no-steps",
        f"windows({column!r}) needs a column of numbers or dates, whose values follow one another; {column} holds "
        f"{kind}. {UNTOUCHED} Name the column of time steps.",
    )


def stateful_update(measure: str) -> NotProven:
    """A mechanism that keeps private state while the data changes, in a measure without a theorem (theory E19)."""
    return NotProven(
        "region.stateful-update",
        f"A mechanism that keeps private state while rows arrive has no proven rule in {measure} with δ. {UNTOUCHED} "
        f"State its cost in (ε, δ), or use releases with fresh noise.",
    )


def not_a_region(value: object) -> InvalidInput:
    """Something else where a region was expected."""
    return InvalidInput(
        "region.not-a-region",
        f'{shown(value)} is not a region. Write Region.where("age >= 65", domain). {UNTOUCHED}',
    )


def cost_twice() -> InvalidInput:
    """A whole cost, and losses beside it."""
    return InvalidInput(
        "region.cost-twice",
        f"A Cost says all that is known of a release; give it alone, or the losses one by one. {UNTOUCHED}",
    )


def wrong_costs(given: int, promises: int) -> InvalidInput:
    """Not one cost for each promise."""
    return InvalidInput(
        "region.wrong-costs",
        f"{given} costs were given for {promises} promises. Give one for each, in the same order. {UNTOUCHED}",
    )


def bad_certificate(reason: str) -> InvalidInput:
    """A certificate that cannot be read."""
    return InvalidInput(
        "region.bad-certificate", f"The certificate cannot be read: {reason}. Ask its issuer for a whole copy."
    )


def not_recorded() -> InvalidInput:
    """A certificate asked of an account that keeps no list."""
    return InvalidInput(
        "region.not-recorded",
        "This account does not keep the list of its charges, so it cannot certify them. Make it with record=True.",
    )


def unknown_slot(name: str, known: Iterable[str]) -> InvalidInput:
    """A class of slots that was not declared."""
    return InvalidInput(
        "region.unknown-slot", f"There is no class of slots {name!r}. Declared are: {some(known)}. {UNTOUCHED}"
    )


def no_slot_left(name: str, region: str, count: int) -> BudgetExceeded:
    """All slots of a class are used by somebody in the region."""
    return BudgetExceeded(
        "region.no-slot-left",
        f"All {count} slots of {name!r} have been used on somebody in [{region}]. {UNTOUCHED} Ask about others, or use "
        f"another class.",
    )


def slot_without_replacement(name: str) -> NotProven:
    """A slot that is not known to dominate a change inside the region (theory D9)."""
    return NotProven(
        "region.slot-without-replacement",
        f"A row can be altered inside the region, and a slot of {name!r} is not known to dominate that. {UNTOUCHED} "
        f"Use a slot that dominates the release for replacements too.",
    )


def too_many_columns(count: int, most: int) -> InvalidInput:
    """More columns than an account of regions can tell apart."""
    return InvalidInput(
        "region.too-many-columns",
        f"The table declares {count} columns with public values, and an account can tell at most {most} apart. Declare "
        f"those that questions are about: columns that are not declared are never read.",
    )


def too_many_boxes(count: int, most: int) -> InvalidInput:
    """A region put together by hand from more boxes than one decision looks at."""
    return InvalidInput(
        "region.too-many-boxes",
        f"The region is a union of {count} boxes, and at most {most} are looked at with so many columns. Nothing was "
        f"charged. Charge a simpler region around it, such as region.hull(): that costs its people at least as much.",
    )


def not_pictured(column: str) -> InvalidInput:
    """The same column twice in a picture."""
    return InvalidInput("region.not-pictured", f"A map needs two different columns; {column} was given twice.")


def slot_without_unit(name: str, who: str) -> NotProven:
    """A slot that dominates one row says nothing of all rows of an owner or a group (theory D9)."""
    return NotProven(
        "region.slot-without-unit",
        f"A slot of {name!r} must dominate the release for everything that one step changes: {who}. {UNTOUCHED} "
        f"Declare slots for that, and take them with dominates_unit=True.",
    )
