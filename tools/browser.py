"""Looks at pages with a real browser: nothing may be wider than its screen, and no formula may fail to be typeset.

python tools/browser.py report.html site/theory/index.html     (or, for a report and the built site: make browser)

It needs Chromium, and says so where there is none.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

WIDTHS = (390, 1280)
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --allow-file-access-from-files "
    "--virtual-time-budget=20000"
).split()
# A page with the page inside: it measures what is inside, and writes it down where it can be read.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe id="seen" style="border:0;width:{width}px;height:3000px" src="{page}"></iframe><pre id="told"></pre><script>
onload = () => setTimeout(() => {{
  const seen = document.getElementById("seen").contentDocument, wide = seen.documentElement;
  document.getElementById("told").textContent = JSON.stringify({{
    over: wide.scrollWidth - wide.clientWidth,
    faults: seen.querySelectorAll("[data-mjx-error]").length,
    formulas: seen.querySelectorAll("mjx-container").length,
  }});
}}, 6000);
</script>"""


def chromium() -> str:
    """The browser, wherever it is called what."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("There is no Chromium here. Install it, for instance Debian's package chromium.")
    return found


def looked_at(page: Path, width: int) -> dict[str, int]:
    """How far a page is too wide at this width, its formulas, and those that failed."""
    with tempfile.TemporaryDirectory() as folder:
        frame = Path(folder, "frame.html")
        frame.write_text(FRAME.format(width=width, page=escape(page.resolve().as_uri())), encoding="utf-8")
        command = [chromium(), *QUIET, f"--user-data-dir={folder}/profile", "--dump-dom", frame.as_uri()]
        seen = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    told = re.search(r'<pre id="told">(\{.*?\})</pre>', seen)
    if told is None:
        raise SystemExit(f"{page} could not be looked at.")
    found: dict[str, int] = json.loads(told.group(1))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Look at every page at every width."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    bad = 0
    for page in parser.parse_args(arguments).pages:
        for width in WIDTHS:
            found = looked_at(page, width)
            wrong = found["over"] > 0 or found["faults"] > 0
            bad += wrong
            print(
                f"{'WRONG' if wrong else 'right'}  {width:5} px  {page}: {max(0, found['over'])} px too wide, "
                f"{found['formulas']} formulas, {found['faults']} failed"
            )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
