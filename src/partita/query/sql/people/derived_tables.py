"""Reads questions in brackets that are joined or rank rows within one owner: each becomes a derived table of people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import people as refuse
from partita.errors.query.underlined import at
from partita.query.exact.workings import gathered as working
from partita.query.exact.workings import typed
from partita.query.language.conditions import Condition
from partita.query.language.derived import Derived
from partita.query.language.joined import joined_of
from partita.query.sql.people.join_words import parts_of, question_in, table_named, together
from partita.query.sql.people.over_clauses import ranked, windows_of
from partita.query.sql.people.per_user import GatheringWords
from partita.query.sql.places import words
from partita.query.sql.scalars import Reader
from partita.query.sql.subqueries import gathered
from partita.query.tables.people import Keeping, People
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Column, Key, identifier

Based = Callable[[People, exp.Select], tuple[Reader, Condition]]
MOST_DERIVED: Final = 6
_GATHERING: Final = {"kind", "expressions", "from_", "joins", "where", "group", "having"}
_SINGLE: Final = (exp.Avg, exp.Sum, exp.Min, exp.Max, exp.Count)
_CHOOSING: Final = {"kind", "expressions", "from_", "joins", "where", "qualify", "distinct"}


def derived_tables(text: str, tree: exp.Select, people: People, based: Based) -> People:
    """The people with a table for each question in brackets that needs one; its place in the question names it."""
    reading = _Deriving(text, people, based)
    reading.select(tree, _named(tree))
    return reading.people


@final
@dataclass
class _Deriving:
    text: str
    people: People
    based: Based

    def select(self, tree: exp.Select, known: Mapping[str, exp.Select]) -> None:
        """Every source of one SELECT, and of the question that it may be about."""
        spend(5 * sum(1 for _ in tree.walk()), Work.WORDS)
        self._matching(tree)
        sources = [part for part in (tree.args.get("from_"), *(tree.args.get("joins") or ())) if part is not None]
        for part in sources:
            inner = self._inner(part.this, known)
            if inner is None or self._filtered(tree, part, inner):
                continue
            if self._needed(tree, part, inner, known):
                part.set("this", self._table(inner, part.this.alias_or_name, known))
            elif isinstance(part.this, exp.Subquery):
                self.select(inner, {**known, **_named(inner)})
        where = tree.args.get("where")
        for node in [] if where is None else list(where.find_all(exp.In)):
            question = question_in(node)
            if question is not None and node.find_ancestor(exp.Select) is tree and _more(question):
                self._owners(node, question, known)
        for node in [] if where is None else list(where.find_all(exp.Subquery)):
            if node.find_ancestor(exp.Select) is tree and isinstance(node.this, exp.Select):
                self._compared(tree, node, node.this, known)

    def _inner(self, source: exp.Expr, known: Mapping[str, exp.Select]) -> exp.Select | None:
        if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Select):
            return source.this
        named = known.get(table_named(source))
        return None if named is None else named.copy()

    def _needed(self, tree: exp.Select, part: exp.Expr, inner: exp.Select, known: Mapping[str, exp.Select]) -> bool:
        """Whether the rest of the language cannot take a question apart: it is joined, or ranks rows of one owner."""
        if not self._about_people(inner):
            return False
        if windows_of(inner) or inner.args.get("distinct") or self._groups_by_key(inner):
            return True
        return isinstance(part, exp.Join) or (gathered(inner) and self._joined(tree, known))

    def _groups_by_key(self, inner: exp.Select) -> bool:
        table = {name.lower(): name for name in self.people.keepings}.get(table_named(inner.args["from_"].this))
        group = inner.args.get("group")
        if table is None or group is None:
            return False
        keys = {name.lower() for name, one in self.people[table].table.columns.items() if isinstance(one, Key)}
        meant = [_meant(inner, node) for node in group.expressions]
        return any(isinstance(node, exp.Column) and node.name.lower() in keys for node in meant)

    def _joined(self, tree: exp.Select, known: Mapping[str, exp.Select]) -> bool:
        """Whether anything but public tables is joined."""
        ours = {name.lower() for name in self.people.keepings} | known.keys()
        named = [table_named(join.this) for join in tree.args.get("joins") or ()]
        return any(not name or name in ours for name in named)

    def _about_people(self, inner: exp.Select) -> bool:
        """Whether the tables of a question are known here; otherwise it is refused where its words are read."""
        source = inner.args.get("from_")
        if source is None:
            return False
        if isinstance(source.this, exp.Subquery):
            return isinstance(source.this.this, exp.Select) and self._about_people(source.this.this)
        return isinstance(source.this, exp.Table)

    # --- one table ---------------------------------------------------------------------------------------------

    def _table(self, inner: exp.Select, alias: str, known: Mapping[str, exp.Select]) -> exp.Table:
        """A derived table in place of a question in brackets."""
        if len(self.people.derived) >= MOST_DERIVED:
            raise self._refused(inner, refuse.too_many_derived(MOST_DERIVED))
        inner = inner.copy()
        written = inner.sql(dialect="duckdb")
        self.select(inner, {**known, **_named(inner)})
        inner.set("with_", None)
        made = self._gathered(inner, written) if _gathers(inner) else self._chosen(inner, written)
        parent = next((led[0] for key in made.linked if (led := self.people.meant(made.base.name, key))), None)
        chain = made.linked[0] if made.linked else None
        unique = made.linked if made.per_user is not None and not made.per_user.keys else ()
        keeping = Keeping(made.table, made.cap, chain, parent, unique)
        self.people = self.people.beside(made.table.name, keeping, made)
        named = exp.to_table(made.table.name)
        if alias:
            named.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        return named

    def _gathered(self, inner: exp.Select, written: str) -> Derived:
        """One row for each owner, or for each owner and each value of other keys."""
        self._only(inner, _GATHERING)
        linked = self._by_key(inner)
        base, met = self._base(inner)
        most = self._most(base.table)
        per_user, rest = GatheringWords(base, inner, most).read()
        for column in per_user.columns:
            typed(working(column, base.table.domain), lambda: "What this question gathers")
        reader = Reader(self.text, per_user.table, per_user.table.name)
        having = rest.args.get("where")
        kept = None if having is None else reader.condition(having.this)
        columns: dict[str, str] = {}
        for item in rest.expressions:
            found = item.unalias()
            name = item.alias_or_name
            if not isinstance(found, exp.Column) or isinstance(found.this, exp.Star):
                raise self._refused(inner, refuse.derived_column(name or found.sql(dialect="duckdb")))
            if base.table.owner is not None and found.name.lower() == base.table.owner.lower():
                self._owner(item, name)
                continue
            if name.lower() in {one.lower() for one in columns}:
                raise self._refused(inner, refuse.derived_twice(name))
            columns[name] = _spelled(found.name, per_user.table)
        cap = most if per_user.keys or linked else 1
        return self._made(
            "gathered", base.table, met, columns, per_user.table, kept, cap, written, per_user=per_user, linked=linked
        )

    def _by_key(self, inner: exp.Select) -> tuple[str, ...]:
        """GROUP BY a key that leads to the owner: the key is taken out, and the owner stands in its place."""
        source, group = inner.args["from_"].this, inner.args.get("group")
        spelled = {name.lower(): name for name in self.people.keepings}
        table = spelled.get(table_named(source))
        if table is None or group is None or inner.args.get("joins"):
            return ()
        columns = {name.lower(): name for name, one in self.people[table].table.columns.items() if isinstance(one, Key)}
        listed = [_meant(inner, node).copy() for node in group.expressions]
        found = [node for node in listed if isinstance(node, exp.Column) and node.name.lower() in columns]
        led = [columns[node.name.lower()] for node in found if self.people.meant(table, columns[node.name.lower()])]
        if len(found) != 1 or not led:
            return ()
        owner = exp.column(exp.to_identifier(self.people.owner, quoted=True))
        rest = [node for node in listed if node not in found]
        if not any(isinstance(node, exp.Column) and node.name.lower() == self.people.owner.lower() for node in rest):
            rest.append(owner)
        group.set("expressions", rest)
        shown = [
            item
            for item in inner.expressions
            if not (isinstance(item.unalias(), exp.Column) and item.unalias().name.lower() in columns)
        ]
        inner.set("expressions", shown or [owner.copy()])
        return tuple(led)

    def _chosen(self, inner: exp.Select, written: str) -> Derived:
        """Rows as they are, with what is computed from others of the same owner beside them."""
        self._only(inner, _CHOOSING)
        base, met = self._base(inner)
        owner = base.table.owner or ""
        most = self._most(base.table)
        made = ranked(base, inner, owner, most)
        if inner.args.get("distinct") and made.shown:
            raise self._refused(inner, refuse.distinct_rows(owner))
        cap = 1 if inner.args.get("distinct") else most
        named = {window.name: window.declared for window in made.windows}
        own: dict[str, Column] = {
            name: column for name, column in base.table.columns.items() if isinstance(column, Bounded)
        }
        inside = Table(base.table.name, [], {**own, **named} or {"nothing": _nothing()})
        qualify = inner.args.get("qualify")
        kept = None
        if qualify is not None:
            kept = Reader(self.text, inside, inside.name).condition(qualify.this)
        return self._made("chosen", base.table, met, made.shown, inside, kept, cap, written, windows=made.windows)

    def _made(
        self,
        word: str,
        base: Table,
        met: Condition,
        columns: Mapping[str, str],
        inside: Table,
        kept: Condition | None,
        cap: int,
        written: str,
        **parts: object,
    ) -> Derived:
        owner = self.people.owner
        linked = parts.get("linked", ())
        assert isinstance(linked, tuple)
        declared: dict[str, Column] = {owner: identifier(), **{name: base.columns[name] for name in linked}}
        for shown, meant in columns.items():
            if shown.lower() in {name.lower() for name in declared}:
                raise refuse.derived_twice(shown)
            declared[shown] = inside.columns[meant]
        name = self._free(f"{word}_{base.name}")
        table = Table(name, [], declared).sealed(self.people.batch)
        return Derived(
            base=base,
            where=met,
            per_user=parts.get("per_user"),  # type: ignore[arg-type]
            linked=linked,
            windows=parts.get("windows", ()),  # type: ignore[arg-type]
            columns=tuple(columns.items()),
            inside=inside,
            kept=kept,
            table=table,
            cap=cap,
            written=written,
        )

    def _base(self, inner: exp.Select) -> tuple[Reader, Condition]:
        """The rows that a question in brackets is about, and which of them count."""
        if not isinstance(inner.args["from_"].this, exp.Table):
            raise self._refused(inner, refuse.derived_of_derived(self.people.owner))
        base, met = self.based(self.people, inner)
        where = inner.args.get("where")
        return base, met if where is None else met & base.condition(where.this)

    def _most(self, table: Table) -> int:
        joined = joined_of(table)
        return self.people[table.name].cap if joined is None else joined.most

    def _owner(self, item: exp.Expr, name: str) -> None:
        if name.lower() != self.people.owner.lower():
            raise self._refused(item, refuse.owner_renamed(name, self.people.owner))

    def _free(self, name: str) -> str:
        taken = {one.lower() for one in self.people.keepings}
        found, number = name, 1
        while found.lower() in taken:
            number += 1
            found = f"{name}_{number}"
        return found

    # --- conditions --------------------------------------------------------------------------------------------

    def _owners(self, node: exp.In, question: exp.Select, known: Mapping[str, exp.Select]) -> None:
        """x IN (SELECT owner FROM ... GROUP BY owner HAVING ...): the owners of a derived table."""
        item = question.expressions[0].unalias() if len(question.expressions) == 1 else None
        if not isinstance(item, exp.Column):
            return
        if item.name.lower() != self.people.owner.lower() and not self._groups_by_key(question):
            return
        named = self._table(question, "", known)
        made = exp.select(exp.column(exp.to_identifier(item.name, quoted=True))).from_(named)
        node.set("query", exp.Subquery(this=made))

    def _compared(
        self, tree: exp.Select, node: exp.Subquery, inner: exp.Select, known: Mapping[str, exp.Select]
    ) -> None:
        """x > (SELECT AVG(x) FROM ... WHERE inner.owner = outer.owner): a column of rows gathered by owner."""
        if isinstance(node.parent, exp.In | exp.Exists) or len(inner.expressions) != 1 or tree.args["from_"] is None:
            return
        call, source, where = inner.expressions[0].unalias(), inner.args.get("from_"), inner.args.get("where")
        if not isinstance(call, _SINGLE) or source is None or not table_named(source.this) or where is None:
            return
        if any(
            value and clause not in {"kind", "expressions", "from_", "where"} for clause, value in inner.args.items()
        ):
            return
        alias, owner = source.this.alias_or_name.lower(), self.people.owner.lower()
        tests, outside = parts_of(where.this), list[exp.Column]()
        for part in list(tests):
            sides = [part.this.unnest(), part.expression.unnest()] if isinstance(part, exp.EQ) else []
            if len(sides) == 2 and all(isinstance(one, exp.Column) and one.name.lower() == owner for one in sides):
                outside += [one for one in sides if one.table and one.table.lower() != alias]
                tests.remove(part)
        if len(outside) != 1:
            return
        made = exp.Select(expressions=[exp.column(exp.to_identifier(self.people.owner, quoted=True))])
        made.args["expressions"].append(exp.alias_(call.copy(), "value"))
        made.set("from_", source.copy())
        made.set("group", exp.Group(expressions=[exp.column(exp.to_identifier(self.people.owner, quoted=True))]))
        if tests:
            made.set("where", exp.Where(this=together(tests)))
        taken = {part.this.alias_or_name.lower() for part in (tree.args["from_"], *(tree.args.get("joins") or ()))}
        name = next(f"asked_{number}" for number in range(1, 99) if f"asked_{number}" not in taken)
        mine = exp.column(exp.to_identifier(self.people.owner, quoted=True), table=exp.to_identifier(name))
        join = exp.Join(this=self._table(made, name, known), side="LEFT")
        join.set("on", exp.EQ(this=mine, expression=outside[0].copy()))
        tree.set("joins", [*(tree.args.get("joins") or ()), join])
        value: exp.Expr = exp.column(exp.to_identifier("value"), table=exp.to_identifier(name))
        if isinstance(call, exp.Count):
            value = exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
        node.replace(value)

    def _filtered(self, tree: exp.Select, part: exp.Expr, inner: exp.Select) -> bool:
        """Whether brackets that only filter a table were taken away: JOIN (SELECT * FROM t WHERE ...) AS t."""
        joins = tree.args.get("joins") or ()
        if not isinstance(part, exp.Join) or part.side or part.kind.upper() not in {"", "INNER"}:
            return False
        if any(join.side.upper() in {"FULL", "RIGHT"} for join in joins):
            return False
        source, alias = inner.args.get("from_"), part.this.alias_or_name
        read = {clause for clause, value in inner.args.items() if value}
        if source is None or not alias or not read <= {"kind", "expressions", "from_", "where"}:
            return False
        table = {name.lower(): name for name in self.people.keepings}.get(table_named(source.this))
        star = len(inner.expressions) == 1 and isinstance(inner.expressions[0], exp.Star)
        plain = all(isinstance(item, exp.Column) and not isinstance(item.this, exp.Star) for item in inner.expressions)
        if table is None or not (star or (plain and table == self.people.persons.table)):
            return False
        where = inner.args.get("where")
        own = {source.this.alias_or_name.lower(), table.lower(), ""}
        columns = [] if where is None else list(where.find_all(exp.Column))
        if where is not None and (
            where.find(exp.Select) is not None or any(one.table.lower() not in own for one in columns)
        ):
            return False
        for column in columns:
            column.set("table", exp.to_identifier(alias, quoted=True))
        named = exp.to_table(table)
        named.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        part.set("this", named)
        if where is not None:
            outer = tree.args.get("where")
            listed = ([] if outer is None else parts_of(outer.this)) + parts_of(where.this)
            tree.set("where", exp.Where(this=together(listed)))
        return True

    def _matching(self, tree: exp.Select) -> None:
        """SEMI JOIN and ANTI JOIN as EXISTS and NOT EXISTS, NATURAL JOIN as USING."""
        kept: list[exp.Expr] = []
        tests: list[exp.Expr] = []
        for join in tree.args.get("joins") or ():
            kind = join.kind.upper()
            if kind in {"SEMI", "ANTI"} and table_named(join.this) and not join.side:
                inside = exp.select("1").from_(join.this.copy())
                on = join.args.get("on")
                if on is None and len(join.args.get("using") or ()) == 1:
                    first, column = tree.args["from_"].this.alias_or_name, join.args["using"][0].name
                    mine, theirs = (
                        exp.column(exp.to_identifier(column, quoted=True), table=exp.to_identifier(name, quoted=True))
                        for name in (join.this.alias_or_name, first)
                    )
                    on = exp.EQ(this=mine, expression=theirs)
                if on is None:
                    kept.append(join)
                    continue
                met: exp.Expr = exp.Exists(this=inside.where(on.copy(), copy=False))
                tests.append(exp.Not(this=met) if kind == "ANTI" else met)
                continue
            if join.method.upper() == "NATURAL" and self._natural(tree, join):
                join.set("method", None)
                join.set("using", [exp.to_identifier(self.people.owner)])
            kept.append(join)
        if tests:
            where = tree.args.get("where")
            listed = ([] if where is None else parts_of(where.this)) + tests
            tree.set("where", exp.Where(this=together(listed)))
        if tree.args.get("joins"):
            tree.set("joins", kept or None)

    def _natural(self, tree: exp.Select, join: exp.Join) -> bool:
        """Whether two tables share the owner's column and no other."""
        sides = [table_named(one) for one in (tree.args["from_"].this, join.this)]
        spelled = {name.lower(): name for name in self.people.keepings}
        if len(tree.args["joins"]) != 1 or not all(side in spelled for side in sides):
            return False
        first, second = ({name.lower() for name in self.people[spelled[side]].table.columns} for side in sides)
        return first & second == {self.people.owner.lower()}

    # --- refusals ----------------------------------------------------------------------------------------------

    def _only(self, inner: exp.Select, read: set[str]) -> None:
        for clause, value in inner.args.items():
            if value and clause not in read:
                raise self._refused(inner, refuse.derived_clause(clause.strip("_").upper(), self.people.owner))

    def _refused(self, node: exp.Expr, problem: QueryRefused) -> QueryRefused:
        return at(problem, words(self.text, node))


