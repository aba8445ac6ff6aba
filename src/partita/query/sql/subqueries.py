"""Takes questions inside questions apart: WITH, SELECT after FROM and UNION ALL of filters become one SELECT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query.underlined import at
from partita.query.sql.places import words, written

_SIMPLE: Final = {"kind", "expressions", "from_", "where", "joins", "order", "with_"}
_GATHERING: Final = _SIMPLE | {"group", "having"}
_BRACKETS: Final = {"this", "alias"}
_NAMED: Final = {"this", "alias", "db", "catalog"}
# Making a word of a question anew takes about so many steps.
_WORD: Final = 10


Tree = TypeVar("Tree", bound=exp.Expr)


@final
@dataclass(frozen=True)
class Inlined:
    """One SELECT over a table or over rows gathered by owner; ``apart`` are conditions that must exclude each other."""

    tree: exp.Select
    apart: tuple[tuple[exp.Expr, ...], ...] = ()


@final
@dataclass
class Inliner:
    """Inlines the parts of one question; ``known`` are the questions that WITH gave names to, ``owners`` columns."""

    text: str
    known: Mapping[str, exp.Expr] = field(default_factory=dict)
    apart: list[tuple[exp.Expr, ...]] = field(default_factory=list)
    owners: frozenset[str] = frozenset()

    def select(self, tree: exp.Select) -> exp.Select:
        """The same question about a table itself, or about rows gathered by owner."""
        tree = self._named(tree)
        source = tree.args.get("from_")
        if source is None:
            return tree
        inner = self._inner(source.this)
        if inner is None:
            return tree
        alias = source.this.alias_or_name
        if gathered(inner):
            self._only(inner, _GATHERING)
            if tree.args.get("joins"):
                raise self._refused(tree.args["joins"][0], refuse.join_of_gathered())
            if inner.args.get("from_") is None:
                raise self._refused(source.this, refuse.no_table())
            if not isinstance(inner.args["from_"].this, exp.Table):
                raise self._refused(source.this, refuse.gathered_twice())
            # Rows gathered by owner are a table of their own; they are read where they stand.
            tree.set(
                "from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias))))
            )
            return tree
        return self.merged(tree, inner, alias)

    def _named(self, tree: exp.Select) -> exp.Select:
        """WITH: the names are remembered, and the clause goes."""
        given = tree.args.get("with_")
        if given is None:
            return tree
        if given.args.get("recursive"):
            raise self._refused(given, refuse.recursive())
        known = dict(self.known)
        for part in given.expressions:
            known[part.alias.lower()] = self._renamed(part.this, part)
        self.known = known
        tree.set("with_", None)
        return tree

    def _inner(self, source: exp.Expr) -> exp.Select | None:
        """The question that stands after FROM, itself inlined; None if a table does."""
        if isinstance(source, exp.Table) and not source.args.get("db"):
            named = self.known.get(source.name.lower())
            if named is None:
                return None
            # A name may not mean itself.
            rest = {name: tree for name, tree in self.known.items() if name != source.name.lower()}
            deeper = Inliner(self.text, rest, self.apart, self.owners)
            return deeper.query(_copied(named))
        if isinstance(source, exp.Subquery):
            self._only(source, _BRACKETS)
            return Inliner(self.text, self.known, self.apart, self.owners).query(self._renamed(source.this, source))
        return None

    def query(self, tree: exp.Expr) -> exp.Select:
        """A SELECT, or a UNION ALL of filters that becomes one."""
        while isinstance(tree, exp.Subquery):
            self._only(tree, _BRACKETS)
            tree = tree.this
        if isinstance(tree, exp.Select):
            _grouped(tree, self.owners)
            return self.select(tree)
        if isinstance(tree, exp.Union):
            return self._union(tree)
        raise self._refused(tree, refuse.set_operation(tree.key.upper()))

    # --- merging ---------------------------------------------------------------------------------------------------

    def merged(self, outer: exp.Select, inner: exp.Select, alias: str) -> exp.Select:
        """The outer question asked about what the inner one selects."""
        self._only(inner, _SIMPLE)
        if inner.args.get("where") is not None:
            for join in outer.args.get("joins") or []:
                if join.side.upper() in {"FULL", "RIGHT"}:
                    raise self._refused(join, refuse.filtered_before_outer(f"{join.side.upper()} JOIN"))
        if any(item.find(exp.Window) for item in inner.expressions):
            raise self._refused(inner, refuse.not_simple("OVER"))
        columns, everything = self._projected(inner)
        outer.set("from_", None)
        for join in outer.args.get("joins") or []:
            _by_names(join, alias)
        asked = {item.alias.lower() for item in outer.expressions if isinstance(item, exp.Alias)}
        for item in list(outer.expressions):
            if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
                # The answer's column keeps the name under which it was asked for.
                item.replace(exp.alias_(_copied(item), item.name, quoted=item.this.args.get("quoted")))
            elif not isinstance(item, exp.Alias | exp.Star | exp.Column):
                item.replace(exp.alias_(_copied(item), written(self.text, item), quoted=True))
        for column in [column for column in outer.find_all(exp.Column) if not isinstance(column.this, exp.Star)]:
            if column.table and column.table.lower() != alias.lower():
                continue
            found = columns.get(column.name.lower())
            if found is not None:
                bare = isinstance(found, exp.Column | exp.Literal)
                column.replace(_copied(found) if bare else exp.Paren(this=_copied(found)))
            elif everything:
                column.set("table", None)
            elif column.name.lower() not in asked:
                raise self._refused(column, refuse.unknown_column(column.name, alias or "in brackets", list(columns)))
        plain = all(isinstance(item, exp.Column) and item.name.lower() == name for name, item in columns.items())
        if columns and not (plain and outer.args.get("joins")):
            self._listed(outer, inner)
        outer.set("from_", inner.args["from_"].copy() if inner.args.get("from_") else None)
        joins = [*(inner.args.get("joins") or []), *(outer.args.get("joins") or [])]
        outer.set("joins", joins or None)
        both = [where.this for where in (inner.args.get("where"), outer.args.get("where")) if where is not None]
        if both:
            outer.set("where", exp.Where(this=_all(both)))
        return outer

    def _listed(self, outer: exp.Select, inner: exp.Select) -> None:
        """SELECT * of columns that have names: these columns, and not those that stand behind them."""
        stars = [item for item in outer.expressions if _star(item) is not None]
        if stars and outer.args.get("joins"):
            raise self._refused(stars[0], refuse.columns_unclear("SELECT *"))
        if stars:
            listed = [
                [_copied(part) for part in inner.expressions] if item in stars else [item] for item in outer.expressions
            ]
            outer.set("expressions", [item for items in listed for item in items])

    def _projected(self, tree: exp.Select) -> tuple[dict[str, exp.Expr], bool]:
        """The columns that a question selects, by name, and whether it selects all there are."""
        found: dict[str, exp.Expr] = {}
        everything = False
        for item in tree.expressions:
            star = _star(item)
            if star is not None:
                everything = True
                for word, value in star.args.items():
                    if value:
                        raise self._refused(item, refuse.columns_unclear(f"* {word.strip('_').upper()}"))
            elif isinstance(item, exp.Alias):
                found[item.alias.lower()] = item.this
            elif isinstance(item, exp.Column):
                found[item.name.lower()] = item
        return found, everything

    def _renamed(self, tree: exp.Expr, around: exp.Expr) -> exp.Expr:
        """A question whose columns were given names outside: WITH t(a, b) AS (...)."""
        names = around.args["alias"].columns if isinstance(around.args.get("alias"), exp.TableAlias) else []
        if not names:
            return tree
        if not isinstance(tree, exp.Select) or any(_star(item) is not None for item in tree.expressions):
            listed = ", ".join(name.name for name in names)
            raise self._refused(around, refuse.columns_unclear(f"{around.alias}({listed})"))
        made = _copied(tree)
        bare = [item.this if isinstance(item, exp.Alias) else item for item in made.expressions]
        named = [exp.alias_(item.copy(), name.name) for item, name in zip(bare, names, strict=False)]
        made.set("expressions", [*named, *(item.copy() for item in made.expressions[len(names) :])])
        return made

    def _union(self, tree: exp.Union) -> exp.Select:
        for part in _unions(tree):
            if part.args.get("distinct", True):
                raise self._refused(part, refuse.union_of_values())
            self._only(part, {"this", "expression", "distinct", "order"})
        branches = [self.query(part) for part in _branches(tree)]
        spend(_WORD * sum(1 for branch in branches for _ in branch.walk()), Work.WORDS)
        first = branches[0]
        for branch in branches:
            if gathered(branch) or branch.find(exp.AggFunc) is not None:
                raise self._refused(branch, refuse.union_of_aggregates())
            if _source(branch) is None or _source(branch) != _source(first) or branch.args.get("joins"):
                raise self._refused(branch, refuse.union_of_tables())
            self._only(branch, _SIMPLE)
            self._only(branch.args["from_"].this, _NAMED)
            if len(branch.expressions) != len(first.expressions):
                raise self._refused(branch, refuse.union_of_widths())
        conditions = [branch.args["where"].this if branch.args.get("where") else exp.true() for branch in branches]
        self.apart.append(tuple(_copied(condition) for condition in conditions))
        made = _copied(first)
        made.set(
            "expressions",
            [self._chosen(list(items), conditions) for items in zip(*(b.expressions for b in branches), strict=True)],
        )
        made.set("where", exp.Where(this=exp.or_(*(exp.Paren(this=_copied(condition)) for condition in conditions))))
        return made

    def _chosen(self, items: list[exp.Expr], conditions: list[exp.Expr]) -> exp.Expr:
        """One column of a union: the same in every part, or chosen by the condition of the part."""
        bare = [item.this if isinstance(item, exp.Alias) else item for item in items]
        if all(item == bare[0] for item in bare):
            return items[0].copy()
        name = items[0].alias_or_name
        if not name:
            raise self._refused(items[0], refuse.union_without_name())
        whens = [
            exp.If(this=_copied(condition), true=_copied(item))
            for condition, item in zip(conditions, bare, strict=True)
        ]
        return exp.alias_(exp.Case(ifs=whens), name)

    def _only(self, node: exp.Expr, read: set[str]) -> None:
        """Refuse what would otherwise be passed over in silence."""
        for clause, value in node.args.items():
            if value and clause not in read:
                raise self._refused(node, refuse.not_simple(clause.strip("_").upper()))

    def _refused(self, node: exp.Expr, problem: QueryRefused) -> QueryRefused:
        return at(problem, words(self.text, node))


def inlined(text: str, tree: exp.Select, owners: Iterable[str | None] = ()) -> Inlined:
    """One SELECT that asks the same."""
    inliner = Inliner(text, owners=frozenset(owner.lower() for owner in owners if owner is not None))
    made = inliner.select(tree)
    return Inlined(made, tuple(inliner.apart))


def gathered(tree: exp.Select) -> bool:
    """Whether a question gathers rows: it groups them or adds them up."""
    if tree.args.get("group") is not None:
        return True
    return any(item.find(exp.AggFunc) is not None for item in tree.expressions)


def _star(item: exp.Expr) -> exp.Star | None:
    """The star of SELECT * or SELECT t.*."""
    found = item.this if isinstance(item, exp.Column) else item
    return found if isinstance(found, exp.Star) else None


def _by_names(join: exp.Join, alias: str) -> None:
    """USING (a) after brackets means what they call a: JOIN p ON q.a = p.a."""
    using = join.args.get("using") or []
    if len(using) == 1:
        mine, theirs = (exp.column(using[0].name, table=table or None) for table in (alias, join.this.alias_or_name))
        join.set("using", None)
        join.set("on", exp.EQ(this=mine, expression=theirs))


def _grouped(tree: exp.Select, owners: frozenset[str]) -> None:
    """SELECT DISTINCT owner: one row for each, as GROUP BY owner."""
    distinct, listed = tree.args.get("distinct"), tree.expressions
    if distinct is None or distinct.args.get("on") or tree.args.get("group") or len(listed) != 1:
        return
    column = listed[0].unalias()
    if isinstance(column, exp.Column) and column.name.lower() in owners:
        tree.set("group", exp.Group(expressions=[column.copy()]))
        tree.set("distinct", None)


def _unions(tree: exp.Expr) -> list[exp.Union]:
    """The union and those it is made of, as far as no brackets stand between."""
    if not isinstance(tree, exp.Union):
        return []
    return [tree, *_unions(tree.this), *_unions(tree.expression)]


def _branches(tree: exp.Expr) -> list[exp.Expr]:
    if isinstance(tree, exp.Union) and not tree.args.get("distinct", True):
        return [*_branches(tree.this), *_branches(tree.expression)]
    return [tree]


def _source(tree: exp.Select) -> str | None:
    source = tree.args.get("from_")
    return source.this.name.lower() if source is not None and isinstance(source.this, exp.Table) else None


def _all(conditions: list[exp.Expr]) -> exp.Expr:
    if len(conditions) == 1:
        return _copied(conditions[0])
    return exp.And(this=exp.Paren(this=_copied(conditions[0])), expression=exp.Paren(this=_copied(conditions[1])))


def _copied(tree: Tree) -> Tree:
    """The same words once more; those of columns made of columns double with every question in brackets."""
    spend(_WORD * sum(1 for _ in tree.walk()), Work.WORDS)
    return tree.copy()
