"""partita audit: the installed mechanisms, and a custodian's configuration on made-up data, against what they claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.screen import AsJson, busy, followed, show, show_json, version
from partita.cli.tables import table, verdicts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from partita.attacks.audits.cases import Case
    from partita.attacks.audits.deployment import Seen
    from partita.attacks.audits.sampler_law import LawTest
    from partita.attacks.audits.suite import Verdict
    from partita.ledger.audit.verify import Verification

# Runs on each input: of what makes many releases at once, of what makes one at a time, and of draws of noise.
_QUICK = (100_000, 1_000, 40_000)
_FULL = (4_000_000, 40_000, 1_000_000)
# Answers to typical questions of a configuration are wider, and there are many of them.
_DEPLOYED = 10


def audit(
    config: Annotated[
        Path | None, typer.Argument(help="A custodian's file, to audit what it declares on made-up data as well.")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="Also verify this ledger from its first line.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Run forty times longer, for a sharper look.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run every mechanism on neighbouring data and try to refute what it claims.

    Mechanisms that are broken on purpose run along, to show that the audit can see. Noise is drawn and compared with
    its law, and looked at in its last bits. With a custodian's file, typical questions are asked of neighbouring
    tables made up from the declared domains, and what they show is compared with what they are charged; the data and
    the ledger that the file names are never opened. Exit code 1 if an honest claim is refuted or a broken one is
    missed. The probability of a false alarm is at most one in a million for each part.
    """
    from partita.attacks.audits import cases
    from partita.attacks.audits.sampler_law import sampler_laws
    from partita.attacks.laboratory.floating import read_low_bits
    from partita.sampling.entropy import system

    sizes = _FULL if full else _QUICK
    found = _run([*cases.built_in(system()), *cases.controls(system())], sizes[:2], quiet=as_json)
    with busy("Drawing noise"):
        laws = list(sampler_laws(draws=sizes[2], bits=system()))
        bits = read_low_bits(draws=4000)
    good = all(verdict.as_expected for verdict in found) and all(law.stands for law in laws) and bits.as_expected
    document: dict[str, Any] = {
        "partita": version(),
        "false alarms": 1e-6,
        "verdicts": [verdict.document() for verdict in found],
        "sampler laws": [law.document() for law in laws],
        "low bits": bits.document(),
    }
    parts: list[RenderableType] = [*_told(found, "Mechanisms against their claims"), *_laws(laws)]
    parts.append(f"Low bits: {bits.against:.0%} of answers are off the lattice (textbook noise: {bits.without:.0%}).")
    if config is not None:
        deployed, visible, left_out = _deployed(config, sizes[0] // _DEPLOYED, quiet=as_json)
        same = not any(one.difference for one in visible)
        good = good and same and all(verdict.as_expected for verdict in deployed)
        document["deployment"] = {
            "file": str(config),
            "verdicts": [verdict.document() for verdict in deployed],
            "visible": [one.document() for one in visible],
            "not audited": left_out,
        }
        parts += [*_told(deployed, f"Answers of {config} on made-up data, against what they are charged")]
        parts += [*_seen(visible), *(f"Not audited, no neighbours are known how to be made: {one}" for one in left_out)]
    if ledger is not None:
        verified = _verified(ledger)
        good = good and verified.sound
        document["ledger"] = {
            "file": str(ledger),
            "sound": verified.sound,
            "entries": verified.entries,
            "charges": verified.charges,
            "problems": [*verified.problems],
            "unproven": [*verified.unproven],
        }
        word = "is sound" if verified.sound else f"is NOT sound: {'; '.join(verified.problems)}"
        parts.append(f"The ledger {ledger} {word} ({verified.entries} entries, {verified.charges} charges).")
    if as_json:
        show_json({**document, "as expected": good, "note": _NOTE, "not shown": [*_NOT_SHOWN]})
    else:
        show(*parts, _NOTE, *(f"  - {line}" for line in _NOT_SHOWN))
    raise typer.Exit(0 if good else 1)


def _run(cases: Sequence[Case], sizes: tuple[int, int], *, quiet: bool) -> list[Verdict]:
    from partita.attacks.audits.suite import run

    running = run(cases, trials=sizes[0], single_trials=sizes[1])
    return followed(running, "Auditing", len(cases), quiet=quiet)


def _deployed(config: Path, trials: int, *, quiet: bool) -> tuple[list[Verdict], list[Seen], list[str]]:
    """What a configuration shows on made-up data: its file is read, and nothing that it names."""
    from partita.attacks.audits import deployment
    from partita.curator.settings import read_settings
    from partita.sampling.entropy import system

    declared = read_settings(config)
    of, bits = (declared.tables, declared.promises), system()
    cases = [*deployment.cases(*of, bits=bits), *deployment.controls(*of, bits=bits)]
    found = _run(cases, (trials, trials // _DEPLOYED), quiet=quiet)
    return found, list(deployment.seen(*of, bits=bits)), deployment.not_audited(*of, bits=bits)


def _verified(ledger: Path) -> Verification:
    from partita.ledger.opening import open_ledger

    with open_ledger(ledger) as opened:
        return opened.verify()


def _told(found: Sequence[Verdict], title: str) -> Iterator[RenderableType]:
    honest = [verdict for verdict in found if not verdict.case.broken]
    broken = [verdict for verdict in found if verdict.case.broken]
    stand, caught = (sum(verdict.as_expected for verdict in part) for part in (honest, broken))
    yield verdicts(title, honest)
    yield verdicts("Broken on purpose, to show that the audit can see", broken)
    yield f"{stand} of {len(honest)} claims stand; {caught} of {len(broken)} broken ones were caught."


def _laws(found: Sequence[LawTest]) -> Iterator[RenderableType]:
    made = table(
        "Draws of noise against their law", [("noise", "left"), ("draws", "right"), ("p-value", "right"), ("", "left")]
    )
    for law in found:
        word = "stands" if law.stands else "[red]refuted[/red]"
        made.add_row(law.noise, f"{law.draws:,}", f"{law.p_value:.3g}", word)
    yield made


def _seen(found: Sequence[Seen]) -> Iterator[str]:
    same = sum(not one.difference for one in found)
    yield f"Besides the noise, {same} of {len(found)} answers look alike for neighbours: keys, prices, refusals."
    for one in found:
        if one.difference:
            yield f"  DIFFERS in {one.difference}: {one.question} ({one.differ}, {one.promise})"


_NOTE = (
    "An audit can refute a claim and cannot confirm one: absence of falsification proves nothing. "
    "What is proven is in the proof notes beside the mechanisms. An audit cannot show:"
)
_NOT_SHOWN = (
    "that no other neighbours, questions or events tell more than those that were tried;",
    "losses that differ from the claim by less than the runs can resolve, or a δ too small to be met in them;",
    "that the declared bounds, lists and caps are public knowledge, or that one person is one unit;",
    "what a clock, a crash or another process could tell, or whether the same rows have a second ledger.",
)
