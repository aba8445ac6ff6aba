"""What is said of a command line that cannot be followed."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput
from partita.errors.wording import shown


def cannot_read(path: str, reason: str) -> InvalidInput:
    """The file that was named cannot be read."""
    return InvalidInput("cli.cannot-read", f"{path!r} cannot be read: {reason}. Check the path. Nothing was computed.")


def not_json(path: str, line: int, column: int, reason: str) -> InvalidInput:
    """The file is not JSON; where it stops being so."""
    return InvalidInput(
        "cli.not-json",
        f"{path!r} is not JSON: {reason} at line {line}, column {column}. Nothing was computed.",
    )


def one_plan(count: int) -> InvalidInput:
    """Several files that are not all receipts."""
    return InvalidInput(
        "cli.one-plan",
        f"{count} files were given, and not all of them are receipts. Give one plan, or any number of receipts. "
        f"Nothing was computed.",
    )


def choose_one(options: str) -> InvalidInput:
    """None, or more than one, of options that exclude each other."""
    return InvalidInput("cli.choose-one", f"Give exactly one of {options}. Nothing was computed.")


def unknown_choice(option: str, value: str, known: str) -> InvalidInput:
    """An option with a value that is not among those it has."""
    return InvalidInput("cli.unknown-choice", f"{option} {value!r} is not known. Choose among: {known}.")


def not_named(option: str, text: str) -> InvalidInput:
    """An option that takes name=value got something else."""
    return InvalidInput("cli.not-named", f"{option} {text!r} names no value. Write {option} name=value.")


def cannot_make_folder(path: str, reason: str) -> InvalidInput:
    """The folder for pictures cannot be made."""
    return InvalidInput("cli.cannot-make-folder", f"The folder {path!r} cannot be made: {reason}. Choose another one.")


def would_overwrite(path: str) -> InvalidInput:
    """A file that somebody may have filled in is never overwritten."""
    return InvalidInput(
        "cli.would-overwrite",
        f"{path} is there already and was left alone. Move it away, or write elsewhere: --out FILE.",
    )


def cannot_write(path: str, reason: str) -> InvalidInput:
    """The file cannot be written."""
    return InvalidInput("cli.cannot-write", f"{path} cannot be written: {reason}.")


def not_an_answer(book: str, entry: int) -> InvalidInput:
    """Only answers have receipts."""
    return InvalidInput(
        "cli.not-an-answer",
        f"Entry {entry} of {book} is not an answer, so it has no receipt. "
        f"`partita ledger show {book}` lists the answers.",
    )


def bad_magic(problem: str) -> InvalidInput:
    """A %%partita whose options cannot be read."""
    return InvalidInput(
        "cli.bad-magic",
        f"%%partita: {problem}. Write for example %%partita --rho 0.01 --name answer, and the question below. Nothing "
        f"was read and nothing was charged.",
    )


def no_curator() -> InvalidInput:
    """A question in a notebook that knows no curator, or several."""
    return InvalidInput(
        "cli.no-curator",
        "%%partita does not know which curator to ask. Name it once: %partita partita.toml, or %partita curator for a "
        "variable. Nothing was read and nothing was charged.",
    )


def not_toml(path: str, reason: str) -> InvalidInput:
    """The file is not TOML."""
    return InvalidInput("cli.not-toml", f"{path!r} is not TOML: {reason}. Nothing was written.")


def not_a_table_and_file(given: str) -> InvalidInput:
    """Rows to be sealed, without the table that they are for."""
    return InvalidInput(
        "cli.not-a-table-and-file",
        f"{shown(given)} does not say which table gets the rows of which file. Write partita ingest orders=new.csv. "
        f"Nothing was sealed.",
    )


def table_twice(table: str) -> InvalidInput:
    """Two files for one table of a batch."""
    return InvalidInput(
        "cli.table-twice",
        f"{shown(table)} is given two files for one batch. Put the rows into one file, or seal two batches. Nothing "
        f"was sealed.",
    )


def cannot_apply(path: str, table: str) -> InvalidInput:
    """Options that cannot be written into the custodian's file without touching what else it says."""
    return InvalidInput(
        "cli.cannot-apply",
        f"The options for {shown(table)} cannot be put into {path} by themselves: a column is written over several "
        f"lines, or in another way than name = {{ ... }}. Write them as they are shown above. Nothing was written.",
    )


def missing(command: str, what: str, example: str) -> InvalidInput:
    """A command without something that it needs."""
    return InvalidInput(
        "cli.missing",
        f"{command}: nothing is given for {what}. Nothing was read and nothing was charged. Write for example: "
        f"{example}. All options: {command} -h",
    )


def unknown_option(command: str, option: str, known: Sequence[str], example: str) -> InvalidInput:
    """An option that a command does not have."""
    near = f" Did you mean {' or '.join(known)}?" if known else ""
    return InvalidInput(
        "cli.unknown-option",
        f"{command} has no option {option}.{near} Nothing was read and nothing was charged. Write for example: "
        f"{example}. All options: {command} -h",
    )


def too_much(command: str, given: str, takes: Sequence[str], example: str) -> InvalidInput:
    """More words than a command takes."""
    wanted = f"takes {' and '.join(takes)} and nothing else" if takes else "takes nothing but options"
    quoted = " A text with blanks, such as a question, stands in quotation marks." if takes else ""
    return InvalidInput(
        "cli.too-much",
        f"{command} {wanted}, so {shown(given)} is too much.{quoted} Nothing was read and nothing was charged. "
        f"Write for example: {example}. All options: {command} -h",
    )


def unfit(command: str, reason: str, example: str) -> InvalidInput:
    """A command line that does not fit in some other way."""
    return InvalidInput(
        "cli.unfit",
        f"{command}: {reason.rstrip('.?')}. Nothing was read and nothing was charged. Write for example: {example}. "
        f"All options: {command} -h",
    )


def unknown_command(name: str, near: Sequence[str]) -> InvalidInput:
    """A command that there is not."""
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return InvalidInput(
        "cli.unknown-command",
        f"There is no command {shown(name)}.{meant} Nothing was read and nothing was charged. All commands: partita -h",
    )
