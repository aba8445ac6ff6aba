"""Settings of one connection: SET, SHOW, RESET, and what clients expect to be told when they begin."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Final, final

from partita.errors import wire as refuse
from partita.server.wire.prices import PREFIX, checked
from partita.server.wire.scanner import Sentence, Sort

SERVER: Final = "15.0"
"""The version of PostgreSQL whose words are understood."""
TOLD: Final = {
    "server_version": SERVER,
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "TimeZone": "UTC",
    "integer_datetimes": "on",
    "IntervalStyle": "postgres",
    "standard_conforming_strings": "on",
    "is_superuser": "off",
    "default_transaction_read_only": "on",
    "in_hot_standby": "off",
    "application_name": "",
}
_OTHERS: Final = {
    "search_path": '"$user", public',
    "transaction_isolation": "serializable",
    "default_transaction_isolation": "serializable",
    "transaction_read_only": "on",
    "max_identifier_length": "63",
    "lc_collate": "C",
    "lc_ctype": "C",
    "lc_messages": "C",
    "server_version_num": "150000",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "client_min_messages": "notice",
    "role": "none",
    "row_security": "on",
    "jit": "off",
    "ssl": "off",
    "session_authorization": "",
}
SHOWN: Final = {**TOLD, **_OTHERS}
"""All settings that there are, with what they are at first."""
_UTF8: Final = frozenset({"utf8", "utf-8", "unicode", "sql_ascii"})
_MOST: Final = 200
_FIXED: Final = re.compile(r"[A-Za-z_][\w.$]{0,99}")


@final
class Variables:
    """What a connection has set; nothing of it matters but prices, error bars and names."""

    def __init__(self, account: str, given: Mapping[str, str]) -> None:
        self._first = {**TOLD, **_OTHERS, "session_authorization": account}
        for name, value in {**_options(given.get("options", "")), **given}.items():
            if name not in ("user", "database", "options", "replication"):
                self._first[self._known(name)] = self._checked(name, value)
        self._now = dict(self._first)

    @property
    def prices(self) -> dict[str, str]:
        """What was set of prices."""
        return {name[len(PREFIX) :]: value for name, value in self._now.items() if name.startswith(PREFIX)}

    @property
    def told(self) -> dict[str, str]:
        """What a client is told when it begins."""
        return {name: self._now[name] for name in (*TOLD, "session_authorization")}

    def listed(self) -> Iterator[tuple[str, str]]:
        """All settings, in order."""
        yield from sorted(self._now.items(), key=lambda pair: pair[0].lower())

    def get(self, name: str) -> str:
        """The value of a setting."""
        found = self._now.get(self._known(name))
        if found is None:
            raise refuse.unknown_option(name, list(self._now))
        return found

    def spelled(self, name: str) -> str:
        """A name as it is shown."""
        return self._known(name)

    def set(self, name: str, value: str | None) -> tuple[str, str] | None:
        """Set it, or set it back; told to the client where clients are told of it."""
        known = self._known(name)
        if value is None:
            if known not in self._first:
                self._now.pop(known, None)
                return None
            self._now[known] = self._first[known]
        else:
            if known not in self._now and len(self._now) >= _MOST:
                raise refuse.too_many_held("settings", _MOST)
            self._now[known] = self._checked(name, value)
        return (known, self._now[known]) if known in TOLD else None

    def reset(self) -> None:
        """Set everything back."""
        self._now = dict(self._first)

    def _known(self, name: str) -> str:
        """The name as it is kept, whatever letters it was written with."""
        lowered = name.lower()
        return next((one for one in (*TOLD, *_OTHERS) if one.lower() == lowered), lowered)

    def _checked(self, name: str, value: str) -> str:
        if not _FIXED.fullmatch(name) or len(value) > 1000 or "\0" in value:
            raise refuse.bad_option(name[:50], value[:50], "a shorter name and value")
        lowered = name.lower()
        if lowered.startswith(PREFIX):
            return checked(lowered[len(PREFIX) :], value.strip())
        if lowered == "client_encoding":
            if value.lower().strip("'") not in _UTF8:
                raise refuse.bad_option(name, value, "UTF8")
            return "UTF8"
        return value


def _options(text: str) -> dict[str, str]:
    """The settings that a connection gives as -c name=value."""
    try:
        parts = shlex.split(text[:4000])
    except ValueError:
        raise refuse.unreadable_options(text) from None
    found: dict[str, str] = {}
    joined = iter(parts)
    for part in joined:
        said = next(joined, "") if part == "-c" else part[2:] if part.startswith(("-c", "--")) else ""
        name, equals, value = said.partition("=")
        if not equals:
            raise refuse.unreadable_options(text)
        found[name.strip().replace("-", "_")] = value.strip()
    return found


def assignment(said: Sentence) -> tuple[str, str | None]:
    """What SET sets: a name, and its value, or None for DEFAULT.

    >>> from partita.server.wire.scanner import sentence
    >>> assignment(sentence("SET SESSION partita.rho TO '0.01'")), assignment(sentence("SET TIME ZONE 'UTC'"))
    (('partita.rho', '0.01'), ('timezone', 'UTC'))
    """
    words = list(said.words[1:])
    if words and words[0].says("session", "local") and len(words) > 1:
        words = words[1:]
    if len(words) >= 2 and words[0].says("time") and words[1].says("zone"):
        name, rest = "timezone", words[2:]
    elif len(words) >= 2 and words[0].says("names"):
        name, rest = "client_encoding", words[1:]
    elif words and words[0].says("characteristics", "transaction", "constraints", "authorization", "role"):
        return words[0].name if words[0].says("role") else "", None
    else:
        end = next((place for place, word in enumerate(words) if word.says("=", "to")), None)
        if not end or end + 1 >= len(words):
            raise refuse.unreadable_options(said.text.strip()[:80])
        name, rest = "".join(word.name for word in words[:end]), words[end + 1 :]
    if len(rest) == 1 and rest[0].says("default"):
        return name, None
    return name, "".join(f"{word.value} " if word.says(",") else word.value for word in rest).strip() or None


def named(said: Sentence, skipped: int) -> str:
    """The name that follows some words, with its dots."""
    return "".join(word.name for word in said.words[skipped:] if word.sort in (Sort.WORD, Sort.QUOTED, Sort.SIGN))
