"""The reference of the public names, written from their docstrings: what each means, how it is called, an example.

The pages are made when the site is built and stand nowhere else. A name belongs to the topic of the module it lives in.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, final

import partita
from partita import algorithms

INTRODUCTION = """
# Reference

Every public name of `partita`: what it means, how it is called, and an example. The text is the docstring of the name
itself, so `help(partita.Laplace)` says the same. Examples use a name as it is after `from partita import Laplace`; the
tests run them so.
"""

# What calls give back; nobody makes one by hand.
GIVEN = frozenset("Answer Attack Audit Batch Child Computation Guarantee Planned Receipt Sample".split())

EXAMPLE = re.compile(r"^(>>> .*(?:\n(?!\s*$).*)*)", re.MULTILINE)
CITED = re.compile(r"(?<=theory )(?:[A-I]\d+[a-z]?(?:, and |, | and | to )?)+")
NUMBER = re.compile(r"[A-I]\d+[a-z]?")
WIDTH = 88


@final
@dataclass(frozen=True, slots=True)
class Topic:
    """One page: its file, its title, what its names are for, and the modules they live in."""

    slug: str
    title: str
    about: str
    homes: tuple[str, ...]


TOPICS = (
    Topic(
        "curator",
        "Curator",
        "Tables, questions, answers, and the book they are kept in.",
        ("partita.curator", "partita.client"),
    ),
    Topic(
        "tables",
        "Tables and columns",
        "What a protected table is, and what its columns may hold.",
        ("partita.query.tables", "partita.region.columns"),
    ),
    Topic(
        "promises",
        "Promises and who is protected",
        "A promise is a budget and a neighbouring relation: which two databases must look alike.",
        ("partita.granularity", "partita.composition.plans"),
    ),
    Topic(
        "measures",
        "Measures and their meaning",
        "Amounts of privacy loss, conversions between them, and what an attacker can do with them.",
        ("partita.theory",),
    ),
    Topic("questions", "Questions in Python", "Aggregates for the query builder.", ("partita.query.builder",)),
    Topic("mechanisms", "Mechanisms", "How noise is made, and what it costs.", ("partita.mechanisms",)),
    Topic(
        "composition",
        "Composition",
        "What several releases cost together: for plans, for analysts who adapt, and for regions.",
        ("partita.composition", "partita.region"),
    ),
    Topic("ledger", "Receipts and the ledger", "What can be checked by others.", ("partita.ledger",)),
    Topic("laboratory", "Audits and attacks", "Trying to refute what is claimed.", ("partita.attacks",)),
    Topic("explain", "Explanations and reports", "A guarantee in words and pictures.", ("partita.explain",)),
    Topic("errors", "Errors", "What is raised, and what it means for data and budget.", ("partita.errors",)),
    Topic(
        "algorithms",
        "Algorithms",
        "What composition makes possible, in `partita.algorithms`.",
        ("partita.algorithms",),
    ),
)


@final
@dataclass(frozen=True, slots=True)
class Name:
    """One public name: what it is called with its package, and the object."""

    name: str
    package: str
    home: str
    value: Any

    @property
    def text(self) -> str:
        """Its docstring, without the indentation of the source."""
        return inspect.cleandoc(self.value.__doc__ or "")

    @property
    def meaning(self) -> str:
        """The first paragraph, in one line."""
        return " ".join(self.text.split("\n\n")[0].split())

    @property
    def examples(self) -> list[str]:
        """The examples of its docstring."""
        return EXAMPLE.findall(self.text)


def names(package: ModuleType = partita) -> list[Name]:
    """The public names of a package, each as its own module has it."""
    found = []
    for name in package.__all__:
        home = vars(package)["_HOMES"].get(name)
        if home is not None:
            module, called = (home, name) if isinstance(home, str) else home
            value = getattr(import_module(module), called) if called else import_module(module)
            found.append(Name(name, package.__name__, module, value))
    return found


def topic(name: Name) -> Topic:
    """The topic whose module is nearest above the name's."""
    fitting = [(len(home), one) for one in TOPICS for home in one.homes if f"{name.home}.".startswith(f"{home}.")]
    if not fitting:
        raise LookupError(f"{name.name} lives in {name.home}, which belongs to no topic of tools/reference.py.")
    return max(fitting, key=lambda pair: pair[0])[1]


def places() -> list[str]:
    """Where the pages stand below docs/."""
    return ["reference/index.md", *(f"reference/{one.slug}.md" for one in TOPICS)]


