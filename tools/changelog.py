"""Checks that CHANGELOG.md has, for every version, a Privacy section that says something.

python tools/changelog.py --check
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"^## (.+)$", re.MULTILINE)
PRIVACY = re.compile(r"^### Privacy\n+(?P<first>\S.*)$", re.MULTILINE)


def complaints(text: str) -> list[str]:
    """What is missing from a changelog.

    >>> complaints("# Changelog\\n\\n## 1.0\\n\\n### Privacy\\n\\n- Nothing changed.\\n")
    []
    >>> complaints("# Changelog\\n\\n## 1.0\\n\\n### Added\\n\\n- A verb.\\n")
    ['1.0: no Privacy section. Name each change of a loss, a distance or a sampler, or say there is none.']
    """
    parts = VERSION.split(text)[1:]
    versions = dict(zip(parts[::2], parts[1::2], strict=True))
    if not versions:
        return ["CHANGELOG.md has no version."]
    return [
        f"{version}: no Privacy section. Name each change of a loss, a distance or a sampler, or say there is none."
        for version, body in versions.items()
        if not (section := PRIVACY.search(body)) or section.group("first").startswith("#")
    ]


def main() -> int:
    """Check the changelog of this checkout."""
    problems = complaints((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
