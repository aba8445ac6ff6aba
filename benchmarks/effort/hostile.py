"""Hostile questions of at most some ten kilobytes: each must be priced or refused soon, whatever it says."""

from __future__ import annotations

import partita as pt

MOST_CHARACTERS = 10_240


def tables() -> list[pt.Table]:
    """One table with wide, narrow, nullable and open columns; one without owners and with many narrow columns."""
    row = {
        "who": 1, "age": 40, "small": 1, "wide": 7, "sex": "F", "region": "north", "diagnosis": "a" * 30, "cost": 1,
        "day": "2025-01-01", "far": "2025-01-01", "flag": True, "city": "Rome",
    }  # fmt: skip
    visits = pt.Table(
        "visits",
        source=[row],
        columns={
            "who": pt.identifier(),
            "age": pt.integers(0, 120),
            "small": pt.integers(0, 9, missing=0),
            "wide": pt.integers(-(2**50), 2**50),
            "sex": pt.categories("F", "M"),
            "region": pt.categories("north", "south", "east", "west", other="north", missing="north"),
            "diagnosis": pt.categories(*(chr(97 + place % 26) * 30 + str(place) for place in range(300))),
            "cost": pt.decimals(0, 20_000, step="0.01"),
            "day": pt.dates("2020-01-01", "2025-12-31"),
            "far": pt.dates("0001-01-01", "9999-12-31"),
            "flag": pt.booleans(),
            "city": pt.text_keys(),
        },
    )
    columns = {f"c{place}": pt.integers(0, 99) for place in range(24)}
    many = pt.Table("many", source=[dict.fromkeys(columns, 1)], columns=columns)
    return [visits, many]


def _select(
    what: str = "COUNT(*) AS n", where: str = "", group: str = "", rest: str = "", table: str = "visits"
) -> str:
    text = f"SELECT {what} FROM {table}"
    text += f" WHERE {where}" if where else ""
    text += f" GROUP BY {group}" if group else ""
    return f"{text} {rest}".strip()


def _balanced(depth: int, place: int = 0, turn: int = 0) -> str:
    """A tree of AND and OR by turns, with NOT here and there, of single comparisons of many columns."""
    if depth == 0:
        return f"c{place % 24} {'<' if place % 3 else '>='} {place * 7 % 97}"
    word = " AND " if (depth + turn) % 2 else " OR "
    inner = word.join(_balanced(depth - 1, place * 2 + side, turn) for side in (0, 1))
    return f"NOT ({inner})" if place % 5 == 2 else f"({inner})"


def _doubled(times: int, where: str, *, chosen: bool = False) -> str:
    parts = [f"q0 AS (SELECT * FROM visits WHERE {where})"]
    for step in range(times):
        ends = f" WHERE age < {step}", f" WHERE age >= {step}"
        one, two = ends if chosen else ("", "")
        parts.append(f"q{step + 1} AS (SELECT * FROM q{step}{one} UNION ALL SELECT * FROM q{step}{two})")
    return f"WITH {', '.join(parts)} SELECT COUNT(*) AS n FROM q{times}"


def _named(times: int) -> str:
    """Columns made of columns, doubling at each step."""
    parts = ["q0 AS (SELECT age + 1 AS x FROM visits)"]
    parts += [f"q{step + 1} AS (SELECT x + x AS x FROM q{step})" for step in range(times)]
    return f"WITH {', '.join(parts)} SELECT SUM(x) AS n FROM q{times}"


