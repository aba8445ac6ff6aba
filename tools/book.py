"""A hook of the documentation site: pictures are drawn, benchmarks and names listed, formulas typeset."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import formulas, reference  # noqa: E402
from tools.pages import examples, pictures, run  # noqa: E402


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


def measured(folder: Path) -> tuple[str, dict[str, str]]:
    """One page of all tables that benchmarks wrote, and their pictures by name."""
    page = [
        "# Benchmarks",
        "",
        "Everything here was written by the scripts that measured it; `make bench` runs them all again.",
    ]
    drawings = {}
    for table in sorted(folder.glob("*/*.md")):
        text = table.read_text(encoding="utf-8")
        page += ["", *("#" + line if line.startswith("#") else line for line in text.splitlines())]
        if table.name != "RESULTS.md":
            continue
        for picture in sorted(table.parent.glob("*.svg")):
            name = f"benchmarks-{table.parent.name}-{picture.name}"
            drawings[name] = picture.read_text(encoding="utf-8")
            page += ["", f"![{picture.stem} of {table.parent.name}]({name})"]
    return "\n".join(page) + "\n", drawings


def mathjax() -> str:
    """The script that typesets mathematics, from the package that ships it: nothing is fetched by a reader."""
    files = distribution("sphinx-mathjax-offline").files or []
    return next(str(file.locate()) for file in files if file.name == "tex-svg.js")


# Long tables of words, whose cells stand one below the other on a phone.
STACKED = ("errors.md", "settings.md", "cli.md")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Called by the site builder with each page as it will be shown."""
    return f'<div class="stacked">{html}</div>' if page.file.src_uri in STACKED else html


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Called by the site builder with the text of each page."""
    return formulas.typeset(markdown) if page.file.src_uri == "theory.md" else markdown


def on_files(files: Any, config: Any) -> Any:
    """Called by the site builder with all pages, before they are rendered."""
    from mkdocs.structure.files import File

    for page in list(files.documentation_pages()):
        if page.abs_src_path is None:
            continue
        for name, picture in drawn(Path(page.abs_src_path)).items():
            place = (Path(page.src_uri).parent / name).as_posix()
            files.append(File.generated(config, place, content=picture))
    for place, text in reference.pages().items():
        files.append(File.generated(config, place, content=text))
    files.append(File.generated(config, "javascripts/tex-svg.js", abs_src_path=mathjax()))
    page, drawings = measured(ROOT / "benchmarks")
    files.append(File.generated(config, "benchmarks.md", content=page))
    for name, picture in drawings.items():
        files.append(File.generated(config, name, content=picture))
    return files
