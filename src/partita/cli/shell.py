"""partita shell: one curator, many questions, each with its price before it is final."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, final

import typer

from partita.cli.ask import bill, shown
from partita.cli.screen import AsJson, busy, complain, show, show_json
from partita.cli.tables import quoted
from partita.errors import PartitaError
from partita.errors import cli as refuse

if TYPE_CHECKING:
    from partita.curator.curator import Curator

_WORDS: Final = (
    *("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "WITH", "AS", "AND", "OR", "NOT", "IN"),
    *("BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "COUNT(*)", "COUNT(", "SUM(", "AVG(", "MEDIAN(", "STDDEV("),
)
_PRICES: Final = ("epsilon", "rho", "mu", "within", "delta")
_HELP: Final = """A question is SQL that ends with ; and its price is shown before it is asked.
\\epsilon 0.1   the price of what follows; also \\rho, \\mu, \\within (an error bar), \\delta
\\tables        what may be asked about, and what is left
\\quit          leave; so does Ctrl-D. Ctrl-C forgets what was typed."""


def shell(
    epsilon: Annotated[str | None, typer.Option(help="The price of every question as ε.")] = None,
    rho: Annotated[str | None, typer.Option(help="The price as ρ.")] = None,
    mu: Annotated[str | None, typer.Option(help="The price as μ.")] = None,
    within: Annotated[str | None, typer.Option(help="Instead of a price: the longest error bar.")] = None,
    analyst: Annotated[str, typer.Option(help="Who asks; their own limit holds too.")] = "",
    config: Annotated[Path, typer.Option("--config", help="The custodian's file.")] = Path("partita.toml"),
    as_json: AsJson = False,
) -> None:
    """Ask questions one after another; each shows its price first, and Enter makes it final.

    What is piped in is asked without a question back, at the price given.
    """
    from partita.curator.settings import open_settings

    person = sys.stdin.isatty()
    given = {"epsilon": epsilon, "rho": rho, "mu": mu, "within": within}
    with busy("Opening"):
        curator = open_settings(config)
    with curator:
        talk = Talk(curator, {name: text for name, text in given.items() if text is not None}, analyst, as_json=as_json)
        if person:
            show(quoted(f"{_HELP}\n"))
            with Remembered(completions(curator)):
                talk.hear(_typed, confirm=_confirmed)
        else:
            lines = iter(sys.stdin)
            talk.hear(lambda _: next(lines).rstrip("\n"), confirm=None)
    if talk.refused and not person:
        raise typer.Exit(2)


@final
class Talk:
    """Questions and answers until nobody asks any more."""

    def __init__(self, curator: Curator, price: dict[str, str], analyst: str = "", *, as_json: bool = False) -> None:
        self._curator, self._price, self._analyst, self._as_json = curator, price, analyst, as_json
        self.refused = 0

    def hear(self, line: Callable[[str], str], confirm: Callable[[], bool] | None) -> None:
        """Take line after line; ``confirm`` asks a person whether a price is right."""
        parts: list[str] = []
        while True:
            try:
                text = line("     ... " if parts else "partita> ")
            except KeyboardInterrupt:
                parts.clear()
                typer.echo("", err=True)
                continue
            except (EOFError, StopIteration):
                break
            if not parts and text.strip().startswith("\\"):
                if text.strip() in ("\\quit", "\\q", "\\exit"):
                    return
                self._guarded(lambda text=text: self._command(text.strip()))  # type: ignore[misc]
                continue
            if text.strip():
                parts.append(text)
            if text.rstrip().endswith(";"):
                question = "\n".join(parts).rstrip().rstrip(";")
                parts.clear()
                self._guarded(lambda question=question: self._ask(question, confirm))  # type: ignore[misc]
        if parts:
            # A file need not end with a semicolon.
            self._guarded(lambda: self._ask("\n".join(parts), confirm))

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except PartitaError as refusal:
            self.refused += 1
            complain(refusal, as_json=self._as_json)
        except KeyboardInterrupt:
            typer.echo("Stopped. A question that was under way may have been charged.", err=True)

    def _command(self, text: str) -> None:
        word, _, rest = text[1:].partition(" ")
        if word in _PRICES and rest.strip():
            if word != "delta":
                self._price = {name: value for name, value in self._price.items() if name == "delta"}
            self._price[word] = rest.strip()
            return
        if word in ("tables", "left"):
            from partita.curator.overview import overview

            show(quoted(overview(self._curator)))
            return
        if word != "help":
            raise refuse.unknown_choice(
                "the command", text, ", ".join(map("\\{}".format, (*_PRICES, "tables", "quit")))
            )
        show(quoted(_HELP))

    def _ask(self, question: str, confirm: Callable[[], bool] | None) -> None:
        from partita.curator.answers.quotation import read_as

        wants: dict[str, Any] = dict(self._price)
        offer = self._curator.quote(question, analyst=self._analyst, **wants)
        if not self._as_json:
            show(quoted("\n".join(filter(None, [read_as(offer.quote), offer.explain()]))))
        if confirm is not None and not (offer.free or offer.fits):
            show("Not asked, and nothing was spent: give a lower price, or ask about people who were asked about less.")
            return
        if confirm is not None and not offer.free and not confirm():
            show("Not asked, and nothing was spent.")
            return
        with busy("Asking"):
            answer = self._curator.ask(question, analyst=self._analyst, **wants)
        if self._as_json:
            show_json(
                {
                    "rows": answer.rows(),
                    "error": answer.error(),
                    "free": answer.free,
                    "costs": list(map(str, answer.costs)),
                }
            )
            return
        show(shown(answer), quoted(bill(answer)))


def completions(curator: Curator) -> list[str]:
    """Everything that can be completed: names of tables and columns, words of SQL, and commands."""
    names = [table.name for table in curator.tables]
    names += [_named(column) for table in curator.tables for column in table.columns]
    names += [_named(name) for public in curator.public for name in (public.name, *public.columns)]
    return list(dict.fromkeys([*names, *_WORDS, *(f"\\{word}" for word in (*_PRICES, "tables", "help", "quit"))]))


def completed(words: Sequence[str], text: str) -> list[str]:
    """The words that a text may become, whatever its capitals, and whether its quotation mark was written or not.

    >>> completed(["visits", "age", "AVG(", '"Age at entry"'], "a")
    ['age', 'AVG(', '"Age at entry"']
    """
    begun = text.lower().lstrip('"')
    return [word for word in words if word.lower().lstrip('"').startswith(begun)]


def _named(column: str) -> str:
    """A column as SQL names it: in quotation marks where it is no plain word."""
    return column if column.isidentifier() else '"' + column.replace('"', '""') + '"'


@final
class Remembered:
    """Lines that can be edited, completed, and found again the next time; plain lines where there is no readline."""

    def __init__(self, words: Iterable[str], place: Path | None = None) -> None:
        self._words = list(words)
        self._place = Path.home() / ".partita_history" if place is None else place
        self._readline: Any = None

    def __enter__(self) -> None:
        with suppress(ImportError):
            import readline

            self._readline = readline
            readline.set_completer_delims(" \t\n,()=<>+-*/;")
            readline.set_completer(lambda text, place: self.one(text, place))
            readline.parse_and_bind("tab: complete")
            with suppress(OSError):
                readline.read_history_file(self._place)

    def one(self, text: str, place: int) -> str | None:
        """The completion at a place, as readline asks for it."""
        found = completed(self._words, text)
        return found[place] if place < len(found) else None

    def __exit__(self, *_: object) -> None:
        if self._readline is not None:
            with suppress(OSError):
                self._readline.set_history_length(1000)
                self._readline.write_history_file(self._place)


def _typed(prompt: str) -> str:
    return input(prompt)


def _confirmed() -> bool:
    """Whether Enter was pressed; anything else leaves the question unasked."""
    try:
        return input("Enter asks it at this price, anything else leaves it: ") == ""
    except (EOFError, KeyboardInterrupt):
        return False