def pages() -> dict[str, str]:
    """All pages by their path below docs/."""
    everything = names()
    index = [INTRODUCTION.strip()]
    found = {}
    for one in TOPICS:
        listed = names(algorithms) if one.slug == "algorithms" else [n for n in everything if topic(n) is one]
        if one.slug == "algorithms":
            listed = [*(n for n in everything if topic(n) is one), *listed]
        listed.sort(key=lambda name: (name.name.lower(), name.name))
        rows = [f"| [`{name.name}`]({one.slug}.md#{name.name}) | {marked(name.meaning)} |" for name in listed]
        index += [f"## [{one.title}]({one.slug}.md)", one.about, "\n".join(["| name | meaning |", "|---|---|", *rows])]
        found[f"reference/{one.slug}.md"] = "\n\n".join([f"# {one.title}", one.about, *map(section, listed)]) + "\n"
    return {"reference/index.md": "\n\n".join(index) + "\n", **found}


def section(name: Name) -> str:
    """One name: its call, its docstring with examples, and what it has."""
    value = name.value
    parts = [f"## `{name.name}` {{#{name.name}}}"]
    if not isinstance(value, ModuleType):
        parts.append(f"```python\n{call(name)}\n```")
    at = 0
    for example in EXAMPLE.finditer(name.text):
        parts += [marked(name.text[at : example.start()].strip()), f"```python\n{example.group().rstrip()}\n```"]
        at = example.end()
    parts.append(marked(name.text[at:].strip()))
    if members := [*_members(value)]:
        parts.append("\n".join(['??? info "Its members"', "", *(f"    {line}" for line in members)]))
    return "\n\n".join(part for part in parts if part)


def marked(text: str) -> str:
    """A docstring's text as Markdown: code, and links to the theorems it cites.

    >>> marked("The ``scale`` (theory C17).")
    'The `scale` (theory [C17](../theory.md#c17)).'
    """
    plain = re.sub(r":\w+:`([^`]+)`", r"`\1`", text.replace("``", "`"))
    linked = CITED.sub(
        lambda cited: NUMBER.sub(lambda n: f"[{n.group()}](../theory.md#{n.group().lower()})", cited.group()), plain
    )
    return linked.replace("|", "\\|") if "\n" not in text else linked


def call(name: Name) -> str:
    """How a name is called, with types; on several lines where it is long."""
    value, shown = name.value, f"{name.package}.{name.name}"
    if name.name in GIVEN:
        return f"class {shown}"
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return shown
    if isinstance(value, type) and issubclass(value, BaseException):
        return f"class {shown}({value.__mro__[1].__name__})"
    given = [*_parameters(signature)]
    gives = "" if isinstance(value, type) else f" -> {_type(signature.return_annotation)}"
    line = f"{shown}({', '.join(given)}){gives}"
    if len(line) <= WIDTH:
        return line
    return f"{shown}(\n" + "".join(f"    {one},\n" for one in given) + f"){gives}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    starred = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        starred = starred or parameter.kind is parameter.VAR_POSITIONAL
        mark = _stars(parameter)
        typed = "" if parameter.annotation is parameter.empty else f": {_type(parameter.annotation)}"
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        yield f"{mark}{parameter.name}{typed}{default}"


def _stars(parameter: inspect.Parameter) -> str:
    return "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)


def _type(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return "Any"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _default(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 24 and "<" not in text else "..."


def _members(value: Any) -> Iterator[str]:
    """What a class or a module has, each with the first line of what it means."""
    if isinstance(value, ModuleType):
        if value.__name__ == "partita.algorithms":
            return
        for name in getattr(value, "__all__", [n for n, v in vars(value).items() if _own(v, value)]):
            yield _line(f"{name}()", getattr(value, name))
        return
    if not isinstance(value, type) or issubclass(value, BaseException | Warning):
        return
    given = {one.name for one in fields(value)} if is_dataclass(value) else set()
    for name in dict.fromkeys(n for base in value.__mro__ if base.__module__.startswith("partita") for n in vars(base)):
        member = inspect.getattr_static(value, name)
        if name.startswith("_") or name in given:
            continue
        if isinstance(member, property) or hasattr(member, "attrname"):
            yield _line(name, member)
        elif inspect.isroutine(member):
            inner = [one for one in _names(getattr(value, name)) if one != "self"]
            yield _line(f"{name}({', '.join(inner)})", getattr(value, name))


def _own(value: object, module: ModuleType) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__ and not value.__name__.startswith("_")


def _names(member: Any) -> Iterator[str]:
    for one in inspect.signature(member).parameters.values():
        yield f"{_stars(one)}{one.name}" + ("=" if one.kind is one.KEYWORD_ONLY else "")


def _line(shown: str, member: Any) -> str:
    said = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
    return f"- `{shown}`" + (f": {marked(said)}" if said and ">>>" not in said else "")
