"""A table may be wide: columns that nobody asks about cost nothing, and too many are refused in words."""

from __future__ import annotations

import pytest

import partita as pt


def wide(columns: int, unit: pt.Promise) -> pt.Curator:
    names = [f"c{number}" for number in range(columns)]
    table = pt.Table(
        "t",
        source=[{**dict.fromkeys(names, 1), "who": "a"}],
        columns={**{name: pt.integers(0, 9) for name in names}, "who": pt.identifier()},
    )
    return pt.Curator(tables=[table], promises=[unit])


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", [pt.rows(), pt.replace(), pt.groups(2), pt.users("who", rows=2), pt.windows("c1", width=3)], ids=str
)
def test_sixty_columns_are_kept_apart_under_every_promise(unit):
    curator = wide(60, pt.Promise(unit, pt.Pure(epsilon=1)))
    for number in range(3):
        question = f"SELECT COUNT(*) AS n FROM t WHERE c3 = {number} AND c{number + 5} > 2 AND c{number + 50} < 6"
        curator.ask(question, epsilon="0.1")
    assert curator.spent()[0].fits(pt.Pure(epsilon="0.2001"))
    assert curator.verify().sound


def test_more_columns_are_refused_before_anything_is_opened(tmp_path):
    with pytest.raises(pt.InvalidInput) as refusal:
        wide(61, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    assert refusal.value.code == "region.too-many-columns"
