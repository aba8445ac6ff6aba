"""A guarantee in plain words: what it promises to whom, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import final

from partita.calls import called
from partita.errors import explain as refuse
from partita.exact import Number, whole
from partita.explain import deployments, sentences
from partita.explain.facts import Facts, Readable, facts_of
from partita.granularity import Granularity, Relation
from partita.notebook import InWords
from partita.theory.measures.base import Measure


class Reader(StrEnum):
    """To whom a guarantee is explained."""

    PERSON = "person"
    ANALYST = "analyst"
    OFFICER = "officer"


@final
@dataclass(frozen=True, slots=True)
class Section:
    """A few sentences under one title."""

    title: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  - {sentence}" for sentence in self.sentences)])


@final
@dataclass(frozen=True, slots=True)
class Explanation(InWords):
    """What a guarantee means, section by section, and the numbers it was written from.

    >>> from partita.theory.measures.pure import Pure
    >>> print(explain(Pure(epsilon="0.5")).sections[0])
    For the person in the data
      - Whatever comes of these releases, it becomes at most 1.65 times as likely because your record is in the data.
      - ...
    """

    guarantee: str
    facts: Facts
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return "\n\n".join([f"The guarantee: {self.guarantee}", *map(str, self.sections)])

    def document(self) -> dict[str, object]:
        """The same as plain data, for JSON."""
        return {
            "guarantee": self.guarantee,
            "numbers": asdict(self.facts),
            "sections": [{"title": section.title, "sentences": [*section.sentences]} for section in self.sections],
        }


@called
def explain(
    guarantee: Readable,
    *,
    unit: Granularity | None = None,
    people: int | None = None,
    readers: Sequence[Reader | str] = tuple(Reader),
    delta: Number | None = None,
    fpr: Number = "0.01",
    priors: Sequence[Number] = ("0.01", "0.1", "0.5"),
    group: int = 4,
    compared: bool = False,
    total: bool = False,
) -> Explanation:
    """What the guarantee means to a person in the data, to an analyst and to the officer who signs it.

    ``unit`` says what is protected; ``people`` is a public lower bound on how many are in the data, against which
    the δ is judged. Every number is computed from the guarantee (theory B21 to B25). ``compared`` adds what the same
    attacker recognises in deployments that people know; ``total`` says that it covers all there ever will be.

    >>> from partita.theory.measures.gdp import GDP
    >>> "at most 9.24%" in str(explain(GDP(mu=1), fpr="0.01"))
    True
    """
    count = None if people is None else whole(people, "people", least=1)
    relation = getattr(guarantee, "relation", None) if unit is None else unit.relation
    numbers = facts_of(
        guarantee, delta=delta, fpr=fpr, priors=priors, group=group, relation=relation or Relation.ADD_REMOVE
    )
    if total:
        numbers = replace(numbers, repeated=None)
    writers = {
        Reader.PERSON: ("For the person in the data", sentences.for_the_person(numbers)),
        Reader.ANALYST: ("For the analyst", sentences.for_the_analyst(numbers)),
        Reader.OFFICER: ("For the officer who signs", sentences.for_the_officer(numbers, unit, count)),
    }
    parts = [Section(title, tuple(said)) for title, said in (writers[_reader(reader)] for reader in readers)]
    if compared:
        parts.append(Section("Beside deployments that people know", tuple(deployments.compared(guarantee, fpr=fpr))))
    parts.append(Section("What is not promised", tuple(sentences.not_promised(numbers))))
    name = str(guarantee) if isinstance(guarantee, Measure) else sentences.reading(numbers)
    return Explanation(name, numbers, tuple(parts))


def _reader(name: object) -> Reader:
    if name not in list(Reader):
        raise refuse.unknown_reader(name, ", ".join(Reader))
    return Reader(str(name))