def _named(tree: exp.Select) -> dict[str, exp.Select]:
    """The questions that WITH gives names to."""
    given = tree.args.get("with_")
    if given is None or given.args.get("recursive"):
        return {}
    return {
        part.alias.lower(): part.this
        for part in given.expressions
        if isinstance(part.this, exp.Select) and not part.args["alias"].columns
    }


def _gathers(inner: exp.Select) -> bool:
    """Whether rows are gathered: aggregates that are not within windows, or GROUP BY."""
    if inner.args.get("group") is not None:
        return True
    return any(
        node.find_ancestor(exp.Window) is None for item in inner.expressions for node in item.find_all(exp.AggFunc)
    )


def _more(question: exp.Select) -> bool:
    """Whether a question after IN is about more than rows of one table."""
    source = question.args.get("from_")
    plain = source is not None and isinstance(source.this, exp.Table)
    clauses = ("group", "having", "joins", "qualify")
    return not plain or any(question.args.get(clause) for clause in clauses)


def _meant(inner: exp.Select, node: exp.Expr) -> exp.Expr:
    """What GROUP BY 1 stands for."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
        place = int(node.name) if len(node.name) < 4 else 0
        if 1 <= place <= len(inner.expressions):
            found: exp.Expr = inner.expressions[place - 1]
            return found.unalias()
    return node


def _spelled(name: str, table: Table) -> str:
    return next(column for column in table.columns if column.lower() == name.lower())


def _nothing() -> Column:
    from partita.region.columns import categories

    return categories("row", other="row", missing="row")
