"""The command line as a whole: help, version, refusals without tracebacks."""

from __future__ import annotations

import json

import pytest

from partita.cli import main
from partita.cli.screen import version

# These print nothing but JSON, or serve others until they are stopped.
ALWAYS_JSON = [["ledger", "export"], ["ledger", "receipt"], ["mcp"], ["serve"]]


def listed(capsys: pytest.CaptureFixture[str], *group: str) -> list[str]:
    """The commands that a help page lists."""
    main([*group, "--help"])
    page = capsys.readouterr().out.partition("Commands:")[2]
    return [line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2] != " "]


def commands(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """Every command, those of groups included."""
    return [[name, *inner] for name in listed(capsys) for inner in ([[one] for one in listed(capsys, name)] or [[]])]


def test_the_version_is_that_of_the_package(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"partita {version()}\n"


def test_help_lists_every_command(capsys):
    assert {"demo", "compose", "calibrate", "explain", "audit"} <= set(listed(capsys))


def test_every_command_explains_itself_and_speaks_json(capsys):
    for command in commands(capsys):
        assert main([*command, "--help"]) == 0
        assert "--json" in capsys.readouterr().out or command in ALWAYS_JSON, command


def test_no_command_at_all_shows_the_help(capsys):
    assert main([]) in (0, 2)
    said = capsys.readouterr()
    assert "Commands:" in said.out + said.err


@pytest.mark.parametrize("arguments", [["nosuch"], ["explain", "--nosuch"], ["explain", "--people", "many"]])
def test_a_wrong_word_gets_usage_and_exit_code_two(arguments, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("cli.")


def test_a_refusal_goes_to_standard_error_with_its_code(capsys):
    assert main(["explain", "--epsilon", "-1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "number.negative  epsilon = '-1' is negative. Give a number that is zero or more.\n"


def test_a_refusal_is_json_where_json_was_asked_for(capsys):
    assert main(["explain", "--epsilon", "-1", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert json.loads(said.err)["error"]["code"] == "number.negative"


def test_a_message_with_brackets_is_printed_as_it_is(capsys):
    assert main(["explain", "--epsilon", "[bold]"]) == 2
    assert "epsilon = '[bold]' is not a number" in capsys.readouterr().err
