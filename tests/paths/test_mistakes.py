"""Common mistakes in commands, settings and SQL: each is told with its code, what to do, and never as a traceback."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import partita as pt
from partita.cli import app, main
from partita.cli.usage import EXAMPLES
from partita.errors import PartitaError

ADVICE = re.compile(
    r"\b(Write|Give|Use|Say|Choose|Check|Ask|Bring|Move|Did you mean|There is|It may have|It has|It declares"
    r"|known are|Known here"
    r"|Answered are|Count instead|Declare|say who|declare at least|leave it out|Add|List|A quote says|Aggregate)\b",
    re.IGNORECASE,
)
COUNT = shlex.quote("SELECT COUNT(*) AS n FROM visits")
COMMANDS = [
    ('aks "SELECT 1"', "cli.unknown-command"),
    ("--nosuch", "cli.unknown-option"),
    ("ask", "cli.missing"),
    ("ask SELECT COUNT", "cli.too-much"),
    (f"ask {COUNT} --eps 1", "cli.unknown-option"),
    (f"ask {COUNT} --epsilon", "cli.unfit"),
    (f"ask {COUNT} --epsilon 0,5", "number.not-a-number"),
    (f"ask {COUNT} --epsilon=-1", "number.not-positive"),
    (f"ask {COUNT}", "query.no-price"),
    (f"ask {COUNT} --rho 0.1 --within 5", "accuracy.price-and-accuracy"),
    (f"ask {COUNT} --rho 0.1 --config nowhere.toml", "curator.settings-missing"),
    (f"ask {COUNT} --rho 5", "ledger.over-budget"),
    (f"quote {COUNT} --rho 0.1 --confidence 95", "number.outside-unit-interval"),
    ("check partita.toml", "cli.too-much"),
    ("init visits.csv", "cli.would-overwrite"),
    ("ledger shwo", "cli.unknown-command"),
    ("ledger show nowhere.ledger", "ledger.missing"),
    ("ledger verify partita.toml", "ledger.not-a-ledger"),
    ("ledger receipt visits.ledger", "cli.missing"),
    ("compose", "cli.missing"),
    ("compose nowhere.json", "cli.cannot-read"),
    ("calibrate laplace", "cli.missing"),
    ("calibrate gauss --epsilon 1", "composition.bad-document"),
    ("attack nothing", "attacks.unknown-attack"),
    ("report nowhere.ledger", "ledger.missing"),
    ("serve --port abc", "cli.unfit"),
    ("dummy --rows -5", "cli.unfit"),
    ("ingest visits", "cli.not-a-table-and-file"),
    ("explain", "cli.choose-one"),
    ("mcp --ceiling rho", "models.not-a-loss"),
    ("token new", "cli.missing"),
]
SETTINGS = """ledger = "v.ledger"
[[promises]]
protect = "rows"
rho = "0.5"
[tables.visits]
source = "visits.csv"
[tables.visits.columns]
patient = "identifier"
age = { integers = [0, 120] }
sex = { categories = ["F", "M"] }
cost = { decimals = [0, 500], step = "0.01" }
day = { dates = ["2024-01-01", "2024-12-31"] }
"""
RHO, SOURCE, AGE = 'rho = "0.5"', 'source = "visits.csv"', "{ integers = [0, 120] }"
# A part of the settings, what somebody wrote instead, and the code of what is said.
CHANGES = [
    (RHO, 'rho = "0,5"', "curator.bad-setting"),
    (RHO, "rho = -1", "curator.bad-setting"),
    (RHO, "", "curator.bad-setting"),
    (RHO, f'{RHO}\nepsilon = "1"', "curator.bad-setting"),
    (RHO, 'roh = "0.5"', "curator.unknown-setting"),
    ('protect = "rows"', "", "curator.bad-setting"),
    ('protect = "rows"', 'protect = "people"', "curator.unknown-setting"),
    ('protect = "rows"', 'protect = { users = { column = "patient" } }', "curator.bad-setting"),
    ('protect = "rows"', 'protect = { users = { column = "nobody", rows = 3 } }', "query.no-owner"),
    ("[[promises]]", "[promises]", "curator.bad-setting"),
    ('ledger = "v.ledger"', "ledger = 5", "curator.bad-setting"),
    ('ledger = "v.ledger"', 'ledgre = "v.ledger"', "curator.unknown-setting"),
    ('ledger = "v.ledger"', 'backend = "mysql"', "curator.unknown-backend"),
    (SOURCE, "", "query.no-source"),
    (SOURCE, 'source = "nowhere.csv"', "query.absent-source"),
    (SOURCE, 'source = "sqlite:///no.db"', "query.table-or-query"),
    (SOURCE, 'source = "sqlite:///no.db"\nreading = { table = "visits" }', "query.absent-source"),
    (SOURCE, f'{SOURCE}\nreading = {{ sep = ";" }}', "query.unknown-setting"),
    (AGE, "{ integer = [0, 120] }", "query.unknown-declaration"),
    (AGE, "{ integers = [120, 0] }", "region.empty-column"),
    (AGE, "{ integers = 120 }", "query.bad-declaration"),
    (AGE, '"integers"', "query.bad-declaration"),
    (AGE, "int", "curator.settings-unreadable"),
    (', step = "0.01"', "", "query.bad-declaration"),
    ('["F", "M"]', "[]", "region.no-categories"),
    ('["2024-01-01", "2024-12-31"]', '["01.01.2024", "31.12.2024"]', "region.bad-bound"),
    ("[tables.visits.columns]", "", "query.unknown-setting"),
    ("age =", "alter =", "query.absent-column"),
    ('"identifier"', '"identifer"', "query.unknown-declaration"),
]
QUESTIONS = [
    ("SELECT", "query.no-table"),
    ("SELECT COUNT(*) FORM visits", "query.unreadable"),
    ("SELECT COUNT(*) FROM visits; SELECT 1", "query.several-statements"),
    ("UPDATE visits SET age = 3", "query.not-a-select"),
    ("EXPLAIN SELECT COUNT(*) FROM visits", "query.not-a-select"),
    ("SELECT COUNT(*) FROM visits WHERE age = 'forty'", "region.not-comparable"),
    ("SELECT COUNT(*) FROM visits WHERE day > '1.3.2024'", "region.not-comparable"),
    ("SELECT SUM(sex) FROM visits", "query.not-numeric"),
    ("SELECT AVG(patient) FROM visits", "query.owner-column"),
    ("SELECT age FROM visits GROUP BY age", "query.no-aggregate"),
    ("SELECT sex, COUNT(*) FROM visits", "query.not-grouped"),
    ("SELECT COUNT(*) FROM visits GROUP BY ward", "query.unknown-column"),
    ("SELECT COUNT(*) FROM visits v JOIN orders o ON v.age = o.age", "query.unknown-table"),
    ("SELECT cost / age FROM visits", "query.rows-themselves"),
    ("SELECT FOO(age) FROM visits", "query.function-not-answered"),
    ('SELECT COUNT(*) FROM "visits.csv"', "query.unknown-table"),
    ('SELECT COUNT(*) FROM visits WHERE sex = "F"', "query.unknown-column"),
    ("SELECT TOP 5 age FROM visits", "query.unreadable"),
    ("SELECT SUM(age) OVER () FROM visits", "query.function-not-answered"),
    ("SELECT RANDOM() FROM visits", "words.by-chance"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A custodian's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "visits.csv").write_text("patient,age,sex,cost,day\np1,44,F,12.5,2024-03-01\n")
    (tmp_path / "partita.toml").write_text(SETTINGS)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_mistake_in_a_command_is_told_with_its_code_and_what_to_do(capsys: Any) -> None:
    for line, code in COMMANDS:
        assert main(shlex.split(line)) == 2, line
        said = " ".join(capsys.readouterr().err.split())
        assert said.startswith(f"{code} "), (line, said)
        assert ADVICE.search(said), (line, said)
        assert "Traceback" not in said


@pytest.mark.usefixtures("folder")
def test_programs_are_told_of_a_wrong_command_in_one_shape(capsys: Any) -> None:
    assert main(["explain", "--nosuch", "--json"]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "cli.unknown-option"


def test_the_example_of_every_command_is_one_that_is_understood() -> None:
    from typer.main import get_command

    def commands(group: Any, path: str = "") -> Any:
        for name, command in group.commands.items():
            yield f"{path}{name}"
            if hasattr(command, "commands"):
                yield from commands(command, f"{path}{name} ")

    root: Any = get_command(app)
    assert set(EXAMPLES) == set(commands(root))
    for example in EXAMPLES.values():
        command, context, rest = root, None, shlex.split(example)
        while True:
            context = command.make_context(rest[0], rest[1:], parent=context)
            if not hasattr(command, "commands"):
                break
            left = [*context._protected_args, *context.args]
            name, command, _ = command.resolve_command(context, left)
            rest = [name, *left[1:]]


def test_a_mistake_in_the_settings_is_told_with_its_code_and_what_to_do(folder: Path) -> None:
    for part, instead, code in CHANGES:
        assert part in SETTINGS, part
        (folder / "partita.toml").write_text(SETTINGS.replace(part, instead, 1))
        with pytest.raises(PartitaError) as caught:
            pt.open(folder / "partita.toml")
        assert caught.value.code == code, (instead, caught.value.message)
        assert ADVICE.search(caught.value.message) or code == "curator.settings-unreadable", caught.value.message
        assert caught.value.__suppress_context__ or caught.value.__context__ is None, instead


def test_a_mistake_in_a_question_is_told_with_its_code_and_what_to_do(folder: Path) -> None:
    with pt.open(folder / "partita.toml") as curator:
        for question, code in QUESTIONS:
            with pytest.raises(PartitaError) as caught:
                curator.ask(question, rho="0.1")
            assert caught.value.code == code, (question, caught.value.message)
            underlined = "^" in caught.value.message
            assert underlined or ADVICE.search(caught.value.message), caught.value.message
        assert str(curator.spent()[0]) == "ρ = 0"


def test_a_price_that_was_converted_is_said_when_it_does_not_fit(folder: Path) -> None:
    with pt.open(folder / "partita.toml") as curator, pytest.raises(pt.BudgetExceeded) as caught:
        curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon=3)
    assert "The price ε = 3 was read as ρ = " in caught.value.message
