"""What is said of a guarantee that cannot be put in words or in a picture."""

from __future__ import annotations

from partita.errors.base import InvalidInput, NotProven


def not_readable(value: object) -> InvalidInput:
    """What should be explained is neither a loss nor a composed guarantee."""
    return InvalidInput(
        "explain.not-a-guarantee",
        f"{value!r} is no guarantee that can be explained. Give a loss such as pt.Pure(epsilon=1), or what "
        f"pt.compose returned.",
    )


def not_proven(method: str) -> NotProven:
    """A total that is only an approximation promises nothing."""
    return NotProven(
        "explain.not-proven",
        f"A total by {method!r} is an approximation that may be below the truth, so it promises nothing that could be "
        f"explained. Compose the plan with method='best'.",
    )


def unknown_reader(name: object, known: str) -> InvalidInput:
    """A kind of reader that no explanation is written for."""
    return InvalidInput("explain.unknown-reader", f"There is no explanation for {name!r}. Choose among: {known}.")


def no_matplotlib() -> InvalidInput:
    """A picture needs matplotlib, an extra that is not installed."""
    return InvalidInput(
        "explain.no-matplotlib",
        "Pictures are drawn with matplotlib, which is not installed. Install it with: pip install matplotlib (the "
        "extra plot). Nothing was computed and nothing was written.",
    )


def not_a_picture_file(path: str, endings: str) -> InvalidInput:
    """The ending of the file names no kind of picture."""
    return InvalidInput(
        "explain.not-a-picture-file",
        f"{path!r} does not end in {endings}, so it is not clear what kind of picture to write. Nothing was written.",
    )


def cannot_write(path: str, reason: str) -> InvalidInput:
    """The system does not let the picture be written there."""
    return InvalidInput(
        "explain.cannot-write",
        f"The picture cannot be written to {path!r}: {reason}. Choose another place.",
    )


def nothing_to_draw(what: str) -> InvalidInput:
    """A picture without any data."""
    return InvalidInput("explain.nothing-to-draw", f"There are no {what} to draw. Give at least one.")


def unlike_lengths(first: str, count: int, second: str, other: int) -> InvalidInput:
    """Two lists that belong together have different lengths."""
    return InvalidInput(
        "explain.unlike-lengths",
        f"{first} has {count} entries and {second} has {other}. Give one of each for every bar.",
    )


def unknown_about(field: str, known: tuple[str, ...]) -> InvalidInput:
    """A field of a deployment that no report has."""
    return InvalidInput(
        "explain.unknown-about",
        f"{field!r} is not a field that a report has. Choose among: {', '.join(known)}. Nothing was written.",
    )


def bad_people(value: object) -> InvalidInput:
    """A number of people that is no number."""
    return InvalidInput(
        "explain.bad-people",
        f"people = {value!r} is not a whole number of at least 1. Give how many people are in the data at least, as is "
        f"publicly known, or leave it out. Nothing was written.",
    )


def not_a_ledger(value: object) -> InvalidInput:
    """A report of something that is no book."""
    return InvalidInput(
        "explain.not-a-ledger",
        f"A report is of a ledger, and {type(value).__name__} is none. Give curator.ledger, or the path of a book.",
    )
