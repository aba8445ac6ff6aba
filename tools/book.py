"""A hook of the documentation site: runs the pages that show pictures, and puts what they draw beside them."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.pages import examples, pictures, run


def drawn(page: Path) -> dict[str, str]:
    """The pictures that a page's own code makes, by name."""
    text = page.read_text(encoding="utf-8")
    wanted = pictures(text)
    if not wanted:
        return {}
    names: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in examples(text):
            run(block, page.name, names)
        return {name: Path(name).read_text(encoding="utf-8") for name in wanted}


def on_files(files: Any, config: Any) -> Any:
    """Called by the site builder with all pages, before they are rendered."""
    from mkdocs.structure.files import File

    for page in list(files.documentation_pages()):
        if page.abs_src_path is None:
            continue
        for name, picture in drawn(Path(page.abs_src_path)).items():
            place = (Path(page.src_uri).parent / name).as_posix()
            files.append(File.generated(config, place, content=picture))
    return files
