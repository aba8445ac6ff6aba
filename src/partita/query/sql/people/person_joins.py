"""Reads joins of people's tables: occurrences that meet on their owner become one table, and columns get its names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse_query
from partita.errors.query import people as refuse
from partita.errors.query import tables as refuse_public
from partita.errors.query.underlined import at
from partita.query.language.conditions import everywhere
from partita.query.language.joined import Existence, Joined, Kind, Link, Occurrence
from partita.query.sql.people.fanning import Fanning
from partita.query.sql.people.join_words import (
    MOST_EXISTING,
    Meant,
    Named,
    full_in,
    inside,
    named_existences,
    parts_of,
    question_in,
    recalled,
    shown,
    spelled_out,
    table_named,
    tied,
    together,
    unlike,
)
from partita.query.sql.people.joined_windows import Windows
from partita.query.sql.places import words
from partita.query.sql.scalars import Reader
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Key, TextKeys

MOST_JOINED: Final = 8
# Of one person: beyond, how long a question takes would tell who is there.
MOST_ROWS: Final = 100_000
_INSIDE: Final = {"kind", "expressions", "from_", "where", "distinct"}
_NAMED: Final = {"this", "alias"}
_KINDS: Final = {"": Kind.INNER, "LEFT": Kind.LEFT, "RIGHT": Kind.LEFT, "FULL": Kind.FULL}


def person_join(text: str, tree: exp.Select, people: People, public: Mapping[str, PublicTable]) -> Table | None:
    """The joined table that a question is about, its words changed to those of that table; None if it joins nothing.

    Every occurrence must be linked to the others by its owner, or by a key that leads to it. What does not compare
    rows of one owner alone is refused.
    """
    joining = _Joining(text, tree, people, {name.lower(): table for name, table in public.items()})
    return joining.table() if joining.concerned() else None


@final
class _Joining:
    def __init__(self, text: str, tree: exp.Select, people: People, public: Mapping[str, PublicTable]) -> None:
        self.text = text
        self.tree = tree
        self.people = people
        self.public = public
        self.tables = {name.lower(): name for name in people.tables}
        self.named: list[Named] = []
        self.beside: list[exp.Join] = []
        self.fanning = Fanning(self)
        self.windows = Windows(self, people)
        self.existences: list[tuple[exp.Expr, Existence]] = []
        self.present: dict[tuple[str, str], None] = {}
        self.owner = people.owner.lower()

    # --- the tables --------------------------------------------------------------------------------------------

    def concerned(self) -> bool:
        """Whether protected tables are joined, or looked for in a condition, or a key is mentioned."""
        source = self.tree.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table):
            return False
        joins = self.tree.args.get("joins") or ()
        if table_named(source.this) in self.public and any(table_named(join.this) in self.tables for join in joins):
            raise self.refused(source.this, refuse.public_first(source.this.name))
        if table_named(source.this) not in self.tables:
            return False
        if self.tables[table_named(source.this)] in self.people.derived:
            return True
        declared = self.people[self.tables[table_named(source.this)]].table.columns
        keys = {name.lower() for name, column in declared.items() if isinstance(column, Key)}
        keyed = any(node.name.lower() in keys for node in self.tree.find_all(exp.Column))
        others = [self.public.get(table_named(join.this)) for join in joins]
        return keyed or any(one is None or one.fanout > 1 for one in others) or bool(self._questions())

    def table(self) -> Table:
        spend(10 * sum(1 for _ in self.tree.walk()), Work.WORDS)
        self._occurrences()
        where = self.tree.args.get("where")
        listed = [] if where is None else parts_of(where.this)
        listed = [part for part in listed if not self.windows.links(part, self.named)]
        conjuncts = [part for part in listed if not self._where_link(part)]
        self._check_linked()
        self.windows.check()
        conjuncts = self.fanning.read(conjuncts)
        for named in self.named:
            if named.occurrence.kind is Kind.INNER and not self._full_after(named):
                conjuncts.extend(named.further)
                named.further = []
        for named in self.named:
            for part in named.further:
                self.fanning.absent_from(part)
                self._rename(part)
        self.tree.set("where", None)
        self.tree.set("joins", None)
        if conjuncts:
            self.tree.set("where", exp.Where(this=together(conjuncts)))
        for node in self._questions():
            self._existence(node)
        shown(self.tree)
        for clause in ("expressions", "where", "group", "having", "order", "qualify"):
            found = self.tree.args.get(clause)
            for node in found if isinstance(found, list) else [found] if found is not None else []:
                self._rename(node, clause)
        for join in self.beside:
            self._rename_public(join)
        joined = self._joined()
        if joined.most > MOST_ROWS:
            raise self.refused(self.tree.args["from_"].this, refuse.too_many_joined(joined.most, MOST_ROWS))
        self.tree.set("from_", exp.From(this=exp.to_table(joined.table.name)))
        self.tree.set("joins", self.beside or None)
        return joined.table

    def _occurrences(self) -> None:
        source, joins = self.tree.args["from_"].this, self.tree.args.get("joins") or ()
        self._add(source, source, Kind.INNER)
        for place, join in enumerate(joins):
            target = join.this
            if table_named(target) in self.public:
                outer = any(later.side.upper() in {"FULL", "RIGHT"} for later in joins[place + 1 :])
                if outer and join.side.upper() != "LEFT":
                    raise self.refused(join, refuse.public_before_full(target.name))
                public = self.public[table_named(target)]
                if public.fanout > 1:
                    self.fanning.add(join, public, self._free(public.name))
                else:
                    self.beside.append(join)
                continue
            if not isinstance(target, exp.Table):
                raise self.refused(join, refuse.question_joined(self.people.owner))
            if table_named(target) not in self.tables:
                known = sorted([*self.tables.values(), *(table.name for table in self.public.values())])
                raise self.refused(join, refuse_public.unknown_join(target.sql(dialect="duckdb")[:40], known))
            side, kind = join.side.upper(), join.kind.upper()
            if kind not in {"", "INNER", "OUTER", "CROSS"} or join.method or side not in _KINDS:
                words_ = " ".join(filter(None, (join.method.upper(), side, kind, "JOIN")))
                raise self.refused(join, refuse.join_kind(words_, target.name, self.people.owner))
            added = self._add(target, join, _KINDS[side])
            if side == "RIGHT":
                self._turned(join, added)
            self._on(join, added)
        if len(self.named) > MOST_JOINED:
            raise self.refused(source, refuse.too_many_tables(len(self.named), MOST_JOINED))

    def _add(self, target: exp.Table, node: exp.Expr, kind: Kind) -> Named:
        table = self.tables[table_named(target)]
        for clause, value in target.args.items():
            if value and clause not in _NAMED:
                raise self.refused(node, refuse_query.not_simple(clause.strip("_").upper()))
        if target.alias_column_names:
            listed = f"{target.alias}({', '.join(target.alias_column_names)})"
            raise self.refused(node, refuse_query.columns_unclear(listed))
        alias = target.alias or target.name
        if any(alias.lower() == one.alias.lower() for one in self.named):
            raise self.refused(node, refuse.one_alias(alias))
        self.named.append(Named(alias, Occurrence(self._free(table), table, kind), node))
        return self.named[-1]

    def _free(self, table: str) -> str:
        """The name of the next occurrence of a table: its own, or with a number that no table has."""
        taken = {one.occurrence.name.lower() for one in self.named} | {one.name.lower() for one in self.fanning.named}
        return unlike(table, taken, self.tables)

    def _turned(self, join: exp.Join, added: Named) -> None:
        """A right join is a left join from the other side."""
        if len(self.named) != 2:
            raise self.refused(join, refuse.right_of_several(added.occurrence.table))
        first = self.named[0]
        self.named = []
        for named, kind in ((added, Kind.INNER), (first, Kind.LEFT)):
            name = self._free(named.occurrence.table)
            named.occurrence = Occurrence(name, named.occurrence.table, kind)
            self.named.append(named)

    def _full_after(self, named: Named) -> bool:
        return full_in(self.named[self.named.index(named) + 1 :])

    # --- links -------------------------------------------------------------------------------------------------

    def _on(self, join: exp.Join, added: Named) -> None:
        for column in join.args.get("using") or ():
            self._using(join, added, column.name)
        last = self.named[-1]
        for part in parts_of(join.args["on"]) if join.args.get("on") is not None else ():
            if self.windows.links(part, [last]):
                continue
            found = self._link(part)
            if found is None:
                last.further.append(part)
            elif found[0] is not last:
                raise self.refused(part, refuse.link_elsewhere(added.occurrence.table, self.people.owner))
            else:
                last.links.append(found[1])

    def _using(self, join: exp.Join, added: Named, name: str) -> None:
        last = self.named[-1]
        mine = self.column(last, name)
        others = [(one, column) for one in self.named[:-1] if (column := self.column(one, name)) is not None]
        if full_in(self.named[:-1]):
            raise self.refused(join, refuse.owner_behind_full(name, added.occurrence.table))
        found = mine is not None and bool(others)
        link = self._linking(Meant(last, mine or ""), Meant(*others[0])) if found else None
        if link is None:
            raise self.refused(join, refuse.not_a_link(name, added.occurrence.table, self.people.owner))
        last.links.append(link[1])

    def _where_link(self, part: exp.Expr) -> bool:
        """Whether a conjunct of WHERE was a link between two occurrences, and is one of the join now."""
        found = self._link(part)
        if found is None:
            return False
        named, link = found
        if named.occurrence.kind is not Kind.INNER or self._full_after(named):
            raise self.refused(part, refuse.link_in_where(named.occurrence.table))
        named.links.append(link)
        return True

    def _link(self, part: exp.Expr) -> tuple[Named, Link] | None:
        """An equality of owners or of keys, with the later of its two occurrences."""
        part = part.unnest()
        if not isinstance(part, exp.EQ):
            return None
        sides = [part.this.unnest(), part.expression.unnest()]
        if not all(isinstance(side, exp.Column) for side in sides):
            return None
        first, second = (self.meant(side) or self._first(side) for side in sides)
        if first is None or second is None or first.named is second.named:
            return None
        if self.named.index(first.named) > self.named.index(second.named):
            first, second = second, first
        return self._linking(second, first)

    def _first(self, node: exp.Column) -> Meant | None:
        """The owner without a table before it: that of the first."""
        if node.table or node.name.lower() != self.owner:
            return None
        if full_in(self.named[:-1]):
            raise self.refused(node, refuse.owner_behind_full(node.name, self.named[-1].occurrence.table))
        return Meant(self.named[0], self.people[self.named[0].occurrence.table].table.owner or "")

    def _linking(self, mine: Meant, theirs: Meant) -> tuple[Named, Link] | None:
        other = theirs.named.occurrence.name
        if self._owns(mine) and self._owns(theirs):
            return mine.named, Link(other)
        if isinstance(self.declared(mine), Key) and isinstance(self.declared(theirs), Key):
            return mine.named, Link(other, mine.column, theirs.column)
        return None

    def _check_linked(self) -> None:
        """Refuse occurrences that rows of other people could meet."""
        pairs = list[tuple[str, str]]()
        for named in self.named:
            implied = [link for link in named.links if self._implies_from(named.occurrence.table, link)]
            if named.occurrence.kind is not Kind.INNER and not implied:
                raise self.refused(named.node, self._unlinked(named))
            pairs += [(named.occurrence.name, link.other) for link in implied]
        met = tied([one.occurrence.name for one in self.named], pairs)
        for named in self.named:
            if named.occurrence.name not in met:
                raise self.refused(named.node, self._unlinked(named))

    def _unlinked(self, named: Named) -> QueryRefused:
        first = next(one for one in self.named if one is not named)
        owner = self.people.owner
        return refuse.not_linked(named.occurrence.table, f"{named.alias}.{owner} = {first.alias}.{owner}", owner)

    # --- columns -----------------------------------------------------------------------------------------------

    def column(self, named: Named, name: str) -> str | None:
        """The column of this name, as the table spells it."""
        return next(
            (column for column in self.people[named.occurrence.table].table.columns if column.lower() == name.lower()),
            None,
        )

    def declared(self, meant: Meant) -> object:
        return self.people[meant.named.occurrence.table].table.columns[meant.column]

    def _owns(self, meant: Meant) -> bool:
        return meant.column == self.people[meant.named.occurrence.table].table.owner

    def meant(self, node: exp.Column) -> Meant | None:
        """The occurrence and column that a column stands for; None if it is none of theirs, or the owner of all."""
        if isinstance(node.this, exp.Star):
            return None
        qualifier = node.table.lower()
        if qualifier:
            found = [one for one in self.named if one.alias.lower() == qualifier]
            found = found or [one for one in self.named if one.occurrence.table.lower() == qualifier]
            if len(found) != 1:
                public = [*self.beside, *(one.join for one in self.fanning.named)]
                if any(qualifier in (join.this.alias.lower(), table_named(join.this)) for join in public):
                    return None
                raise self.refused(node, refuse_query.unknown_table(node.table, [one.alias for one in self.named]))
            column = self.column(found[0], node.name)
            if column is None:
                names = [
                    name for name in self.people[found[0].occurrence.table].table.columns if name.lower() != self.owner
                ]
                raise self.refused(node, refuse_query.unknown_column(node.name, found[0].alias, names))
            return Meant(found[0], column)
        every = [Meant(one, column) for one in self.named if (column := self.column(one, node.name)) is not None]
        if node.name.lower() == self.owner or not every:
            return None
        if len(every) > 1:
            names = [f"{one.named.alias}.{one.column}" for one in every]
            raise self.refused(node, refuse.ambiguous_column(node.name, names))
        return every[0]

    def _rename(self, tree: exp.Expr, clause: str = "") -> None:
        """Every column under its name in the joined table."""
        aliases = {item.alias.lower() for item in self.tree.expressions if isinstance(item, exp.Alias)}
        for node in list(tree.find_all(exp.Column)):
            if node.meta.get("joined"):
                continue
            if clause in {"having", "order", "qualify"} and not node.table and node.name.lower() in aliases:
                continue
            if (called := self.fanning.called(node)) is not None:
                recalled(node, called)
                continue
            meant = self.meant(node)
            if meant is None:
                if not node.table and node.name.lower() == self.owner:
                    recalled(node, self.people.owner)
                continue
            recalled(node, self._joined_name(node, meant))

    def _joined_name(self, node: exp.Column, meant: Meant) -> str:
        declared, name = self.declared(meant), meant.named.occurrence.name
        if isinstance(declared, Bounded | TextKeys):
            return self.windows.called(meant) or f"{name}.{meant.column}"
        asked = isinstance(node.parent, exp.Count) or (
            isinstance(node.parent, exp.Is) and isinstance(node.parent.expression, exp.Null)
        )
        if asked:
            self.present[name, meant.column] = None
            return f"{name}.{meant.column}"
        if not self._owns(meant):
            raise self.refused(node, refuse.key_column(meant.column))
        if name in self._absent():
            raise self.refused(node, refuse.owner_of_absent(node.sql(dialect="duckdb"), self.people.owner))
        return self.people.owner

    def _absent(self) -> frozenset[str]:
        return Joined(self.people, tuple(one.occurrence for one in self.named)).nullable

    def _rename_public(self, join: exp.Join) -> None:
        """The column that leads to a public table, under its name in the joined table."""
        spelled_out(join)
        if join.args.get("on") is not None:
            self._rename(join.args["on"])

    # --- questions in conditions -------------------------------------------------------------------------------

    def _questions(self) -> list[exp.Expr]:
        """EXISTS and IN with a question in brackets, outside of others."""
        found: list[exp.Expr] = []
        for clause in ("expressions", "where", "group", "having", "order"):
            value = self.tree.args.get(clause)
            for node in value if isinstance(value, list) else [value] if value is not None else []:
                for part in node.find_all(exp.Exists, exp.In):
                    if question_in(part) is not None and part.find_ancestor(exp.Select) is self.tree:
                        found.append(part)
        return found

    def _existence(self, node: exp.Expr) -> None:
        inner = question_in(node)
        assert inner is not None
        source = exp.Table() if inner.args.get("from_") is None else inner.args["from_"].this
        table = self.tables.get(table_named(source), "")
        odd = any(value and clause not in _INSIDE for clause, value in inner.args.items())
        odd = odd or any(value and clause not in _NAMED for clause, value in source.args.items())
        if not table or odd or any(item.find(exp.AggFunc) for item in inner.expressions):
            raise self.refused(node, refuse.not_an_existence(self.people.owner))
        alias, declared = source.alias_or_name.lower(), self.people[table].table
        links: list[Link] = []
        if isinstance(node, exp.In):
            links.append(self._member(node, inner, alias, declared))
        own, same, where = list[exp.Expr](), self.people.persons.per is None, inner.args.get("where")
        for part in [] if where is None else parts_of(where.this):
            link = self._correlated(part, alias, table)
            if link is not None:
                links.append(link)
            elif self.windows.correlated(part, alias, table):
                same = True
            elif any(not inside(column, alias, declared) for column in part.find_all(exp.Column)):
                raise self.refused(part, refuse.correlated(self.people.owner))
            else:
                own.append(part)
        if not any(self._implies_from(table, link) for link in links):
            first = self.named[0].alias
            example = f"{source.alias_or_name}.{self.people.owner} = {first}.{self.people.owner}"
            raise self.refused(node, refuse.not_linked(table, example, self.people.owner))
        if not same or self.windows.apart:
            raise self.refused(node, self.windows.unlinked(source.alias_or_name))
        met = everywhere(declared.domain)
        if own:
            met = Reader(self.text, declared, source.alias_or_name).condition(together(own))
        made = exp.column(exp.to_identifier("exists", quoted=True))
        made.meta["joined"] = True
        node.replace(made)
        self.existences.append((made, Existence("", table, tuple(dict.fromkeys(links)), met)))

    def _member(self, node: exp.In, inner: exp.Select, alias: str, declared: Table) -> Link:
        """x IN (SELECT owner FROM ...): the owner of an occurrence that every joined row has."""
        item = inner.expressions[0].unalias() if len(inner.expressions) == 1 else None
        subject = node.this.unnest()
        meant = self.meant(subject) or self._first(subject) if isinstance(subject, exp.Column) else None
        owned = isinstance(item, exp.Column) and inside(item, alias, declared)
        if owned and isinstance(item, exp.Column) and meant is not None and node.find_ancestor(exp.Not) is None:
            mine = next(name for name in declared.columns if name.lower() == item.name.lower())
            if isinstance(declared.columns[mine], Key) and isinstance(self.declared(meant), Key):
                return Link(meant.named.occurrence.name, mine, meant.column)
        if (
            not owned
            or not isinstance(item, exp.Column)
            or declared.owner is None
            or item.name.lower() != declared.owner.lower()
            or meant is None
            or not self._owns(meant)
            or meant.named.occurrence.name in self._absent()
        ):
            raise self.refused(node, refuse.member_of_others(self.people.owner))
        return Link(meant.named.occurrence.name)

    def _correlated(self, part: exp.Expr, alias: str, table: str) -> Link | None:
        """inner.owner = outer.owner, or the same of keys."""
        part = part.unnest()
        if not isinstance(part, exp.EQ):
            return None
        declared = self.people[table].table
        sides = [part.this.unnest(), part.expression.unnest()]
        for mine, other in (sides, sides[::-1]):
            if not isinstance(mine, exp.Column) or not isinstance(other, exp.Column):
                return None
            if not inside(mine, alias, declared) or inside(other, alias, declared):
                continue
            theirs = self.meant(other)
            column = next(name for name in declared.columns if name.lower() == mine.name.lower())
            if theirs is None:
                return None
            if column == declared.owner and self._owns(theirs):
                return Link(theirs.named.occurrence.name)
            if isinstance(declared.columns[column], Key) and isinstance(self.declared(theirs), Key):
                return Link(theirs.named.occurrence.name, column, theirs.column)
        return None

    def _implies_from(self, table: str, link: Link) -> bool:
        """Whether rows of a table that are linked so have one owner with those that they are linked to."""
        if link.mine is None or link.theirs is None:
            return True
        other = next(one for one in self.named if one.occurrence.name == link.other)
        mine = self.people.meant(table, link.mine)
        return mine is not None and mine == self.people.meant(other.occurrence.table, link.theirs)

    # --- the joined table --------------------------------------------------------------------------------------

    def _joined(self) -> Joined:
        occurrences = []
        for named in self.named:
            links = tuple(sorted(dict.fromkeys(named.links), key=repr))
            named.occurrence = replace(named.occurrence, links=links)
            occurrences.append(named.occurrence)
        existences = named_existences(self.existences)
        if len(existences) > MOST_EXISTING:
            raise self.refused(self.named[0].node, refuse.too_many_existences(len(existences), MOST_EXISTING))
        present, fans = tuple(sorted(self.present)), tuple(self.fanning.fans)
        made = Joined(self.people, tuple(occurrences), existences, present, fans, self.windows.apart)
        reader = Reader(self.text, made.table, made.table.name)
        conditions = [reader.condition(together(one.further)) if one.further else None for one in self.named]
        if not any(conditions):
            return made
        finished = [replace(one, on=on) for one, on in zip(occurrences, conditions, strict=True)]
        return replace(made, occurrences=tuple(finished))

    def refused(self, node: exp.Expr, problem: QueryRefused) -> QueryRefused:
        return at(problem, words(self.text, node))
