"""What is said of attacks and audits that cannot be run."""

from __future__ import annotations

from partita.errors.base import InvalidInput


def unknown_attack(name: object, known: tuple[str, ...]) -> InvalidInput:
    """There is no attack of that name."""
    return InvalidInput(
        "attacks.unknown-attack",
        f"There is no attack called {name!r}. Choose among: {', '.join(known)}. Nothing was attacked.",
    )


def unknown_method(name: object, known: tuple[str, ...]) -> InvalidInput:
    """There is no way of reconstructing of that name."""
    return InvalidInput(
        "attacks.unknown-method",
        f"method = {name!r} is not known. Choose among: {', '.join(known)}. Nothing was attacked.",
    )


def too_many_to_try(people: int, most: int) -> InvalidInput:
    """More tables than can be tried one by one."""
    return InvalidInput(
        "attacks.too-many-to-try",
        f"{people} people have 2^{people} tables, and the exhaustive attack tries all: give at most {most} people, or "
        f"method='least squares'. Nothing was attacked.",
    )


# --- audits ---------------------------------------------------------------------------------------------------------


def not_callable(value: object) -> InvalidInput:
    """What should be audited cannot be called."""
    return InvalidInput(
        "audit.not-callable",
        f"release = {value!r} cannot be called. Give a function of the data that returns one output; "
        f"with batch=True, a function of the data and a count that returns so many. Nothing was run.",
    )


def wrong_length(asked: int, given: int) -> InvalidInput:
    """A batch release returned another number of outputs than it was asked for."""
    return InvalidInput(
        "audit.wrong-length",
        f"With batch=True, release(data, {asked}) must return {asked} outputs along its first axis, and it returned "
        f"{given}. Return one output for each run, or leave batch out.",
    )


def unreadable_output(kind: str) -> InvalidInput:
    """An output that can neither be compared nor put into a set."""
    return InvalidInput(
        "audit.unreadable-output",
        f"An output of type {kind} is neither a number, nor a sequence of numbers, nor hashable, so that runs cannot "
        f"be compared. Let release return what an attacker would look at, such as a tuple or a text.",
    )


def not_a_claim(value: object) -> InvalidInput:
    """A claim that is neither an ε nor a loss."""
    return InvalidInput(
        "audit.not-a-claim",
        f"claim = {value!r} is no privacy claim. Give the ε that is claimed, or a loss such as pt.GDP(mu=1).",
    )


def more_than_all(name: str, count: int, runs: int) -> InvalidInput:
    """More successes than there were tries."""
    return InvalidInput(
        "audit.more-than-all",
        f"{name} = {count} is more than the {runs} there were. Give counts that can have happened.",
    )


def wrong_scores(canaries: int, shape: tuple[int, ...]) -> InvalidInput:
    """Training returned something else than one score a canary."""
    return InvalidInput(
        "audit.wrong-scores",
        f"train(included) must return one number for each of the {canaries} canaries, and it returned an array of "
        f"shape {shape}. Return a score that is higher for canaries that look as if they were in.",
    )
