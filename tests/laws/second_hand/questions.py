"""Random questions over the whole language, written from the guide to it."""

from __future__ import annotations

import random

from tests.laws.second_hand.schemas import Schema

_COMPARED = ("=", "<>", "<", "<=", ">", ">=")


class Asker:
    """Writes questions about one declared table."""

    def __init__(self, schema: Schema, rng: random.Random) -> None:
        self.schema, self.rng = schema, rng
        self.numbers = schema.of("number", "wide")

    def pick(self, *options: str) -> str:
        """One of the options."""
        return self.rng.choice(options)

    def number(self, column: str) -> str:
        """A constant near a column's range."""
        facts = self.schema.facts[column]
        low, high = float(facts["low"]), float(facts["high"])
        return f"{self.rng.choice([low, high, (low + high) // 2, low + 1, high + 2, low - 3]):g}"

    # --- conditions ------------------------------------------------------------------------------------------

    def condition(self, depth: int = 2) -> str:
        """A condition on one row."""
        rng, schema = self.rng, self.schema
        if depth and rng.random() < 0.45:
            word = rng.choice(["AND", "OR", "AND", "NOT", "IS"])
            if word == "NOT":
                return f"NOT ({self.condition(depth - 1)})"
            if word == "IS":
                return f"({self.condition(depth - 1)}) IS {self.pick('TRUE', 'NOT TRUE', 'FALSE')}"
            return f"({self.condition(depth - 1)}) {word} ({self.condition(depth - 1)})"
        column = rng.choice(self.numbers)
        kinds = ["compare", "compare", "in", "between", "null", "remainder", "versus", "name", "day"]
        kinds += ["flag"] if schema.of("flag") else []
        kinds += ["text", "text", "text"] if schema.of("key") else []
        match rng.choice(kinds):
            case "compare":
                return f"{column} {rng.choice(_COMPARED)} {self.number(column)}"
            case "in":
                return f"{column} IN ({self.number(column)}, {self.number(column)})"
            case "between":
                low, high = sorted([self.number(column), self.number(column)], key=float)
                return f"{column} {self.pick('', 'NOT ')}BETWEEN {low} AND {high}"
            case "null":
                return f"{rng.choice([*self.numbers, 'd', 'f'])} IS {self.pick('', 'NOT ')}NULL"
            case "remainder":
                return f"{rng.choice(schema.of('number', 'wide')[:2])} % 2 = {self.pick('0', '1')}"
            case "versus":
                return f"{self.expression(1)} {rng.choice(_COMPARED)} {self.expression(1)}"
            case "name":
                return self.pick(
                    "d = 'x'", "d <> 'y'", "d IN ('x', 'OTHER')", "d NOT IN ('y')", "d LIKE 'x%'", "UPPER(d) = 'Y'"
                )
            case "day":
                return self.pick(
                    "f >= DATE '2024-03-01'",
                    "f = DATE '2024-02-28'",
                    "f < DATE '2024-02-29'",
                    "f <> DATE '2024-03-03'",
                    "EXTRACT(month FROM f) = 3",
                    "EXTRACT(dow FROM f) IN (0, 6)",
                    "f BETWEEN DATE '2024-02-27' AND DATE '2024-02-28'",
                )
            case "text":
                return self.pick(
                    "t = 's'", "t LIKE 's%'", "t IS NULL", "LOWER(t) IN ('s', 'é')", "LENGTH(t) > 1", "t NOT LIKE '%u'",
                    "SPLIT_PART(t, ' ', 1) <> 's'", "COALESCE(t, 'u') = 'u'", "t ILIKE 'S_'", "REGEXP_MATCHES(t, '^s')",
                    "STRPOS(t, 'u') > 0", "REPLACE(t, 's', 'u') = 'u'",
                )  # fmt: skip
            case _:
                return self.pick("g", "NOT g", "g = FALSE", "g IS NULL")

    # --- what is added up ------------------------------------------------------------------------------------

    def expression(self, depth: int = 2) -> str:
        """A bounded expression."""
        rng = self.rng
        if not depth or rng.random() < 0.5:
            return rng.choice(self.numbers) if rng.random() < 0.85 else self.pick("1", "3", "-2", "0.5", "NULL")
        inner = self.expression(depth - 1)
        match rng.choice(["+", "-", "*", "case", "clamp", "coalesce", "over", "minus"]):
            case "case":
                other = self.pick("", f" ELSE {self.expression(depth - 1)}")
                return f"CASE WHEN {self.condition(0)} THEN {inner}{other} END"
            case "clamp":
                low = rng.randrange(-3, 4)
                return f"CLAMP({inner}, {low}, {low + rng.randrange(1, 4)})"
            case "coalesce":
                return f"COALESCE({inner}, {self.pick('0', '7', '-30')})"
            case "over":
                return f"({inner}) / {self.pick('2', '-4', '0.5')}"
            case "minus":
                return f"-({inner})"
            case sign:
                return f"({inner} {sign} {self.expression(depth - 1)})"

    def aggregate(self, *, plain: bool = False) -> str:
        """One aggregate."""
        rng = self.rng
        kinds = ["rows", "rows", "count", "sum", "sum", "avg", "filter", "var", "pair", "shape"]
        kinds += [] if plain else ["quantile", "median", "extreme", "people", "several", "truth", "listed"]
        match rng.choice(kinds):
            case "rows":
                return "COUNT(*)"
            case "count":
                return f"COUNT({rng.choice([*self.numbers, 'd', 'f'])})"
            case "sum":
                return f"SUM({self.expression()})"
            case "avg":
                return f"AVG({self.expression(1)})"
            case "filter":
                return f"{self.pick('COUNT(*)', f'SUM({self.expression(1)})')} FILTER (WHERE {self.condition(1)})"
            case "var":
                return f"{self.pick('VAR_POP', 'STDDEV')}({self.expression(1)})"
            case "pair":
                first, second = rng.choice(self.numbers[:2]), rng.choice(self.numbers[:2])
                return f"{self.pick('COVAR_POP', 'CORR', 'REGR_SLOPE', 'REGR_R2')}({first}, {second})"
            case "shape":
                kind = self.pick("SKEWNESS", "KURTOSIS", "KURTOSIS_POP", "SEM", "GEOMEAN")
                return f"{kind}({self.pick('a', 'b', self.expression(1))})"
            case "several":
                return f"COUNT(DISTINCT {rng.choice(['a', 'd', 'f', *self.schema.of('key')])})"
            case "truth":
                return f"{self.pick('BOOL_AND', 'BOOL_OR')}({self.condition(1)})"
            case "listed":
                return self.pick("MODE(a)", "MODE(d)", "ENTROPY(d)", "ENTROPY(b)", "QUANTILE_CONT(a, [0.25, 0.75])")
            case "median":
                return f"MEDIAN({self._small()})"
            case "quantile":
                return f"QUANTILE({self._small()}, {self.pick('0.25', '0.5', '0.75', '0.9')})"
            case "extreme":
                return f"{self.pick('MIN', 'MAX')}({self._small()})"
            case _:
                return "COUNT(DISTINCT who)"

    def _small(self) -> str:
        return self.pick("a", "b", "a", "a + b", "CLAMP(a * 2, 0, 5)", "f")

    # --- groups ----------------------------------------------------------------------------------------------

    def key(self) -> str:
        """What to group by."""
        options = ["d", "a", "BUCKET(a, 2)", "DATE_TRUNC('month', f)", "f", "EXTRACT(dow FROM f)", "a >= 2", "b % 2",
                   f"CASE WHEN {self.condition(0)} THEN 'one' WHEN {self.condition(0)} THEN 'two' END"]  # fmt: skip
        options += ["g"] if self.schema.of("flag") else []
        options += ["t", "t", self.open_key()] if self.schema.of("key") else []
        return self.rng.choice(options)

    def open_key(self) -> str:
        """A function of open text, which is an open key itself: several texts become one, and some become missing."""
        return self.pick(
            "UPPER(t)", "LEFT(t, 1)", "SPLIT_PART(t, ' ', 1)", "COALESCE(t, 'u')", "REPLACE(t, 's', 'u')", "TRIM(t)",
            "NULLIF(t, 's')", "SUBSTRING(t, 2, 3)",
        )  # fmt: skip

    # --- questions -------------------------------------------------------------------------------------------

    def question(self) -> str:
        """A whole question."""
        rng = self.rng
        kinds = ["plain"] * 6 + ["gather", "gather", "join", "union", "with", "rollup"]
        more = {"ragged": 36, "keys": 24, "narrow": 12}.get(self.schema.theme, 0)
        match rng.choice([*kinds, *[self.schema.theme] * more]):
            case "keys":
                also = self.pick("", "", ", d", ", BUCKET(a, 2)")
                what = self.pick("COUNT(*)", "COUNT(*)", self.aggregate())
                key = self.pick("t", self.open_key())
                return f"SELECT {key} AS k, {what} AS v FROM things{self._where()} GROUP BY {key}{also}"
            case "narrow":
                what = self.pick("COUNT(*)", "SUM(a)", "SUM(b)", f"SUM({self.expression()})", self.aggregate())
                by = self.pick("", "", " GROUP BY d", " GROUP BY f")
                return f"SELECT {what} AS v FROM things WHERE {self.condition(0)} AND {self.condition(1)}{by}"
            case "gather":
                return self._gathered()
            case "join":
                way = self.pick("JOIN", "LEFT JOIN")
                where = self.pick("", " WHERE w > 0", f" WHERE {self.condition(0)}")
                what = self.pick("COUNT(*) AS n", "SUM(w) AS n", "AVG(a * w) AS n", "SUM(a + w) AS n")
                if rng.random() < 0.5:
                    return f"SELECT s, {what} FROM things {way} facts ON things.d = facts.d{where} GROUP BY s"
                return f"SELECT {what} FROM things {way} facts ON things.d = facts.d{where}"
            case "union":
                at = self.number("a")
                first = f"SELECT {self.expression(1)} AS v FROM things WHERE a < {at}"
                second = f"SELECT {self.expression(1)} FROM things WHERE a >= {at}"
                return f"SELECT SUM(v) AS s, COUNT(*) AS n FROM ({first} UNION ALL {second})"
            case "with":
                inner = f"SELECT d AS k, {self.expression(1)} AS v FROM things WHERE {self.condition(1)}"
                return f"WITH part AS ({inner}) SELECT k, SUM(v) AS s FROM part GROUP BY k"
            case "rollup":
                keys = f"{self.pick('ROLLUP', 'CUBE')}(d, a)"
                return f"SELECT d, a, {self.aggregate(plain=True)} AS v FROM things{self._where()} GROUP BY {keys}"
            case "ragged":
                first = self.pick("(x % 2 = 0 OR x = 7)", "x % 2 = 0", "x % 3 <> 1", "(x % 2 = 0 OR y = 9)")
                second = self.pick("y % 2 = 0", "y % 2 = 1", "(y % 3 = 0 OR y = 64)")
                what = self.pick("COUNT(*)", "COUNT(*)", "SUM(a)", "SUM(b)", "SUM(b)", "SUM(x)", "AVG(a)", "MEDIAN(a)")
                return f"SELECT {what} AS v FROM things WHERE {first} AND {second}"
            case _:
                return self._plain()

    def _where(self) -> str:
        return f" WHERE {self.condition()}" if self.rng.random() < 0.7 else ""

    def _plain(self) -> str:
        keys = list(dict.fromkeys(self.key() for _ in range(self.rng.choice([0, 0, 1, 1, 2]))))
        shown = [f"{key} AS k{place}" for place, key in enumerate(keys)]
        shown += [f"{self.aggregate()} AS v{place}" for place in range(self.rng.choice([1, 1, 2]))]
        text = f"SELECT {', '.join(shown)} FROM things{self._where()}"
        return text + (f" GROUP BY {', '.join(keys)}" if keys else "")

    def _of_text(self) -> list[str]:
        """What is gathered of rows whose open text meets a condition."""
        if not self.schema.of("key"):
            return []
        text = self.pick("t LIKE 's%'", "LOWER(t) = 's'", "t IS NULL", "LENGTH(t) > 1", "t <> 'u'")
        return [
            f"CLAMP(COUNT(*) FILTER (WHERE {text}), 0, 2)",
            f"MAX(CASE WHEN {text} THEN a ELSE b END)",
            f"CLAMP(SUM(CASE WHEN {text} THEN a END), -1, 2)",
        ]

    def _gathered(self) -> str:
        rng = self.rng
        inner = self.pick(
            "COUNT(*)",
            f"CLAMP(COUNT(*), 0, {self.pick('1', '2', '5')})",
            "MAX(a)",
            "MIN(b)",
            "SUM(a)",
            "AVG(b)",
            f"CLAMP(SUM({self.expression(1)}), -2, 4)",
            f"MAX({self.expression(1)})",
            *self._of_text(),
        )
        constant = [name for name in ("d", "t") if name in self.schema.columns and self.schema.columns[name].constant]
        also = f", {rng.choice(constant)} AS k" if constant and rng.random() < 0.5 else ""
        by = f", {also[2:].split(' ')[0]}" if also else ""
        outer = self.pick("COUNT(*)", "SUM(v)", "AVG(v)", "MEDIAN(v)", "SUM(CLAMP(v, 0, 1))", "MAX(v)")
        source = f"(SELECT who, {inner} AS v{also} FROM things{self._where()} GROUP BY who{by})"
        where = self.pick("", "", " WHERE v > 0", " WHERE v <= 1", " WHERE v IS NOT NULL")
        if rng.random() < 0.4:
            key = self.pick("v", "BUCKET(v, 2)", "v > 1", *(["k"] if also else []))
            return f"SELECT {key} AS k0, {outer} AS s FROM {source}{where} GROUP BY {key}"
        return f"SELECT {outer} AS s FROM {source}{where}"