def questions() -> dict[str, str]:
    """Each hostile question by name."""
    found: dict[str, str] = {}
    found["ordinary"] = _select("region, COUNT(*) AS n, AVG(cost) AS c", "age >= 65", "region")
    # buckets and keys
    found["bucket wide"] = _select("BUCKET(wide, 97) AS b, COUNT(*) AS n", group="BUCKET(wide, 97)")
    found["bucket wide 1"] = _select("BUCKET(wide, 1) AS b, COUNT(*) AS n", group="1")
    found["bucket floor"] = _select("FLOOR(wide / 97) * 97 AS b, COUNT(*) AS n", group="1")
    found["key wide"] = _select("wide, COUNT(*) AS n", group="wide")
    found["key cost"] = _select("cost, COUNT(*) AS n", group="cost")
    found["key cost bucket"] = _select("BUCKET(cost, 0.02) AS b, COUNT(*) AS n", group="1")
    found["two keys"] = _select("age, cost, COUNT(*) AS n", group="age, cost")
    found["keys million"] = _select("COUNT(*) AS n", group="c0, c1, c2", table="many")
    found["keys million ragged"] = _select(
        "COUNT(*) AS n", " OR ".join(f"(c0 = {i} AND c1 = {i})" for i in range(90)), "c0, c1, c2", table="many"
    )
    found["keys ragged same"] = _select(
        "COUNT(*) AS n", "c0 <> c1 OR c2 = 7", "c0, BUCKET(c0, 2), BUCKET(c0, 5), c1", table="many"
    )
    found["trunc far"] = _select("DATE_TRUNC('week', far) AS w, COUNT(*) AS n", group="1")
    found["day far"] = _select("far, COUNT(*) AS n", group="far")
    found["trunc far twice"] = _select("COUNT(*) AS n", group="DATE_TRUNC('week', far), DATE_TRUNC('month', far)")
    found["keys of 4 kB"] = _select(
        "COUNT(*) AS n", group="CASE " + " ".join(f"WHEN age = {i} THEN '{'x' * 80}{i}'" for i in range(90)) + " END"
    )
    found["keys 500 of 20"] = _select(
        "COUNT(*) AS n",
        group="CASE " + " ".join(f"WHEN wide={i * 31} THEN 'x{i}'" for i in range(300)) + " END",
    )
    found["keys 200 columns"] = _select(
        "COUNT(*) AS n", group=", ".join(f"BUCKET(c0,{i + 1})" for i in range(200)), table="many"
    )
    found["key case two columns"] = _select(
        "COUNT(*) AS n",
        group="CASE "
        + " ".join(f"WHEN c{i % 24}>{i % 97} AND c{(i + 1) % 24}<{i % 89} THEN 'x{i}'" for i in range(180))
        + " END",
        table="many",
    )
    found["key case and condition"] = _select(
        "COUNT(*) AS n",
        _balanced(6),
        "CASE "
        + " ".join(f"WHEN c{i % 24}>{i % 97} AND c{(i + 1) % 24}<{i % 89} THEN 'x{i}'" for i in range(60))
        + " END",
        table="many",
    )
    found["keys of cases"] = _select(
        "COUNT(*) AS n",
        group=", ".join(f"CASE WHEN c{i}>1 AND c{i + 1}<5 THEN 1 ELSE 0 END" for i in range(19)),
        table="many",
    )
    found["boolean keys"] = _select("COUNT(*) AS n", group=", ".join(f"c{i % 24}>{i}" for i in range(20)), table="many")
    found["boolean key deep"] = _select("COUNT(*) AS n", group=_balanced(8), table="many")
    # choices
    found["case 100"] = _select(
        "SUM(CASE " + " ".join(f"WHEN age > {i} AND small < {i % 9} THEN {i}" for i in range(100)) + " END) AS s"
    )
    found["case 100 of columns"] = _select(
        "SUM(CASE "
        + " ".join(f"WHEN c{i % 24} > {i} AND c{(i + 5) % 24} < {i % 90} THEN c{i % 24}" for i in range(100))
        + " ELSE 0 END) AS s",
        table="many",
    )
    found["case 200 wide"] = _select(
        "SUM(CASE " + " ".join(f"WHEN wide > {i} THEN {i}" for i in range(300)) + " END) AS s"
    )
    found["case of two, 250"] = _select(
        "SUM(CASE " + " ".join(f"WHEN c{i % 24}+c{i % 7}>{i} THEN {i}" for i in range(250)) + " END) AS s", table="many"
    )
    nested = "0"
    for i in range(60):
        nested = f"CASE WHEN c{i % 24} > {i} THEN {i} ELSE {nested} END"
    found["case nested 60"] = _select(f"SUM({nested}) AS s", table="many")
    nested = "0"
    for i in range(12):
        nested = f"CASE WHEN c{i % 24} > {i} THEN c{i} + {nested} ELSE {nested} END"
        if len(nested) > 9000:
            break
    found["case doubled"] = _select(f"SUM({nested[:9900]}) AS s", table="many")
    # unions and names
    found["union 12"] = _doubled(12, "age > 5")
    found["union 12 chosen"] = _doubled(12, "age > 5", chosen=True)
    found["union 40"] = _doubled(40, "age > 5")
    found["union 200 parts"] = (
        "SELECT COUNT(*) AS n FROM ("
        + " UNION ALL ".join(f"SELECT * FROM visits WHERE age={i}" for i in range(121))
        + ")"
    )
    found["union 120 boxes"] = (
        "SELECT COUNT(*) AS n FROM ("
        + " UNION ALL ".join(f"SELECT * FROM many WHERE c0={i} AND c1<>{i} AND c2<>{i}" for i in range(100))
        + ")"
    )
    found["union columns"] = (
        "SELECT SUM(x) AS n FROM ("
        + " UNION ALL ".join(f"SELECT age + {i} AS x FROM visits WHERE age={i}" for i in range(121))
        + ")"
    )
    for name, around, times in (
        ("power of power", "POWER({}, 8)", 8),
        ("power below zero", "POWER({}, -2)", 12),
        ("nullif in nullif", "NULLIF({}, small)", 20),
        ("if between", "IF({} BETWEEN 1 AND 2, age, small)", 30),
        ("case in list", "CASE WHEN {} IN (1, 2, 3, 5, 8) THEN age ELSE small END", 14),
    ):
        inner = "age"
        for _ in range(times):
            inner = around.format(inner)
        found[name] = f"SELECT SUM({inner}) AS s FROM visits"
    found["names doubling 12"] = _named(12)
    found["names doubling 40"] = _named(40)
    found["brackets 100"] = "SELECT COUNT(*) AS n FROM " + "(SELECT * FROM " * 100 + "visits" + ")" * 100
    found["brackets 400"] = "SELECT COUNT(*) AS n FROM " + "(SELECT * FROM " * 400 + "visits" + ")" * 400
    found["with 200"] = (
        "WITH "
        + ", ".join(f"q{i} AS (SELECT * FROM {'visits' if not i else f'q{i - 1}'})" for i in range(200))
        + " SELECT COUNT(*) AS n FROM q199"
    )
    # boxes
    found["or 200 boxes"] = _select(
        where=" OR ".join(f"(c{i % 24}={i % 97} AND c{(i + 1) % 24}={i % 89})" for i in range(200)), table="many"
    )
    found["or 200 boxes 3"] = _select(
        where=" OR ".join(f"(c0<{i % 97} AND c1>{i * 7 % 89} AND c2<>{i % 83})" for i in range(200)), table="many"
    )
    found["or 150 wide boxes"] = _select(
        where=" OR ".join(
            f"(c{i % 24}<{i % 97} AND c{(i + 1) % 24}>{i % 89} AND c{(i + 7) % 24}<>5)" for i in range(150)
        ),
        table="many",
    )
    found["and of ors"] = _select(
        where=" AND ".join(f"(c{i % 24}<{i % 97} OR c{(i + 1) % 24}>{i % 89})" for i in range(200)), table="many"
    )
    found["and of odd"] = _select(where=" AND ".join(f"c{i} % 2 = 0" for i in range(24)), table="many")
    found["or of odd"] = _select(
        where=" OR ".join(f"(c{i} % 2 = 0 AND c{i + 1} % 3 = 1)" for i in range(23)), table="many"
    )
    for depth in (5, 6, 7, 8):
        found[f"tree {depth}"] = _select(where=_balanced(depth), table="many")
        found[f"not tree {depth}"] = _select(where=f"NOT ({_balanced(depth, turn=1)})", table="many")
    found["xor"] = _select(
        where=" AND ".join(f"((c{i}>5 AND NOT c{i + 1}>5) OR (NOT c{i}>5 AND c{i + 1}>5))" for i in range(23)),
        table="many",
    )
    found["is true"] = _select(
        where="(" * 6 + _balanced(6) + ") IS TRUE) IS FALSE) IS TRUE) IS FALSE) IS TRUE) IS FALSE", table="many"
    )
    found["in list wide"] = _select(where=f"wide IN ({', '.join(str(i * 3) for i in range(1500))})")
    found["in list cost"] = _select(where=f"cost IN ({', '.join(f'{i}.5' for i in range(1400))})")
    found["in not in"] = _select(
        where=" AND ".join(f"c{i} NOT IN ({', '.join(str(j * 2) for j in range(45))})" for i in range(24)), table="many"
    )
    found["in versus"] = _select(where=f"c0 + c1 IN ({', '.join(map(str, range(1200)))})", table="many")
    found["in of functions"] = _select(where=f"cost % 7 IN ({', '.join(map(str, range(1500)))})")
    found["listed tuples"] = _select(
        where=f"(c0, c1) IN ({', '.join(f'({i}, {i * 7 % 97})' for i in range(700))})", table="many"
    )
    # patterns and functions
    found["like 8"] = _select(where=f"diagnosis LIKE '{'%_' * 8}z'")
    found["like 30"] = _select(where=f"diagnosis LIKE '{'%a' * 30}z'")
    found["like 2000"] = _select(where=f"diagnosis LIKE '{'%a' * 2000}z'")
    found["like written"] = _select(where=f"diagnosis LIKE '{'%_' * 8}z' OR UPPER(diagnosis) LIKE '{'%_' * 8}Z'")
    found["ilike"] = _select(where=f"diagnosis ILIKE '{'%a' * 12}z'")
    found["like on itself"] = _select(where=f"'{'a' * 3000}' LIKE '{'%a' * 1500}b' AND diagnosis LIKE 'a%'")
    found["like long constant"] = _select(where=f"diagnosis || '{'a' * 4000}' LIKE '{'%a' * 1500}b'")
    found["similar to"] = _select(where="diagnosis SIMILAR TO '(a*)*b'")
    found["regexp"] = _select(where="regexp_matches(diagnosis, '(a*)*b')")
    found["concat doubling"] = _select(where="d = 'x'").replace(
        "visits", "(SELECT y || y AS d FROM (SELECT x || x AS y FROM (SELECT diagnosis || diagnosis AS x FROM visits)))"
    )
    found["concat growing"] = _select(
        where=" AND ".join(f"({'||'.join(['diagnosis'] * 40)}) <> 'x{i}'" for i in range(20))
    )
    found["replace nested"] = _select(where="REPLACE(" * 80 + "diagnosis" + ", 'a', 'b')" * 80 + " = 'x'")
    found["tabulated far"] = _select(where="EXTRACT(year FROM far) % 7 = 3")
    found["tabulated day 500"] = _select(where=" OR ".join(f"EXTRACT(day FROM day) % {i + 2} = 1" for i in range(250)))
    found["tabulated one, long"] = _select(where=f"{' + '.join(['EXTRACT(day FROM day)'] * 380)} = 7")
    found["tabulated keys"] = _select(
        "COUNT(*) AS n", group="EXTRACT(doy FROM day), EXTRACT(week FROM day), EXTRACT(month FROM day), small"
    )
    found["tabulated cost"] = _select(where=" AND ".join(f"age % {i} <> 1" for i in range(2, 600)))
    found["tabulated age sums"] = _select("SUM(" + " + ".join(f"age % {i}" for i in range(2, 800)) + ") AS s")
    found["pow tower"] = _select(where="POW(POW(POW(POW(age, 8), 8), 8), 8) > 1")
    found["pow many"] = _select(where=" AND ".join("POW(POW(age, 8), 8) > 1" for _ in range(350)))
    found["products"] = _select(where=f"{' * '.join(['(age % 119)'] * 700)} > 1")
    found["divisions"] = _select(where=f"{' / '.join(['(age + 1.37)'] * 600)} > 1")
    found["rounds"] = _select(where="ROUND(age / 3.7, 30) > 1")
    found["width bucket"] = _select("WIDTH_BUCKET(age, 0, 1, 1000000000000) AS b, COUNT(*) AS n", group="1")
    found["sum of many products"] = _select(
        "SUM(" + " * ".join(f"(c{i % 24} + {i})" for i in range(600)) + ") AS s", table="many"
    )
    found["sum of sums"] = _select("SUM(" + " + ".join(f"c{i % 24} * {i}" for i in range(900)) + ") AS s", table="many")
    found["square of sums"] = _select(
        "SUM(("
        + " + ".join(f"c{i % 24}" for i in range(900))
        + ") * ("
        + " + ".join(f"c{i % 24}" for i in range(900))
        + ")) AS s",
        table="many",
    )
    product = " * ".join(f"(c{i} + c{i + 1} + {i})" for i in range(20))
    found["product of sums"] = _select(f"SUM(CLAMP({product}, 0, 10)) AS s", table="many")
    found["clamps"] = _select("SUM(" + "CLAMP(" * 300 + "age" + ", 0, 100)" * 300 + ") AS s")
    # brackets and recursion
    for depth in (100, 300, 1000, 4000):
        found[f"parentheses {depth}"] = _select(where="(" * depth + "age > 5" + ")" * depth)
    found["parentheses sum 2000"] = _select("SUM(" + "(" * 2000 + "age" + ")" * 2000 + ") AS s")
    found["nots 2000"] = _select(where="NOT " * 2000 + "age > 5")
    found["negations 4000"] = _select("SUM(" + "- " * 4000 + "age) AS s")
    found["plus 3000"] = _select("SUM(age" + "+age" * 2500 + ") AS s")
    found["minus right 1000"] = _select("SUM(" + "(age-" * 1000 + "1" + ")" * 1000 + ") AS s")
    found["and 1000"] = _select(where=" AND ".join(f"age<>{i}" for i in range(1000)))
    found["or 1000"] = _select(where=" OR ".join(f"age={i}" for i in range(1000)))
    found["having deep"] = _select(rest="HAVING " + "(" * 900 + "COUNT(*)" + " + 1)" * 900 + " > 3", group="sex")
    found["order deep"] = _select("sex, COUNT(*) AS n", rest="ORDER BY " + "ABS(" * 900 + "n" + ")" * 900, group="sex")
    found["formula wide"] = _select("sex, " + " + ".join("COUNT(*)" for _ in range(1000)) + " AS n", group="sex")
    found["formula product"] = _select("sex, " + " * ".join("COUNT(*)" for _ in range(1000)) + " AS n", group="sex")
    found["formula of many"] = _select(" + ".join(f"SUM(age*{i})" for i in range(700)) + " AS n")
    found["formula quotients"] = _select(" / ".join(f"SUM(age*{i})" for i in range(1, 700)) + " AS n")
    found["formula greatest"] = _select(
        "GREATEST(" + ", ".join(f"SUM(c{i % 24})*{i}" for i in range(600)) + ") AS n", table="many"
    )
    found["formula case"] = _select(
        "CASE " + " ".join(f"WHEN SUM(c{i % 24})>{i} THEN {i}" for i in range(300)) + " END AS n", table="many"
    )
    found["having of many"] = _select(
        rest="HAVING " + " AND ".join(f"SUM(c{i % 24})>{i}" for i in range(500)), table="many", group="c0"
    )
    # aggregates
    found["aggregates 300"] = _select(", ".join(f"SUM(c{i % 24} * {i}) AS s{i}" for i in range(300)), table="many")
    found["aggregates sums 100"] = _select(
        ", ".join(f"SUM(c{i % 24} * c{i // 24}) AS s{i}" for i in range(300)), table="many"
    )
    found["averages 300"] = _select(", ".join(f"AVG(c{i % 24}*c{i // 24}) AS s{i}" for i in range(300)), table="many")
    found["quantiles 300"] = _select(", ".join(f"QUANTILE(cost, 0.{i:03d}) AS s{i}" for i in range(1, 300)))
    found["quantiles keys"] = _select(
        "age, " + ", ".join(f"QUANTILE(cost, 0.{i:03d}) AS s{i}" for i in range(1, 200)), group="age"
    )
    found["medians of expressions"] = _select(
        ", ".join(f"MEDIAN(c{i % 24} * c{(i + 1) % 24} + {i}) AS s{i}" for i in range(200)), table="many"
    )
    found["correlations"] = _select(
        ", ".join(f"CORR(c{i % 24}, c{(i // 24 + i) % 24}) AS s{i}" for i in range(250)), table="many"
    )
    found["deviations"] = _select(", ".join(f"STDDEV(c{i % 24}*{i + 1}) AS s{i}" for i in range(300)), table="many")
    found["filters"] = _select(
        ", ".join(f"COUNT(*) FILTER (WHERE c{i % 24}>{i % 97} AND c{i % 7}<{i % 31}) AS s{i}" for i in range(150)),
        table="many",
    )
    found["sums of cases"] = _select(
        ", ".join(f"SUM(CASE WHEN c{i % 24}>{i % 97} AND c{i % 7}<{i % 31} THEN 1 END) AS s{i}" for i in range(130)),
        table="many",
    )
    found["filters trees"] = _select(
        ", ".join(f"COUNT(*) FILTER (WHERE {_balanced(4, i, i)}) AS s{i}" for i in range(25)), table="many"
    )
    # margins
    listed = ", ".join(f"c{i}" for i in range(24))
    found["cube 24"] = _select("COUNT(*) AS n", group=f"CUBE({listed})", table="many")
    found["cube small"] = _select(
        "COUNT(*) AS n", group=f"CUBE({', '.join(f'BUCKET(c{i}, 50)' for i in range(19))})", table="many"
    )
    found["rollups"] = _select("COUNT(*) AS n", group=", ".join(f"ROLLUP(c{i})" for i in range(24)), table="many")
    found["cubes of one"] = _select(
        "COUNT(*) AS n", group=", ".join("CUBE(c0, c1, c2)" for _ in range(300)), table="many"
    )
    found["grouping sets"] = _select(
        "COUNT(*) AS n",
        group=f"GROUPING SETS ({', '.join(f'(c{i % 24}, c{i * 7 % 24})' for i in range(700))})",
        table="many",
    )
    found["rollup same"] = _select("COUNT(*) AS n", group=f"ROLLUP({', '.join(['c0'] * 1500)})", table="many")
    # joins
    found["joins 300"] = _select(rest=" ".join(f"JOIN visits v{i} ON v{i}.age = visits.age" for i in range(200)))
    found["commas"] = _select(rest="").replace("visits", ", ".join(f"visits v{i}" for i in range(800)))
    # gathering
    inner = (
        "SELECT who, "
        + ", ".join(f"LEAST(SUM(age * {i}), 5) AS x{i}" for i in range(200))
        + " FROM visits GROUP BY who"
    )
    found["gathering 200"] = f"SELECT SUM(x1) AS s FROM ({inner})"
    found["gathering all"] = (
        "SELECT "
        + ", ".join(f"SUM(x{i}) AS s{i}" for i in range(90))
        + " FROM (SELECT who, "
        + ", ".join(f"CLAMP(SUM(age * {i}), 0, 5) AS x{i}" for i in range(90))
        + " FROM visits GROUP BY who)"
    )
    found["gathering keys"] = (
        "SELECT x, COUNT(*) AS n FROM (SELECT who, CLAMP(SUM(cost), 0, 1000000000) AS x FROM visits GROUP BY who) "
        "GROUP BY x"
    )
    found["gathering bucket"] = (
        "SELECT BUCKET(x, 2) AS b, COUNT(*) AS n FROM (SELECT who, CLAMP(SUM(wide), 0, 100000000000) AS x FROM visits "
        "GROUP BY who) GROUP BY 1"
    )
    found["gathering by columns"] = (
        "SELECT COUNT(*) AS n FROM (SELECT who, age, small, sex, region, LEAST(COUNT(*), 5) AS k FROM visits "
        "GROUP BY who, age, small, sex, region)"
    )
    # texts
    found["numeral 9000"] = _select(where=f"age > {'9' * 9000}")
    found["numeral 3900"] = _select(where=f"age > {'9' * 3900} AND age < {'8' * 3900}")
    found["numeral fraction"] = _select(f"SUM(age * 0.{'3' * 3900}) AS s")
    found["numerals 70"] = _select(f"SUM({' + '.join(f'age * 0.{i}{chr(51) * 60}' for i in range(100))}) AS s")
    found["exponent"] = _select(where="age > 1e999999999")
    found["exponent small"] = _select(where="age > 1e-999999999")
    found["exponents"] = _select(where=" AND ".join(f"cost > 1e{i}" for i in range(500)))
    found["exponents 4999"] = _select("SUM(" + " + ".join(f"age * 1e-{i}" for i in range(700)) + ") AS s")
    found["bucket exponent"] = _select("BUCKET(cost, 1e70) AS b, COUNT(*) AS n", group="1")
    found["limit"] = _select(rest=f"LIMIT {'9' * 4000}", group="age")
    found["names long"] = _select("COUNT(*) AS " + "n" * 9000)
    found["names many"] = _select(", ".join(f"COUNT(*) AS n{i}" for i in range(700)))
    found["column long"] = _select(where=f"{'a' * 9000} > 5")
    found["columns unknown"] = _select(where=" AND ".join(f"z{i} > 5" for i in range(700)))
    found["quoted"] = _select('COUNT(*) AS "' + '""' * 4000 + '"')
    found["comment"] = "/*" * 2500 + _select() + "*/" * 2500
    found["comments"] = "--\n" * 3000 + _select()
    found["brackets open"] = "(" * 10_000
    found["brackets open 2"] = "SELECT " + "[" * 9000
    found["brackets calls"] = "SELECT " + "f(" * 4000
    found["case open"] = "SELECT " + "CASE WHEN " * 900
    found["select open"] = "(SELECT " * 1200
    found["spaces"] = " " * 10_000
    found["spaces brackets"] = "( " * 5000 + "x"
    found["comment open"] = "/* " * 3000
    found["comment opens"] = "/*/" * 3000
    found["quote open"] = "SELECT '" + "''" * 4900
    found["nul"] = "SELECT COUNT(*) AS n FROM visits WHERE sex = '\x00'"
    found["nul name"] = 'SELECT COUNT(*) AS "\x00" FROM visits'
    found["surrogate"] = "SELECT COUNT(*) AS n FROM visits WHERE sex = '\ud800'"
    found["surrogate name"] = 'SELECT COUNT(*) AS "\udfff" FROM visits'
    found["emoji"] = _select(where="sex = '" + "🧮" * 2000 + "'")
    found["digits"] = _select(where="age > " + "٣" * 2000)
    found["casing"] = _select(where="UPPER(diagnosis) = '" + "ß" * 4000 + "'")
    found["ors of likes"] = _select(where=" OR ".join(f"diagnosis LIKE '%{i}%_%a%'" for i in range(280)))
    found["dates"] = _select(where=" OR ".join(f"far=DATE '{1000 + i}-01-01'" for i in range(350)))
    found["trunc list"] = _select(
        where=" OR ".join(f"DATE_TRUNC('month',day)='2021-0{i % 9 + 1}-01'" for i in range(200))
    )
    found["between list"] = _select(where=" OR ".join(f"cost BETWEEN {i * 10} AND {i * 10 + 5}" for i in range(350)))
    found["coalesces"] = _select("SUM(COALESCE(" + ", ".join("age" for _ in range(2000)) + ")) AS s")
    found["count distinct"] = _select(", ".join(f"COUNT(DISTINCT who) AS n{i}" for i in range(300)))
    found["opened"] = _select("city, COUNT(*) AS n", group="city, age")
    found["opened boxes"] = _select(
        "city, COUNT(*) AS n", " OR ".join(f"(age={i} AND small={i % 10})" for i in range(120)), "city"
    )
    found["stored tests"] = _select(where=" OR ".join(f"c{i % 24}*c{i % 23}>{i}" for i in range(500)), table="many")
    found["tests and boxes"] = _select(
        where=" AND ".join(f"(c{i % 24}*c{i % 23}>{i} OR c{i % 22}={i})" for i in range(250)), table="many"
    )
    return {name: text[:MOST_CHARACTERS] if name.split()[0] == "brackets" else text for name, text in found.items()}
