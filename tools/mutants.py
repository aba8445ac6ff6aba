"""Tries deliberate mistakes in the code that decides what is booked: `make mutants` lists each with what found it.

For each mistake the source is copied with that one change, and the battery of tests/laws/assaying.py looks for a claim
that is too low: first among the cases that should show it, then among all. Where the assay is not the one to find it
(kept rows, joins, what an engine is told), the tests that it names must fail. A mistake that nothing finds is a
survivor; and one whose text is no longer in its file fails the run, for then nobody knows what it would do.

    python tools/mutants.py                  all of them
    python tools/mutants.py --only booking   those whose file or description holds the word
    python tools/mutants.py --quick          look only where each should show, not among all cases
    python tools/mutants.py --list           what they are, without trying any
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.mutations import MUTATIONS, Mutation  # noqa: E402

# What the battery and pytest end with, when something is found and when a test fails.
FOUND, FAILED = 3, 1
# Pairs of tables tried for each question: of the cases that should show the mistake, and of all cases.
EFFORT, EFFORT_ON_ALL = 600, 60
LONGEST = 900


def stale() -> list[str]:
    """Mistakes whose text does not stand in its file exactly once."""
    found = []
    for mutation in MUTATIONS:
        text = (ROOT / "src/partita" / mutation.file).read_text(encoding="utf-8")
        if text.count(mutation.old) < 1 or mutation.old == mutation.new:
            found.append(f"{mutation.file}: {mutation.what}")
    return found


def outcome(mutation: Mutation, source: Path, *, quick: bool = False) -> tuple[bool, str]:
    """Whether a mistake is found, and by what."""
    file = source / "partita" / mutation.file
    sound = file.read_text(encoding="utf-8")
    file.write_text(sound.replace(mutation.old, mutation.new, 1), encoding="utf-8")
    try:
        if mutation.tests:
            code, told = _run(source, ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutation.tests])
            return code == FAILED, told
        code, told = _run(source, ["-m", "tests.laws.assaying", str(EFFORT), *mutation.by])
        if code != FOUND and not quick:
            code, told = _run(source, ["-m", "tests.laws.assaying", str(EFFORT_ON_ALL)])
        return code == FOUND, told
    finally:
        file.write_text(sound, encoding="utf-8")


def _run(source: Path, arguments: Sequence[str]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    lines = (done.stdout + done.stderr).strip().splitlines() or [""]
    return done.returncode, lines[0] if done.returncode == FOUND else lines[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try them, and fail if one survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a word in the file or the description")
    parser.add_argument("--quick", action="store_true", help="look only where the mistake should show")
    parser.add_argument("--list", action="store_true", help="list them and stop")
    given = parser.parse_args(arguments)
    chosen = [one for one in MUTATIONS if given.only in f"{one.file} {one.what}"]
    gone = stale()
    if gone:
        sys.stderr.write("No longer in the code, so mend tools/mutations.py:\n" + "".join(f"  {one}\n" for one in gone))
    if given.list:
        sys.stdout.writelines(f"{one.file}: {one.what}\n" for one in chosen)
        return 1 if gone else 0
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source)
        for number, mutation in enumerate(chosen, 1):
            caught, told = outcome(mutation, source, quick=given.quick)
            survivors += not caught
            word = "caught" if caught else "SURVIVED"
            sys.stdout.write(f"{number:3} {word:8} {mutation.file}: {mutation.what}\n             {told[:160]}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - survivors} of {len(chosen)} caught.\n")
    return 1 if survivors or gone else 0


if __name__ == "__main__":
    sys.exit(main())
