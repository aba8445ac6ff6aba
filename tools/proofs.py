"""Ties every proof note (x.proof.md) to the code it proves, so that neither changes without the other.

A note opens with the names it proves and a fingerprint of each:

    ---
    proves:
      Laplace.closed_forms: 5f0c1a2b3d4e5f60
      Laplace.pair: 9a8b7c6d5e4f3a2b
    ---

A plain name is looked up in the module beside the note; `partita.theory.losses.laplace.LaplaceLoss` anywhere
in the package. The fingerprint covers the syntax tree without comments, docstrings and layout.

    python tools/proofs.py --check                      fail if code changed since its proof was last read
    python tools/proofs.py --confirm NOTE [NAME ...]    I have read note and code: write the fingerprints
                                                        (names given replace the list of names proved)
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
ENTRY = re.compile(r"^\s+(?:-\s+)?(?P<name>[\w.]+)(?::\s*(?P<mark>\w*))?\s*$")
INLINE = re.compile(r"^proves:\s*\[(?P<names>[^\]]*)\]", re.MULTILINE)
WITHOUT_MEANING = {"type_comment", "kind", "ctx"}

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Definition = Documented | ast.Assign | ast.AnnAssign


class Unproven(Exception):
    """A note that names nothing, or names code that is not there."""


def proved_names(note: str) -> dict[str, str]:
    """The names a note proves, each with the fingerprint it was read at ('' if never).

    >>> proved_names("---\\nproves:\\n  Laplace.pair: 12ab\\n---\\nText")
    {'Laplace.pair': '12ab'}
    >>> proved_names("---\\nproves: [Laplace.pair, Laplace.cost]\\n---\\nText")
    {'Laplace.pair': '', 'Laplace.cost': ''}
    """
    header = HEADER.match(note)
    if header is None:
        return {}
    inline = INLINE.search(header.group(1))
    if inline is not None:
        return {name.strip(): "" for name in inline.group("names").split(",") if name.strip()}
    lines = header.group(1).split("proves:", 1)[-1].splitlines()
    found = (ENTRY.match(line) for line in lines)
    return {entry.group("name"): entry.group("mark") or "" for entry in found if entry is not None}


def with_names(note: str, names: dict[str, str]) -> str:
    """The note with its header written anew."""
    lines = "".join(f"  {name}: {mark}\n" for name, mark in names.items())
    return f"---\nproves:\n{lines}---\n" + HEADER.sub("", note, count=1)


def find(tree: ast.Module, path: list[str]) -> Definition | None:
    """The definition that a dotted name stands for in a module."""
    body: list[ast.stmt] = tree.body
    found: Definition | None = None
    for name in path:
        found = next((node for node in body if name in _names(node) and isinstance(node, Definition)), None)
        if found is None:
            return None
        body = found.body if isinstance(found, ast.ClassDef) else []
    return found


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def canonical(node: object) -> str:
    """A syntax tree as text that is the same for every Python version and every layout."""
    if isinstance(node, ast.AST):
        node = _without_docstring(node)
        fields = ((name, value) for name, value in ast.iter_fields(node) if name not in WITHOUT_MEANING)
        parts = (f"{name}={canonical(value)}" for name, value in fields if value is not None and value != [])
        return f"{type(node).__name__}({','.join(parts)})"
    if isinstance(node, list):
        return f"[{','.join(canonical(item) for item in node)}]"
    return repr(node)


def _without_docstring(node: ast.AST) -> ast.AST:
    if not isinstance(node, Documented) or ast.get_docstring(node, clean=False) is None:
        return node
    return type(node)(**{**dict(ast.iter_fields(node)), "body": node.body[1:]})


def fingerprint(note: Path, name: str, package: Path) -> str:
    """The fingerprint of the code that a name in a note stands for."""
    module, path = _module_of(note, name, package)
    if not module.is_file():
        raise Unproven(f"{note.name} proves {name}, but there is no {module.name} to look in.")
    node = find(ast.parse(module.read_text(encoding="utf-8")), path)
    if node is None:
        raise Unproven(f"{note.name} proves {name}, which {module.name} does not define.")
    return hashlib.sha256(canonical(node).encode()).hexdigest()[:16]


def _module_of(note: Path, name: str, package: Path) -> tuple[Path, list[str]]:
    parts = name.split(".")
    if parts[0] == package.name:
        for cut in range(len(parts) - 1, 0, -1):
            module = package.joinpath(*parts[1:cut]).with_suffix(".py") if cut > 1 else package / "__init__.py"
            if module.is_file():
                return module, parts[cut:]
    return note.with_name(note.name.removesuffix(".proof.md") + ".py"), parts


def complaints(note: Path, package: Path) -> list[str]:
    """Why a note may not be relied upon as it stands."""
    shown = note.relative_to(package.parent.parent)
    names = proved_names(note.read_text(encoding="utf-8"))
    if not names:
        return [f"{shown} names nothing that it proves: run tools/proofs.py --confirm {shown} NAME ..."]
    try:
        stale = [name for name, mark in names.items() if fingerprint(note, name, package) != mark]
    except Unproven as problem:
        return [f"{shown}: {problem}"]
    return [
        f"{shown}: {name} changed since the proof was last read. "
        f"Read both; if the proof still holds: tools/proofs.py --confirm {shown}"
        for name in stale
    ]


def confirm(note: Path, names: list[str], package: Path) -> None:
    """Write the fingerprints of a note that a person has just read beside its code."""
    text = note.read_text(encoding="utf-8")
    wanted = names or list(proved_names(text))
    if not wanted:
        raise Unproven(f"{note.name} has no header: give the names it proves after the path.")
    note.write_text(with_names(text, {name: fingerprint(note, name, package) for name in wanted}), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Check all notes, or confirm one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="fail if code changed and its proof was not read again")
    task.add_argument("--confirm", type=Path, metavar="NOTE", help="write the fingerprints of this note")
    parser.add_argument("names", nargs="*", metavar="NAME", help="with --confirm: the names the note proves")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to work on")
    options = parser.parse_args(arguments)
    package = options.root.resolve() / "src" / "partita"
    if options.confirm is not None:
        try:
            confirm(options.confirm.resolve(), options.names, package)
        except Unproven as problem:
            print(problem, file=sys.stderr)
            return 1
        return 0
    problems = [line for note in sorted(package.rglob("*.proof.md")) for line in complaints(note, package)]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
