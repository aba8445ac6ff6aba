"""The one fixed truncation behind a promise on users: at most so many rows an owner (cut in `engine.statements`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from partita.errors.query import prices as refuse_selection
from partita.errors.query import tables as refuse
from partita.granularity import Granularity, Users
from partita.query.tables.schema import Table
from partita.region.domain import Domain

SEPARATOR = "\x1f"
NOTHING = "\x1e"
# 96 bits in hexadecimal: key and row then mostly fit one measurement of the hash.
KEY_DIGITS = 24


@final
@dataclass(frozen=True, slots=True)
class Caps:
    """The most that one owner may add to one question: so many rows, in so many groups, and so many rows in ``each``.

    None where nothing is said.

    >>> Caps.of(10, 3)
    Caps(rows=10, groups=3, each=None)
    """

    rows: int | None = None
    groups: int | None = None
    each: int | None = None

    @classmethod
    def of(cls, rows: object = None, groups: object = None, each: object = None) -> Caps:
        """The caps, if they can be used."""
        found: list[int | None] = []
        for name, value in (("rows_per_user", rows), ("groups_per_user", groups), ("rows_per_group", each)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise refuse_selection.bad_cap(name, value)
            found.append(value)
        return cls(*found)

    def __bool__(self) -> bool:
        return self.rows is not None or self.groups is not None or self.each is not None

    def over(self, other: Caps) -> Caps:
        """These caps, and those of another where nothing is said here."""
        mine, theirs = (self.rows, self.groups, self.each), (other.rows, other.groups, other.each)
        return Caps(*(before if now is None else now for now, before in zip(mine, theirs, strict=True)))

    @property
    def moved(self) -> int | None:
        """The most rows of a question that change with one kept row that comes or goes; None where it is not counted.

        A row that opens a group lets in one row, and a group with up to ``each`` rows goes for it; one in a group that
        is full changes places with another (theory I9, event_promise.proof.md).

        >>> Caps(groups=1, each=3).moved, Caps(each=3).moved, Caps(groups=1).moved
        (4, 2, None)
        """
        if self.each is None or self.rows is not None:
            return None
        return 2 if self.groups is None else 1 + self.each


UNCAPPED = Caps()


@final
@dataclass(frozen=True, slots=True)
class Truncation:
    """Keeps at most ``rows`` rows of each owner (and part of an owner, if ``per`` names a column).

    Which rows are kept depends on the owner's own rows and on ``key`` alone (theory E14): they are ordered by a
    keyed hash of their sanitised values. The key is drawn once, at the birth of the ledger, and never changes, so
    that an owner has the same rows in every question. Rows without an owner are left out, and so are rows in no part
    of their owner: those whose stored value of ``per`` is not itself a declared value. Clamped to the first day, or
    given a stand-in, they would compete with rows of that day for its places, and a day taken away would let them in.

    ``inside`` is the most of these rows that one question may use, taken in the same order; ``groups`` the most groups
    of one question that an owner may be counted in, in a keyed order of the owner's own groups; ``each`` the most rows
    of an owner in one of these groups, again in the order of rows. Groups are chosen first, then rows in each of them,
    then rows altogether.

    ``kept`` says that an engine holds no other rows than the kept ones, so that nothing is left to be cut: ``rows`` is
    then what is known of them, and the order is only looked at for the caps of one question.
    """

    owner: str
    rows: int
    key: str = field(repr=False)
    per: str | None = None
    inside: int | None = None
    groups: int | None = None
    kept: bool = False
    each: int | None = None

    @property
    def fixed(self) -> Truncation:
        """What never changes during the life of the ledger: the truncation without the caps of one question."""
        return Truncation(self.owner, self.rows, self.key, self.per)

    @property
    def most(self) -> int:
        """The most rows of one owner that any one release uses."""
        most = self.rows if self.inside is None else min(self.rows, self.inside)
        return most if self.groups is None or self.each is None else min(most, self.groups * self.each)

    @property
    def grouped(self) -> bool:
        """Whether the groups of a question decide which rows of an owner are used."""
        return self.groups is not None or self.each is not None

    @property
    def ordered(self) -> bool:
        """Whether one question looks at the order of an owner's rows once more."""
        return self.inside is not None or self.each is not None

    def capped(self, caps: Caps) -> Truncation:
        """The truncation with the tighter caps of one question.

        >>> Truncation("patient", 10, "k").capped(Caps(rows=3)).most
        3
        """
        inside = [cap for cap in (self.inside, caps.rows) if cap is not None and cap < self.rows]
        return replace(self, inside=min(inside, default=None), groups=caps.groups, each=caps.each)

    def altogether(self, domain: Domain) -> int:
        """The most rows of one owner that are kept at all, over all parts of the owner."""
        parts = 1 if self.per is None else domain.bounded[domain.axis(self.per)].size
        return self.rows * parts

    def group_place(self, owner: str, group: Sequence[str | None]) -> str:
        """Where a group stands in the order of its owner's groups."""
        text = SEPARATOR.join((self.key, owner, *(NOTHING if value is None else value for value in group)))
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    def place(self, values: Sequence[str | None]) -> str:
        """Where a row stands in the order of its owner's rows.

        >>> Truncation("patient", 3, "k").place(["40", None]) < "g"
        True
        """
        text = SEPARATOR.join((self.key, *(NOTHING if value is None else value for value in values)))
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def truncation(table: Table, granularities: Iterable[Granularity], key: str) -> Truncation | None:
    """The truncation that serves every promise on users of a table, or None if there is no such promise.

    >>> from partita.granularity import rows, users
    >>> from partita.region.columns import identifier, integers
    >>> visits = Table("visits", [], {"patient": identifier(), "age": integers(0, 120)})
    >>> truncation(visits, [rows(), users("patient", rows=5), users("patient", rows=3)], "key").rows
    3
    """
    found: Truncation | None = None
    for granularity in granularities:
        users = granularity.single
        if not isinstance(users, Users):
            continue
        if table.owner is None or users.column.lower() != table.owner.lower():
            raise refuse.no_owner(table.name, str(users))
        per = None if users.per is None else table.domain.axes[table.domain.axis(users.per)]
        if found is not None and found.per != per:
            raise refuse.unlike_caps(table.name)
        caps = [users.rows] if found is None else [users.rows, found.rows]
        inside = [cap for cap in (users.in_region, None if found is None else found.inside) if cap is not None]
        found = Truncation(table.owner, min(caps), key[:KEY_DIGITS], per, min(inside, default=None))
    return found
