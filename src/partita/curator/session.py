"""A session: one analyst's view of a curator, under limits of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar, cast, final

from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.errors import PartitaError
from partita.errors import curator as refuse
from partita.errors import foundation as refuse_live
from partita.live import Live
from partita.notebook import InWords
from partita.query.builder.frame import Frame
from partita.query.tables.schema import Table

_AGAIN = "Open it again from a curator where it is needed."

Given = ParamSpec("Given")
Found = TypeVar("Found")


def _own(verb: Callable[Concatenate[Curator, Given], Found]) -> Callable[Concatenate[Session, Given], Found]:
    """A verb of the curator, said in the name of the session's analyst and of nobody else.

    It shows the curator's words and keywords but for ``analyst``, which is refused if it is given.
    """
    said = cast(Callable[..., Found], verb)

    @wraps(verb)
    def own(self: Session, /, *given: Given.args, **options: Given.kwargs) -> Found:
        return said(self._curator, *given, analyst=self.analyst, **options)

    whole = signature(verb)
    kept = [one for one in whole.parameters.values() if one.name != "analyst"]
    vars(own)["__signature__"] = whole.replace(parameters=kept)
    own.__qualname__ = f"Session.{verb.__name__}"
    return own


@final
class Session(InWords, Live):
    """Questions of one analyst: charged to the joint account and to the analyst's own, and both limits hold.

    Its verbs are those of :class:`Curator`, in the name of this analyst.
    """

    def __init__(self, curator: Curator, analyst: str) -> None:
        super().__init__()
        self._curator = curator
        self.analyst = analyst

    ask = _own(Curator.ask)
    ask_many = _own(Curator.ask_many)
    quote = _own(Curator.quote)
    batch = _own(Curator.batch)
    plan = _own(Curator.plan)
    run = _own(Curator.run)
    admits = _own(Curator.admits)
    released = _own(Curator.released)
    open = _own(Curator.open)
    spent = _own(Curator.spent)
    remaining = _own(Curator.remaining)

    def __str__(self) -> str:
        left = "; ".join(map(str, self.remaining()))
        return f"{self._curator}\nAsked by {self.analyst}, for whom is left: {left}."

    def __repr__(self) -> str:
        return f"<Session of {self.analyst}; print it to see what may be asked>"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The protected tables."""
        return self._curator.tables

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What the curator has promised, whoever asks."""
        return self._curator.promises

    def table(self, name: str) -> Frame:
        """A table to build a question from."""
        return self._curator.table(name)

    def relation(self, rows: str) -> Table:
        """The rows of a table, or of a join as SQL writes it after FROM, with the columns that algorithms can read."""
        return self._curator.relation(rows)

    def _copied(self) -> PartitaError:
        return refuse.not_sent("A session", _AGAIN)

    def _forked(self) -> PartitaError:
        return refuse_live.forked("A session", "Fork first, and open a curator in each process.")
