"""Notebooks: %load_ext partita, then %partita for a curator and %%partita for questions; only IPython needs it."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any, Final, NoReturn, final

from partita.curator.curator import Curator
from partita.curator.settings import open_settings
from partita.errors import PartitaError
from partita.errors import cli as refuse
from partita.errors.wording import printable

_PRICES: Final = ("epsilon", "rho", "mu", "delta", "within", "floor")


@final
class _Words(argparse.ArgumentParser):
    """Options of a magic, whose mistakes are refusals of ours."""

    def error(self, message: str) -> NoReturn:
        raise refuse.bad_magic(message)


def _parser() -> _Words:
    words = _Words(prog="%%partita", add_help=False)
    for option in (*_PRICES, "analyst", "curator", "name"):
        words.add_argument(f"--{option}")
    words.add_argument("--quote", action="store_true")
    return words


@final
class Magic:
    """The curator of a notebook, and what its magics do."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._curator: Curator | None = None

    def line(self, line: str) -> Curator:
        """%partita partita.toml, or %partita curator: what the questions of this notebook go to."""
        given = shlex.split(line)
        if len(given) > 1:
            raise refuse.bad_magic("give one settings file, or the name of one curator")
        if given:
            self._curator = self._found(given[0])
        return self._known()

    def cell(self, line: str, cell: str) -> Any:
        """%%partita --rho 0.01, and a question in SQL: its answer, or with --quote its price."""
        told = _parser().parse_args(shlex.split(line))
        curator = self._known() if told.curator is None else self._found(told.curator)
        wants = {name: getattr(told, name) for name in _PRICES if getattr(told, name) is not None}
        asked = curator.quote if told.quote else curator.ask
        found = asked(cell.strip().rstrip(";"), analyst=told.analyst or "", **wants)
        if told.name is not None:
            self._shell.push({told.name: found})
        return found

    def _known(self) -> Curator:
        if self._curator is None:
            named = [one for one in self._shell.user_ns.values() if isinstance(one, Curator)]
            if len({id(one) for one in named}) != 1:
                raise refuse.no_curator()
            return named[0]
        return self._curator

    def _found(self, name: str) -> Curator:
        held = self._shell.user_ns.get(name)
        return held if isinstance(held, Curator) else open_settings(name)


def shortly(_shell: Any, kind: type[BaseException], refusal: BaseException, *_: Any, **__: Any) -> None:
    """A refusal of ours in its own words; where in our code it was raised helps nobody."""
    code = getattr(refusal, "code", "")
    said = "\n".join(map(printable, str(refusal).split("\n")))
    print(f"{kind.__name__} ({code}): {said}", file=sys.stderr)


def load_ipython_extension(shell: Any) -> None:
    """What %load_ext partita calls."""
    magic = Magic(shell)
    shell.register_magic_function(magic.line, "line", "partita")
    shell.register_magic_function(magic.cell, "cell", "partita")
    shell.set_custom_exc((PartitaError,), shortly)


def unload_ipython_extension(shell: Any) -> None:
    """What %unload_ext partita calls."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("partita", None)
    shell.set_custom_exc((), None)
