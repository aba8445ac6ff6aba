"""What a column's name and stored type tell of its kind; no value is looked at."""

from __future__ import annotations

import re
from typing import Final

_OWNERS: Final = frozenset(
    "id user patient person customer member client owner account employee student respondent subject".split()
)
_LINKS: Final = frozenset("id uuid guid key ref reference code nr".split())
_DAYS: Final = frozenset(
    "date day dob birth born birthday admitted admission discharged discharge created updated modified opened closed "
    "ordered paid_on since until datum aufnahme entlassung "
    "geburtsdatum timestamp fecha".split()
)
_BIRTHS: Final = frozenset("dob birth born birthday geburtsdatum".split())
_MONEY: Final = frozenset(
    "cost costs price amount salary income wage wages revenue fee fees charge charges payment paid deposit balance "
    "spend spent premium rent turnover sales copay copayment bill refund eur usd gbp chf preis betrag gehalt kosten "
    "umsatz".split()
)
_SHARES: Final = frozenset("percent percentage pct rate share prozent anteil".split())
_TRUTHS: Final = frozenset(
    "smoker insured urgent active married employed deceased alive dead vaccinated consent consented subscribed flag "
    "enabled deleted pregnant diabetic retired citizen churned raucher emergency hospitalised hospitalized".split()
)
_COUNTS: Final = frozenset("count children visits kids siblings dependents orders calls purchases anzahl".split())
_ASKED: Final = frozenset("is has was had did does can".split())
# Name, low, high and step: what is publicly so of everybody.
_PLAIN: Final = {
    "age": (0, 120, None),
    "alter": (0, 120, None),
    "year": (1900, 2100, None),
    "month": (1, 12, None),
    "hour": (0, 23, None),
    "weekday": (0, 7, None),
    "height": (0, 250, "0.1"),
    "weight": (0, 300, "0.1"),
    "bmi": (0, 80, "0.1"),
    "temperature": (-50, 60, "0.1"),
    "systolic": (0, 300, None),
    "diastolic": (0, 200, None),
    "pulse": (0, 300, None),
}
_CALLED: Final = {
    "age": "an age",
    "alter": "an age",
    "bmi": "a body mass index",
    "systolic": "a blood pressure",
    "diastolic": "a blood pressure",
}
# A rate of these is no share.
_SPEEDS: Final = frozenset("heart hourly exchange breath breathing respiratory".split())
_TEXTS: Final = frozenset(
    "name firstname lastname surname forename email mail phone telephone mobile fax address street note notes comment "
    "comments remark remarks description text message url vorname nachname telefon adresse bemerkung".split()
)


def words(column: str) -> list[str]:
    """The words of a name.

    >>> words("PatientID"), words("date_of_birth"), words("isSmoker")
    (['patient', 'id'], ['date', 'of', 'birth'], ['is', 'smoker'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column)
    return [word for word in re.split(r"[\W_]+", spaced.lower()) if word]


def owns(column: str) -> bool:
    """Whether a column seems to say whom a row belongs to."""
    return bool(_OWNERS & set(words(column)))


def guessed(column: str, kind: str) -> tuple[str, str] | None:
    """A declaration in TOML and what to think of it, or None if name and type tell nothing.

    >>> guessed("age", "int64")
    ('{ integers = [0, 120] }', 'an age')
    >>> guessed("discount %", "string")[0]
    '{ decimals = [0, 100], step = "0.1" }'
    >>> guessed("ward", "string") is None
    True
    """
    found, text = words(column), kind in ("unknown", "string", "large_string")
    told = set(found)
    number = text or kind.startswith(("int", "uint", "float", "double", "half", "decimal"))
    if kind == "bool" or ((text or kind.startswith(("int", "uint"))) and _asks(found)):
        return '"booleans"', "true or false, yes or no"
    if (text or kind.startswith("date")) and (told & _DAYS or found[-1:] == ["at"]):
        low = "1900-01-01" if told & _BIRTHS else "2000-01-01"
        return f'{{ dates = ["{low}", "2030-12-31"] }}', "days; narrow them to what is publicly known"
    if number:
        for word, (lowest, highest, step) in _PLAIN.items():
            if word in told:
                listed = f"[{lowest}, {highest}]"
                plain = f"{{ integers = {listed} }}" if step is None else f'{{ decimals = {listed}, step = "{step}" }}'
                return plain, _CALLED.get(word, f"a {word}")
        if (told & _SHARES and not told & _SPEEDS) or "%" in column:
            return '{ decimals = [0, 100], step = "0.1" }', "a percentage; [0, 1] with a step of 0.001 for a fraction"
        if told & _MONEY:
            return '{ decimals = [0, 100000], step = "0.01" }', "money; the lower the upper bound, the less noise"
        if told & _COUNTS:
            return "{ integers = [0, 100] }", "a count; the lower the upper bound, the less noise"
    if text and told & {"sex", "gender", "geschlecht"}:
        return '{ categories = ["F", "M"] }', "as the file writes them; all others are OTHER"
    return None


def _asks(found: list[str]) -> bool:
    return bool(found) and (found[0] in _ASKED or bool(_TRUTHS & set(found)))


def tells(column: str) -> bool:
    """Whether a column seems to hold text about somebody: names, addresses, notes.

    >>> tells("First name"), tells("ward")
    (True, False)
    """
    return bool(_TEXTS & set(words(column)))


def links(column: str) -> bool:
    """Whether a column seems to link rows, or to name something."""
    return bool(_LINKS & set(words(column)))
