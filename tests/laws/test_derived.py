"""Questions in brackets about one owner's rows: engines agree, with each other and with a plain database on the kept
rows; nobody has more rows than is proven; and an owner who goes takes her own rows and no others (derived.proof.md)."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.plain.joins import joined_rows, kept_rows
from partita.engine.reference import Reference
from partita.query.language.joined import joined_of
from partita.query.sql.parse import read
from tests.laws.joining import KEY, World, crowded, plainly, worlds
from tests.laws.test_joined import extracted, rows_of, without
from tests.sizes import tried

# What stands after FROM, for us and for a database that knows nothing of chains.
BRACKETS = {
    "(SELECT u, COUNT(*) AS n, SUM(p) AS s FROM buys GROUP BY u) t JOIN folk c ON c.u = t.u WHERE t.s > 0": True,
    "folk c LEFT JOIN (SELECT u, MAX(p) AS s FROM buys WHERE d < DATE '2024-01-03' GROUP BY u) t ON t.u = c.u": True,
    "folk c JOIN (SELECT u, p, COUNT(*) AS n FROM buys GROUP BY u, p HAVING COUNT(*) < 3) t ON t.u = c.u": True,
    "folk c FULL JOIN (SELECT u, w FROM seen WHERE w > 0) t ON t.u = c.u": True,
    "(SELECT u, p, RANK() OVER (PARTITION BY u ORDER BY p DESC) AS r FROM buys) t WHERE r <= 2": True,
    "(SELECT u, p, DENSE_RANK() OVER (PARTITION BY u ORDER BY d, p) AS r FROM buys) t WHERE r > 1": True,
    "(SELECT u, w, SUM(w) OVER (PARTITION BY u ORDER BY w) AS s FROM seen) t JOIN folk c ON c.u = t.u": True,
    "(SELECT u, p, COUNT(p) OVER (PARTITION BY u, d) AS n, MIN(d) OVER (PARTITION BY u) AS m FROM buys) t": True,
    "(SELECT u, w, ROW_NUMBER() OVER (PARTITION BY u ORDER BY w) AS k FROM seen) t WHERE k = 1": True,
    "(SELECT u, p, LAG(p) OVER (PARTITION BY u ORDER BY d) AS b FROM buys) t": False,
    "(SELECT u, p, LEAD(p, 2) OVER (PARTITION BY u ORDER BY d DESC) AS b FROM buys WHERE p >= 0) t": False,
    "(SELECT *, FIRST_VALUE(p) OVER (PARTITION BY u ORDER BY d NULLS FIRST) AS b FROM buys) t": False,
    "(SELECT * FROM buys QUALIFY ROW_NUMBER() OVER (PARTITION BY u ORDER BY d) = 1) t JOIN folk c ON c.u = t.u": False,
    "(SELECT DISTINCT u FROM buys) t JOIN seen ON seen.u = t.u": True,
    "folk c WHERE c.u IN (SELECT u FROM seen GROUP BY u HAVING SUM(w) > 1)": True,
    "folk c SEMI JOIN buys b ON b.u = c.u AND b.p > 0": True,
    "folk c ANTI JOIN seen s ON s.u = c.u": True,
    "(SELECT u, k, SUM(q) AS s FROM bits GROUP BY u, k) t JOIN folk c ON c.u = t.u": True,
    "buys b WHERE b.k IN (SELECT k FROM bits GROUP BY k HAVING SUM(q) > 3)": False,
    "buys b JOIN (SELECT k, COUNT(*) AS n FROM bits GROUP BY k) t ON t.k = b.k": False,
    (
        "(SELECT b.u, l.q, RANK() OVER (PARTITION BY b.u ORDER BY l.q) AS r FROM buys b JOIN bits l ON l.k = b.k "
        "AND l.u = b.u) t"
    ): True,
    (
        "(SELECT u, SUM(p) AS s FROM buys GROUP BY u) a JOIN (SELECT u, COUNT(*) AS n FROM seen GROUP BY u) b "
        "ON a.u = b.u AND b.n < a.s"
    ): True,
}
QUESTIONS = list(BRACKETS)
# Every world opens two engines, so it is asked all questions; and what fails is not made smaller.
PHASES = [Phase.explicit, Phase.generate]


def planned(world, text):
    return read(f"SELECT COUNT(*) AS n FROM {text}", [], people=world.people())


@settings(max_examples=tried(3, soaking=150), deadline=None, phases=PHASES)
@given(world=crowded())
def test_engines_agree_and_nobody_has_more_rows_than_proven(world):
    people, kept = world.people(), kept_rows(world.people(), KEY, world.rows)
    with (
        closing(DuckDB(world.tables(), people, KEY, threads=1)) as engine,
        closing(Reference(world.tables(), people, KEY)) as reference,
        closing(plainly(people, kept)) as database,
    ):
        for text, alike in BRACKETS.items():
            plan = planned(world, text)
            asked, joined = extracted(plan), joined_of(plan.table)
            assert joined is not None
            found = engine.run(asked).tolist()
            assert engine.blank(asked).tolist() == []
            assert reference.run(asked).tolist() == found
            each = Counter(row.owner for row in joined_rows(joined, kept))
            assert max(each.values(), default=0) <= joined.most
            if alike:
                ((plain,),) = database.execute(f"SELECT COUNT(*) FROM {text}").fetchall()
                assert plain == len(found)


@settings(max_examples=tried(60, soaking=2000), deadline=None, phases=PHASES)
@given(text=st.sampled_from(QUESTIONS), world=worlds(most=6), owner=st.sampled_from(["1", "2"]))
def test_an_owner_who_goes_takes_her_own_rows_and_no_others(text, world, owner):
    plan = planned(world, text)
    before, after = rows_of(world, plan), rows_of(without(world, owner), plan)
    assert Counter(row for row in before if row.owner != owner) == Counter(after)


def test_rows_that_are_equal_in_what_is_ordered_by_are_told_apart_by_their_values():
    """Not by where they are stored: the same rows in another order give the same answer."""
    text = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY d) AS n FROM buys) t WHERE n = 1"
    rows = [{"k": str(k), "u": "1", "p": p, "d": None} for k, p in enumerate([0, 1, 2])]
    worlds_ = [_world(rows), _world(rows[::-1])]
    found = []
    for world in worlds_:
        with closing(DuckDB(world.tables(), world.people(), KEY, threads=1)) as engine:
            found.append(engine.run(extracted(planned(world, text))).tolist())
    assert found[0] == found[1]


def _world(buys):
    return World({"folk": [], "buys": buys, "bits": [], "seen": []}, {"bits": 3, "buys": 3, "seen": 3})


def test_names_are_ordered_by_their_texts_however_they_are_held(tmp_path):
    """Rows of a list are held in the order in which names are declared, those of a file by their texts."""
    rows = [{"u": "p", "w": name} for name in ("b", "a", "?")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "seen.parquet")
    promise = pt.Promise(pt.persons("u", rows={"seen": 3}), pt.ZCDP(rho=10**9))
    text = "SELECT w, COUNT(*) AS n FROM (SELECT u, w, ROW_NUMBER() OVER (PARTITION BY u ORDER BY w) AS k FROM seen) t"
    for source in (rows, tmp_path / "seen.parquet"):
        seen = pt.Table("seen", source, {"u": pt.identifier(), "w": pt.categories("b", "a")})
        with pt.Curator(tables=[seen], promises=[promise]) as curator:
            for place, name in enumerate(("OTHER", "a", "b"), start=1):
                lines = curator.ask(f"{text} WHERE k = {place} GROUP BY w", rho=10**6).rows()
                assert [line["w"] for line in lines if line["n"]] == [name]
