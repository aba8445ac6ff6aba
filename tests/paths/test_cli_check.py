"""From a file as people have them to a table of means by group, with the custodian's own look between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partita.cli import main

LINES = [
    "patient_id;admitted;cost;rate;smoker;notes;region;age",
    'p1;31.12.2024;1.234,50 €;12,5 %;ja;"came;',
    'again";north;40',
    "p1;2024-12-30;17,00 €;1 %;nein;fine;south;NA",
    "p2;12/29/2024;-;99,9 %;ja;;west;130",
    "p3;30.12.2024;5,00 €;0 %;nein;;east;-",
]
READ = """
[tables.visits]
source = "visits.csv"
[tables.visits.reading]
delimiter = ";"
line_breaks = true
decimal = ","
thousands = "."
null = ["-", "NA"]
[tables.visits.columns]
patient_id = "identifier"
admitted = { dates = ["2024-01-01", "2024-12-31"], format = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"] }
cost = { decimals = [0, 10000], step = "0.01", unit = ["€"] }
rate = { decimals = [0, 100], step = "0.1", unit = ["%"] }
smoker = { booleans = true, true = ["ja"], false = ["nein"] }
region = { categories = ["north", "south", "west"] }
age = { integers = [0, 120] }
[[promises]]
protect = { users = { column = "patient_id", rows = 1 } }
rho = "1"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("\n".join([*LINES, ""]), encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_look_says_what_is_not_read_and_what_to_write(folder: Path, capsys: Any) -> None:
    run(capsys, "init", "visits.csv")
    code, out, _ = run(capsys, "check", "--json")
    found = json.loads(out)
    (table,) = found["tables"]
    assert (code, found["for"], table["rows"]) == (1, "the custodian alone", 4)
    assert "quotation mark is not closed" in table["problem"]
    wanted = table["suggested"]
    assert wanted["reading"] == {"line_breaks": True, "null": ["-", "NA"], "thousands": ".", "decimal": ","}
    assert wanted["columns"]["admitted"] == {"format": ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"]}
    assert wanted["columns"]["cost"] == {"unit": ["€"]}
    assert wanted["columns"]["rate"] == {"unit": ["%"]}
    assert wanted["columns"]["smoker"] == {"true": ["ja", "j"], "false": ["nein", "n"]}
    assert list(folder.glob("*.ledger*")) == []


def test_what_was_suggested_reads_every_value(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(READ, encoding="utf-8")
    code, out, _ = run(capsys, "check", "--json")
    (table,) = json.loads(out)["tables"]
    columns = {one["column"]: one for one in table["columns"]}
    assert (code, table["problem"]) == (0, None)
    assert all(one["unreadable"] == 0 for one in table["columns"])
    assert {name: one["outside"] for name, one in columns.items() if one["outside"]} == {"age": 1, "region": 1}
    assert columns["region"]["outside_examples"] == ["east"]
    assert columns["age"]["empty"] == 2
    assert table["owners"] == {"owners": 3, "most": 2, "ownerless": 0, "cap": 1, "left_out": 1}
    code, out, _ = run(capsys, "check")
    assert "For the custodian alone" in out
    assert "leaves out 1 row (25%)" in " ".join(out.split())
    code, out, err = run(capsys, "ask", "SELECT smoker, AVG(cost) AS c FROM visits GROUP BY smoker", "--rho", "0.5")
    assert (code, err) == (0, "")


def test_the_look_finds_another_delimiter_and_a_file_that_nothing_reads(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(READ.replace('delimiter = ";"', ""), encoding="utf-8")
    code, out, _ = run(capsys, "check", "--json")
    assert (code, json.loads(out)["tables"][0]["suggested"]["reading"]) == (1, {"delimiter": ";"})
    Path("partita.toml").write_text(READ, encoding="utf-8")
    Path("visits.csv").write_text("\n".join([*LINES, 'p4;"', ""]), encoding="utf-8")
    code, out, _ = run(capsys, "check")
    assert code == 1
    assert "it cannot be read as declared: line 7" in " ".join(out.split())


def test_the_look_names_categories_in_other_letters_and_what_is_not_read_before_words_for_none(
    folder: Path, capsys: Any
) -> None:
    other = READ.replace('["north"', '["North"').replace('unit = ["€"]', "missing = 0")
    Path("partita.toml").write_text(other.replace('null = ["-", "NA"]\n', ""), encoding="utf-8")
    _, out, _ = run(capsys, "check", "--json")
    columns = {one["column"]: one for one in json.loads(out)["tables"][0]["columns"]}
    assert columns["region"]["in_other_letters"] == ["north"]
    assert columns["cost"]["examples"][0].endswith("€")
    _, out, _ = run(capsys, "check")
    assert 'region: "north" is a declared name in other letters' in " ".join(out.split())


def test_the_look_follows_keys_from_table_to_table(folder: Path, capsys: Any) -> None:
    Path("orders.csv").write_text("order,customer\n1,a\n2,b\n2,b\n")
    Path("lines.csv").write_text("order,price\n1,5\n3,6\n,7\n")
    Path("partita.toml").write_text("""
[tables.orders]
source = "orders.csv"
columns = { order = "key", customer = "identifier" }
[tables.lines]
source = "lines.csv"
columns = { order = "key", price = { integers = [0, 9] } }
[[promises]]
rho = "1"
[promises.protect.persons]
column = "customer"
rows = { orders = 5, lines = 5 }
through = { lines = ["order", "orders"] }
""")
    code, out, _ = run(capsys, "check", "--json")
    (chain,) = json.loads(out)["chains"]
    assert code == 0
    assert (chain["lost"], chain["without_key"], chain["repeated"]) == (1, 1, 1)
    code, out, _ = run(capsys, "check")
    assert "lines.order leads to orders: 1 row of 3 find none" in " ".join(out.split())


def test_what_is_suggested_is_written_into_the_file_and_everything_else_stays(folder: Path, capsys: Any) -> None:
    run(capsys, "init", "visits.csv")
    before = Path("partita.toml").read_text(encoding="utf-8").splitlines()
    code, out, err = run(capsys, "check", "--apply")
    assert (code, err) == (0, ""), err
    assert "The options were written into partita.toml" in out
    after = Path("partita.toml").read_text(encoding="utf-8").splitlines()
    gone = [line for line in before if line not in after]
    assert all(any(line.split(" }")[0] in one for one in after) for line in gone if "{" in line)
    code, out, err = run(capsys, "check", "--apply")
    assert (code, err) == (0, "")
    assert "There is nothing to write" in out
    assert not Path("partita.toml.new").exists()


def test_a_file_that_is_written_otherwise_is_left_alone(folder: Path, capsys: Any) -> None:
    written = READ.replace('cost = { decimals = [0, 10000], step = "0.01", unit = ["€"] }', "").replace(
        "[[promises]]", '[tables.visits.columns.cost]\ndecimals = [0, 10000]\nstep = "0.01"\n[[promises]]'
    )
    Path("partita.toml").write_text(written, encoding="utf-8")
    code, _, err = run(capsys, "check", "--apply")
    assert code != 0
    assert "cli.cannot-apply" in err
    assert Path("partita.toml").read_text(encoding="utf-8") == written
