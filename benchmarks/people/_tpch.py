"""A small database in the manner of TPC-H, and nine of its questions about customers.

Owners and links have one name in all tables (``custkey``, ``orderkey``): that is how a promise on people is declared.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

import partita as pt

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
TYPES = ("ECONOMY BRASS", "LARGE TIN", "PROMO COPPER", "PROMO STEEL", "SMALL NICKEL", "STANDARD TIN")
FIRST, LAST = "1992-01-01", "1998-12-31"
PARTS, SUPPLIERS = 2_000, 100
CAPS = {"orders": 30, "lineitem": 120}


def made(folder: Path, customers: int) -> dict[str, Path]:
    """Files of customers, ten orders for each (a third have none), and up to seven lines an order, by a fixed hash."""
    found = {name: folder / f"{name}_{customers}.parquet" for name in ("customer", "orders", "lineitem")}
    if all(path.exists() for path in found.values()):
        return found
    connection = duckdb.connect()
    connection.execute("CREATE MACRO drawn(k, salt) AS hash(salt || k)")

    def one(listed: tuple[str, ...], salt: str) -> str:
        return f"[{', '.join(repr(text) for text in listed)}][1 + (drawn(k, '{salt}') % {len(listed)})::INT]"

    connection.execute(f"""
        CREATE TABLE customer AS SELECT k AS custkey, 'Customer#' || k AS c_name,
            (drawn(k, 'n') % 25)::INT AS c_nationkey, {one(SEGMENTS, "s")} AS c_mktsegment,
            ((drawn(k, 'b') % 1100000)::BIGINT - 99999)::DECIMAL(12, 2) / 100 AS c_acctbal
        FROM range(1, {customers + 1}) t(k)""")
    connection.execute(f"""
        CREATE TABLE orders AS SELECT k AS orderkey, 1 + 3 * (drawn(k, 'c') % {customers // 3})::BIGINT
                + (drawn(k, 'd') % 2)::BIGINT AS custkey,
            DATE '{FIRST}' + (drawn(k, 'o') % 2406)::INT AS o_orderdate, {one(PRIORITIES, "p")} AS o_orderpriority,
            0 AS o_shippriority, ((drawn(k, 't') % 40000000)::BIGINT)::DECIMAL(12, 2) / 100 AS o_totalprice,
            CASE WHEN drawn(k, 'r') % 50 = 0 THEN 'special requests' ELSE 'no remark' END AS o_comment
        FROM range(1, {10 * customers + 1}) t(k)""")
    connection.execute(f"""
        CREATE TABLE lineitem AS SELECT orderkey, 1 + (drawn(k, 'part') % {PARTS})::INT AS l_partkey,
            1 + (drawn(k, 'supp') % {SUPPLIERS})::INT AS l_suppkey, quantity AS l_quantity,
            (quantity * (90000 + (drawn(k, 'e') % 100000)::BIGINT))::DECIMAL(12, 2) / 100 AS l_extendedprice,
            ((drawn(k, 'i') % 11)::INT)::DECIMAL(4, 2) / 100 AS l_discount,
            ((drawn(k, 'x') % 9)::INT)::DECIMAL(4, 2) / 100 AS l_tax,
            CASE WHEN shipped > DATE '1995-06-17' THEN 'N' WHEN drawn(k, 'f') % 2 = 0 THEN 'R' ELSE 'A' END
                AS l_returnflag,
            CASE WHEN shipped > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus,
            shipped AS l_shipdate, ordered + 30 + (drawn(k, 'm') % 61)::INT AS l_commitdate,
            shipped + 1 + (drawn(k, 'g') % 30)::INT AS l_receiptdate, {one(MODES, "h")} AS l_shipmode
        FROM (SELECT orderkey, 10 * orderkey + line AS k, o_orderdate AS ordered,
                1 + (drawn(10 * orderkey + line, 'q') % 50)::INT AS quantity,
                o_orderdate + 1 + (drawn(10 * orderkey + line, 'z') % 121)::INT AS shipped
            FROM orders, range(1, 8) t(line) WHERE line <= 1 + drawn(orderkey, 'l') % 7)""")
    for name, path in found.items():
        connection.execute(f"COPY {name} TO '{path}' (FORMAT parquet)")
    return found


def public() -> list[pt.PublicTable]:
    """Nations, regions, suppliers and parts are nobody's secret."""
    return [
        pt.PublicTable(
            "region", [{"r_regionkey": at, "r_name": name} for at, name in enumerate(REGIONS)], "r_regionkey"
        ),
        pt.PublicTable(
            "nation",
            [{"n_nationkey": at, "n_name": f"NATION {at:02d}", "n_regionkey": at % 5} for at in range(25)],
            "n_nationkey",
        ),
        pt.PublicTable(
            "supplier", [{"s_suppkey": at, "s_nationkey": at % 25} for at in range(1, SUPPLIERS + 1)], "s_suppkey"
        ),
        pt.PublicTable("part", [{"p_partkey": at, "p_type": TYPES[at % 6]} for at in range(1, PARTS + 1)], "p_partkey"),
    ]


def curator(files: dict[str, Path]) -> pt.Curator:
    """One promise about customers, in all three tables."""
    day = pt.dates(FIRST, "1999-06-30")
    percent = pt.decimals(0, "0.1", step="0.01", missing=0)
    customer = pt.Table(
        "customer",
        source=str(files["customer"]),
        columns={
            "custkey": pt.identifier(),
            "c_name": pt.text_keys(),
            "c_nationkey": pt.integers(0, 24, missing=0),
            "c_mktsegment": pt.categories(*SEGMENTS),
            "c_acctbal": pt.decimals("-1000", 10_000, step="0.01", missing=0),
        },
    )
    orders = pt.Table(
        "orders",
        source=str(files["orders"]),
        columns={
            "orderkey": pt.key(),
            "custkey": pt.identifier(),
            "o_orderdate": day,
            "o_orderpriority": pt.categories(*PRIORITIES),
            "o_shippriority": pt.integers(0, 9, missing=0),
            "o_totalprice": pt.decimals(0, 400_000, step="0.01", missing=0),
            "o_comment": pt.text_keys(),
        },
    )
    lineitem = pt.Table(
        "lineitem",
        source=str(files["lineitem"]),
        columns={
            "orderkey": pt.key(),
            "l_partkey": pt.integers(1, PARTS, missing=1),
            "l_suppkey": pt.integers(1, SUPPLIERS, missing=1),
            "l_quantity": pt.integers(0, 50, missing=0),
            "l_extendedprice": pt.decimals(0, 100_000, step="0.01", missing=0),
            "l_discount": percent,
            "l_tax": percent,
            "l_returnflag": pt.categories("A", "N", "R"),
            "l_linestatus": pt.categories("F", "O"),
            "l_shipdate": day,
            "l_commitdate": day,
            "l_receiptdate": day,
            "l_shipmode": pt.categories(*MODES),
        },
    )
    people = pt.persons("custkey", table="customer", rows=CAPS, through={"lineitem": ("orderkey", "orders")})
    return pt.Curator(
        tables=[customer, orders, lineitem], public=public(), promises=[pt.Promise(people, pt.ZCDP(rho=10**6))]
    )


# The text of the benchmark, with its validation values and the names above.
WRITTEN = {
    "Q1": """
        SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
            SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
            SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, AVG(l_quantity) AS avg_qty,
            AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
        FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "Q3": """
        SELECT l.orderkey, SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue, o.o_orderdate, o.o_shippriority
        FROM customer c, orders o, lineitem l
        WHERE c.c_mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey
            AND o.o_orderdate < DATE '1995-03-15' AND l.l_shipdate > DATE '1995-03-15'
        GROUP BY l.orderkey, o.o_orderdate, o.o_shippriority ORDER BY revenue DESC, o.o_orderdate LIMIT 10""",
    "Q5": """
        SELECT n.n_name, SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue
        FROM customer c, orders o, lineitem l, supplier s, nation n, region r
        WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND l.l_suppkey = s.s_suppkey
            AND c.c_nationkey = s.s_nationkey AND s.s_nationkey = n.n_nationkey AND n.n_regionkey = r.r_regionkey
            AND r.r_name = 'ASIA' AND o.o_orderdate >= DATE '1994-01-01'
            AND o.o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
        GROUP BY n.n_name ORDER BY revenue DESC""",
    "Q6": """
        SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
        WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
            AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24""",
    "Q10": """
        SELECT c.custkey, c.c_name, SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue, c.c_acctbal, n.n_name
        FROM customer c, orders o, lineitem l, nation n
        WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.o_orderdate >= DATE '1993-10-01'
            AND o.o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l.l_returnflag = 'R'
            AND c.c_nationkey = n.n_nationkey
        GROUP BY c.custkey, c.c_name, c.c_acctbal, n.n_name ORDER BY revenue DESC LIMIT 20""",
    "Q12": """
        SELECT l.l_shipmode,
            SUM(CASE WHEN o.o_orderpriority = '1-URGENT' OR o.o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
            SUM(CASE WHEN o.o_orderpriority <> '1-URGENT' AND o.o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low
        FROM orders o, lineitem l
        WHERE o.orderkey = l.orderkey AND l.l_shipmode IN ('MAIL', 'SHIP') AND l.l_commitdate < l.l_receiptdate
            AND l.l_shipdate < l.l_commitdate AND l.l_receiptdate >= DATE '1994-01-01'
            AND l.l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
        GROUP BY l.l_shipmode ORDER BY l.l_shipmode""",
    "Q13": """
        SELECT c_count, COUNT(*) AS custdist FROM (
            SELECT c.custkey, COUNT(o.orderkey) AS c_count FROM customer c
            LEFT OUTER JOIN orders o ON c.custkey = o.custkey AND o.o_comment NOT LIKE '%special%requests%'
            GROUP BY c.custkey) AS c_orders
        GROUP BY c_count ORDER BY custdist DESC, c_count DESC""",
    "Q14": """
        SELECT 100.00 * SUM(CASE WHEN p.p_type LIKE 'PROMO%' THEN l.l_extendedprice * (1 - l.l_discount) ELSE 0 END)
            / SUM(l.l_extendedprice * (1 - l.l_discount)) AS promo_revenue
        FROM lineitem l, part p
        WHERE l.l_partkey = p.p_partkey AND l.l_shipdate >= DATE '1995-09-01'
            AND l.l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH""",
    "Q18": """
        SELECT c.c_name, c.custkey, o.orderkey, o.o_orderdate, o.o_totalprice, SUM(l.l_quantity) AS quantity
        FROM customer c, orders o, lineitem l
        WHERE o.orderkey IN (SELECT orderkey FROM lineitem GROUP BY orderkey HAVING SUM(l_quantity) > 300)
            AND c.custkey = o.custkey AND o.orderkey = l.orderkey
        GROUP BY c.c_name, c.custkey, o.orderkey, o.o_orderdate, o.o_totalprice
        ORDER BY o.o_totalprice DESC, o.o_orderdate LIMIT 100""",
}

# What can be asked in place of those that are refused: about groups of customers, never about one.
INSTEAD = {
    "Q3": """
        SELECT SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue
        FROM orders o JOIN customer c ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey
        WHERE c.c_mktsegment = 'BUILDING' AND o.o_orderdate < DATE '1995-03-15' AND l.l_shipdate > DATE '1995-03-15'""",
    "Q5": """
        SELECT n.n_name, SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue
        FROM orders o JOIN customer c ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey
        JOIN nation n ON n.n_nationkey = c.c_nationkey
        WHERE n.n_regionkey = 2 AND l.l_suppkey % 25 = c.c_nationkey
            AND o.o_orderdate >= DATE '1994-01-01' AND o.o_orderdate < DATE '1995-01-01' GROUP BY n.n_name""",
    "Q10": """
        SELECT n.n_name, SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue
        FROM orders o JOIN customer c ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey
        JOIN nation n ON n.n_nationkey = c.c_nationkey
        WHERE o.o_orderdate >= DATE '1993-10-01' AND o.o_orderdate < DATE '1994-01-01' AND l.l_returnflag = 'R'
        GROUP BY n.n_name""",
    "Q12": """
        SELECT l.l_shipmode, SUM(CASE WHEN o.o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
            SUM(CASE WHEN o.o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 0 ELSE 1 END) AS low
        FROM orders o JOIN lineitem l ON o.orderkey = l.orderkey
        WHERE l.l_shipmode IN ('MAIL', 'SHIP') AND l.l_receiptdate >= DATE '1994-01-01'
            AND l.l_receiptdate < DATE '1995-01-01' GROUP BY l.l_shipmode""",
    "Q13": """
        SELECT n, COUNT(*) AS custdist FROM (
            SELECT c.custkey, COUNT(o.o_shippriority) AS n FROM customer c LEFT JOIN orders o ON c.custkey = o.custkey
            GROUP BY c.custkey) AS t
        GROUP BY n""",
    "Q14": """
        SELECT SUM(CASE WHEN p.p_type LIKE 'PROMO%' THEN l.l_extendedprice * (1 - l.l_discount) ELSE 0 END) AS promo,
            SUM(l.l_extendedprice * (1 - l.l_discount)) AS revenue
        FROM lineitem l JOIN part p ON p.p_partkey = l.l_partkey
        WHERE l.l_shipdate >= DATE '1995-09-01' AND l.l_shipdate < DATE '1995-10-01'""",
    "Q18": """
        SELECT COUNT(*) AS customers FROM (
            SELECT custkey, SUM(l_quantity) AS quantity FROM lineitem GROUP BY custkey) AS t
        WHERE quantity > 1500""",
}
