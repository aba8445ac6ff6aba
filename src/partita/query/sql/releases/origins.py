"""Where the columns of a statement over released numbers come from: public keys, one released column, or a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from partita.query.language.plan import KeyColumn
from partita.query.sql.releases.statement import Statement

_DEEPEST: Final = 40


@final
@dataclass(frozen=True, slots=True)
class Origin:
    """What a column is made of: nothing that has noise, or released columns that are passed on as they are.

    ``passed`` are pairs of a question's name and a column of its answer; a column that is computed has neither.
    """

    public: bool = False
    passed: frozenset[tuple[str, str]] = frozenset()


COMPUTED: Final = Origin()
PUBLIC: Final = Origin(public=True)


def origins(statement: Statement, names: list[str], public: Mapping[str, list[str]]) -> list[Origin]:
    """The origin of each column; whatever cannot be followed counts as computed."""
    schema: dict[str, Any] = {
        name: {column.name: "UNKNOWN" for column in plan.shown} for name, plan in statement.questions.items()
    }
    schema |= {name: dict.fromkeys(columns, "UNKNOWN") for name, columns in public.items()}
    try:
        tree = qualify(
            statement.outer.copy(),
            schema=schema,
            dialect="duckdb",
            validate_qualify_columns=False,
            quote_identifiers=False,
        )
        scope = build_scope(tree)
        selected = tree.named_selects if isinstance(tree, exp.Query) else []
        if scope is None or [name.lower() for name in selected] != [name.lower() for name in names]:
            return [COMPUTED] * len(names)
        return [_column(statement, scope, place, 0) for place in range(len(names))]
    except (SqlglotError, ValueError, KeyError, IndexError, RecursionError):
        return [COMPUTED] * len(names)


def _column(statement: Statement, scope: Scope, place: int, depth: int) -> Origin:
    """The origin of a column of a query, by its place."""
    if depth > _DEEPEST:
        return COMPUTED
    if scope.set_operation_scopes:
        return _together([_column(statement, one, place, depth + 1) for one in scope.set_operation_scopes])
    selected = scope.expression
    if not isinstance(selected, exp.Query):
        return COMPUTED
    return _expression(statement, scope, selected.selects[place].unalias(), depth)


def _expression(statement: Statement, scope: Scope, node: exp.Expr, depth: int) -> Origin:
    if isinstance(node, exp.Paren):
        return _expression(statement, scope, node.this, depth)
    if isinstance(node, exp.Column):
        return _named(statement, scope, node, depth)
    if node.find(exp.AggFunc, exp.Window, exp.Query) is not None:
        return COMPUTED
    found = [_named(statement, scope, column, depth) for column in node.find_all(exp.Column)]
    return PUBLIC if all(one.public for one in found) else COMPUTED


def _named(statement: Statement, scope: Scope, column: exp.Column, depth: int) -> Origin:
    source = scope.sources.get(column.table)
    if isinstance(source, Scope):
        selected = source.expression
        names = [name.lower() for name in selected.named_selects] if isinstance(selected, exp.Query) else []
        if column.name.lower() not in names:
            return COMPUTED
        return _column(statement, source, names.index(column.name.lower()), depth + 1)
    if not isinstance(source, exp.Table) or source.args.get("pivots"):
        return COMPUTED
    plan = statement.questions.get(source.name)
    if plan is None:
        return PUBLIC if source.name.lower() in statement.public else COMPUTED
    for shown in plan.shown:
        if shown.name.lower() == column.name.lower():
            return PUBLIC if isinstance(shown, KeyColumn) else Origin(passed=frozenset({(source.name, shown.name)}))
    return COMPUTED


def _together(parts: list[Origin]) -> Origin:
    """Of lines that are put under each other."""
    if all(part.public for part in parts):
        return PUBLIC
    if all(part.passed for part in parts):
        return Origin(passed=frozenset(one for part in parts for one in part.passed))
    return COMPUTED
