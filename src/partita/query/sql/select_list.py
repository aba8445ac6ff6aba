"""Reads what a question shows: aggregates, formulas of them, keys, and which lines in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Final, final

from sqlglot import exp

from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.query.functions.number_types import NumberType, number_type
from partita.query.language.formulas import Apply, Choice, Constant, Formula, Label, Margin, Operation
from partita.query.language.keys import Each, Key, columns
from partita.query.language.text import shown_key
from partita.query.sql.advice import RELEASED, called, for_aggregate, for_window
from partita.query.sql.aggregate_calls import aggregate, filtered
from partita.query.sql.scalars import Reader

_BINARY: Final[dict[type[exp.Expr], Operation]] = {
    exp.Add: Operation.ADD,
    exp.Sub: Operation.SUBTRACT,
    exp.Mul: Operation.MULTIPLY,
    exp.Div: Operation.DIVIDE,
    exp.EQ: Operation.EQUAL,
    exp.NEQ: Operation.DIFFERENT,
    exp.LT: Operation.BELOW,
    exp.LTE: Operation.AT_MOST,
    exp.GT: Operation.ABOVE,
    exp.GTE: Operation.AT_LEAST,
    exp.Nullif: Operation.UNLESS,
}
_SINGLE: Final[dict[type[exp.Expr], Operation]] = {
    exp.Abs: Operation.ABSOLUTE,
    exp.Sqrt: Operation.ROOT,
    exp.Ln: Operation.LOGARITHM,
    exp.Exp: Operation.EXPONENTIAL,
    exp.Floor: Operation.FLOOR,
    exp.Ceil: Operation.CEILING,
    exp.Not: Operation.NOT,
}
_SEVERAL: Final[dict[type[exp.Expr], Operation]] = {
    exp.Coalesce: Operation.FIRST,
    exp.Greatest: Operation.GREATEST,
    exp.Least: Operation.LEAST,
}
_WHOLE: Final = ("int", "bigint", "smallint", "tinyint", "hugeint")
_BROKEN: Final = ("double", "float", "decimal", "real", "numeric")


@final
@dataclass(frozen=True)
class Selecting:
    """The words of one SELECT about aggregates and keys.

    ``named`` holds what the names of the answer's columns stand for, for HAVING and ORDER BY, and ``written`` how the
    question wrote it.
    """

    reader: Reader
    keys: tuple[Key, ...]
    named: Mapping[str, Formula]
    written: Mapping[str, exp.Expr] = field(default_factory=dict)

    def formula(self, node: exp.Expr) -> Formula:
        """What a node computes from released numbers and keys."""
        if isinstance(node, exp.Grouping | exp.GroupingId):
            return self._grouping(node)
        found = self._aggregate(node)
        if found is not None:
            return found
        constant = _constant(self.reader, node)
        if constant is not None:
            return constant
        key = None if isinstance(node, exp.Paren) else self._key(node)
        if key is not None:
            return key
        match node:
            case exp.Paren():
                return self.formula(node.this)
            case exp.Neg():
                return Apply(Operation.MULTIPLY, (Constant(Fraction(-1)), self.formula(node.this)))
            case exp.And() | exp.Or():
                sign = Operation.AND if isinstance(node, exp.And) else Operation.OR
                return Apply(sign, tuple(self.formula(part) for part in node.flatten()))
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Apply(Operation.ABSENT, (self.formula(node.this),))
            case exp.Between() if not node.args.get("symmetric"):
                middle = self.formula(node.this)
                ends = (self.formula(node.args["low"]), self.formula(node.args["high"]))
                above = Apply(Operation.AT_LEAST, (middle, ends[0]))
                return Apply(Operation.AND, (above, Apply(Operation.AT_MOST, (middle, ends[1]))))
            case exp.In() if node.expressions:
                subject = self.formula(node.this)
                listed = [Apply(Operation.EQUAL, (subject, self.formula(part))) for part in node.expressions]
                return Apply(Operation.OR, tuple(listed)) if len(listed) > 1 else listed[0]
            case exp.Case() | exp.If():
                return self._choice(node)
            case exp.Round():
                digits = node.args.get("decimals")
                parts = (node.this,) if digits is None else (node.this, digits)
                return Apply(Operation.ROUND, tuple(self.formula(part) for part in parts))
            case exp.SafeDivide():
                return Apply(Operation.DIVIDE, (self.formula(node.this), self.formula(node.expression)))
            case exp.Cast() | exp.TryCast():
                return self._cast(node)
            case _:
                return self._function(node)

    def condition(self, node: exp.Expr) -> Formula:
        """HAVING: a condition on released numbers and keys."""
        return self.formula(node)

    def _aggregate(self, node: exp.Expr) -> Formula | None:
        match node:
            case exp.Filter():
                inner = self._aggregate(node.this)
                where = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
                return None if inner is None else filtered(inner, self.reader.condition(where))
            case _:
                return aggregate(self.reader, node)

    def _key(self, node: exp.Expr) -> Formula | None:
        """A key of the groups, or a name of the answer's columns."""
        if isinstance(node, exp.Column):
            known = self._named(node)
            if known is not None:
                return known
        elif node.find(exp.AggFunc) is not None or any(self._named(part) for part in node.find_all(exp.Column)):
            return None
        key = self.reader.key(node)
        if key is None:
            return None
        if key in self.keys:
            return Label(key)
        if not isinstance(node, exp.Column) and all(Each(column) in self.keys for column in columns(key)):
            # A function of keys is a formula of their labels.
            return None
        raise self.reader.refused(node, refuse.not_grouped(shown_key(key)))

    def _grouping(self, node: exp.Grouping | exp.GroupingId) -> Formula:
        """GROUPING(a, b): a bit for each key, 1 where the line sums over all its values."""
        if not node.expressions:
            raise self.reader.refused(node, refuse.wrong_arguments("GROUPING", "GROUPING(key)"))
        found: Formula | None = None
        for part in node.expressions:
            label = self._key(part.unnest())
            if not isinstance(label, Label):
                raise self.reader.refused(node, refuse.not_grouped(self.reader.written(part)))
            bit = Margin(label.key)
            doubled = None if found is None else Apply(Operation.MULTIPLY, (Constant(Fraction(2)), found))
            found = bit if doubled is None else Apply(Operation.ADD, (doubled, bit))
        assert found is not None
        return found

    def _named(self, node: exp.Column) -> Formula | None:
        """What a name of the answer's columns stands for, unless it is the name of a key."""
        known = None if node.table else self.named.get(node.name.lower())
        declared = {name.lower() for name in self.reader.table.columns}
        return known if node.name.lower() not in declared or not self._grouped(node) else None

    def _grouped(self, node: exp.Column) -> bool:
        try:
            return self.reader.key(node) in self.keys
        except QueryRefused:
            return False

    def _choice(self, node: exp.Case | exp.If) -> Formula:
        if isinstance(node, exp.If):
            other = node.args.get("false")
            branch = (self.formula(node.this), self.formula(node.args["true"]))
            return Choice((branch,), Constant(None) if other is None else self.formula(other))
        branches = []
        for branch in node.args["ifs"]:
            test = branch.this if node.this is None else exp.EQ(this=node.this, expression=branch.this)
            branches.append((self.formula(test), self.formula(branch.args["true"])))
        default = node.args.get("default")
        return Choice(tuple(branches), Constant(None) if default is None else self.formula(default))

    def _cast(self, node: exp.Cast | exp.TryCast) -> Formula:
        inner = self.formula(node.this)
        if node.is_type(*_BROKEN):
            return inner
        if node.is_type(*_WHOLE):
            if number_type(node.this, self._number_type) is NumberType.DECIMAL:
                inner = Apply(Operation.ROUND, (inner,))
            return Apply(Operation.WHOLE, (inner,))
        raise self._refused(node)

    def _number_type(self, node: exp.Column) -> NumberType:
        """Which kind of number a column or a name of the answer's columns is."""
        meant = self.written.get(node.name.lower()) if self._named(node) is not None else None
        return self.reader.number_type(node) if meant is None else number_type(meant, self.reader.number_type)

    def _function(self, node: exp.Expr) -> Formula:
        binary, single, several = _BINARY.get(type(node)), _SINGLE.get(type(node)), _SEVERAL.get(type(node))
        if binary is not None:
            return Apply(binary, (self.formula(node.this), self.formula(node.expression)))
        if single is not None and not node.args.get("decimals"):
            return Apply(single, (self.formula(node.this),))
        if several is not None:
            return Apply(several, tuple(self.formula(part) for part in (node.this, *node.expressions)))
        raise self._refused(node)

    def _refused(self, node: exp.Expr) -> QueryRefused:
        text = self.reader.text
        if isinstance(node, exp.Window):
            return self.reader.refused(node, refuse.function_not_answered(*for_window(node)))
        if node.find(exp.Select) is not None:
            return self.reader.refused(node, refuse.question_in_answer())
        if isinstance(node, exp.Anonymous):
            return self.reader.refused(node, refuse.function_not_answered(*for_aggregate(text, node)))
        if self.keys and node.find(exp.Column) is not None and node.find(exp.AggFunc) is None:
            return self.reader.refused(node, refuse.not_grouped(self.reader.written(node)))
        if node.find(exp.AggFunc) is None:
            return self.reader.refused(node, refuse.rows_themselves(node.sql(dialect="duckdb")))
        return self.reader.refused(node, refuse.function_not_answered(called(text, node), RELEASED))


def _constant(reader: Reader, node: exp.Expr) -> Constant | None:
    match node:
        case exp.Literal():
            return Constant(node.name) if node.is_string else Constant(reader.number(node))
        case exp.Boolean():
            return Constant(bool(node.this))
        case exp.Null():
            return Constant(None)
        case exp.Neg() if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return Constant(-reader.number(node.this))
        case exp.Cast() if node.is_type("date") and isinstance(node.this, exp.Literal) and node.this.is_string:
            try:
                return Constant(date.fromisoformat(node.this.name))
            except ValueError:
                return None
        case _:
            return None
