"""partita audit: the installed mechanisms against their own claims."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.screen import AsJson, console, show, show_json, version
from partita.cli.tables import verdicts

# Runs on each input: of mechanisms that make many releases at once, and of those that make one at a time.
_QUICK = (100_000, 1_000)
_FULL = (4_000_000, 40_000)


def audit(
    full: Annotated[bool, typer.Option("--full", help="Run forty times longer, for a sharper look.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run every mechanism on neighbouring data and try to refute what it claims.

    Mechanisms that are broken on purpose run along, to show that the audit can see. Exit code 1 if an honest claim
    is refuted or a broken one is missed. The probability of a false alarm is at most one in a million.
    """
    from rich.progress import track

    from partita.attacks.cases import built_in, controls
    from partita.attacks.suite import run
    from partita.sampling.entropy import system

    trials, single_trials = _FULL if full else _QUICK
    cases = [*built_in(system()), *controls(system())]
    running = run(cases, trials=trials, single_trials=single_trials)
    found = list(
        track(running, "Auditing", total=len(cases), console=console(to_errors=True), transient=True, disable=as_json)
    )
    honest = [verdict for verdict in found if not verdict.case.broken]
    broken = [verdict for verdict in found if verdict.case.broken]
    good = all(verdict.as_expected for verdict in found)
    if as_json:
        document = {"partita": version(), "as expected": good, "false alarms": 1e-6}
        show_json({**document, "verdicts": [verdict.document() for verdict in found], "note": _NOTE})
    else:
        stand, caught = (sum(verdict.as_expected for verdict in part) for part in (honest, broken))
        show(
            verdicts("Mechanisms against their claims", honest),
            verdicts("Broken on purpose, to show that the audit can see", broken),
            f"{stand} of {len(honest)} claims stand; {caught} of {len(broken)} broken ones were caught.",
            _NOTE,
        )
    raise typer.Exit(0 if good else 1)


_NOTE = (
    "An audit can refute a claim and cannot confirm one: absence of falsification proves nothing. "
    "What is proven is in the proof notes beside the mechanisms."
)
