"""How a server runs: [server] of the custodian's file, each key also from the environment."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import urlsplit

from partita.errors import server as refuse
from partita.server.allowances import Allowance, allowances

PREFIX: Final = "PARTITA_SERVER_"
_TRUE: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@final
@dataclass(frozen=True, slots=True)
class Oidc:
    """A service of the organisation that says who somebody is (OpenID Connect).

    >>> Oidc("https://login.example.org", "partita").claim
    'email'
    """

    issuer: str
    """Its address, as it stands in what it signs."""
    client: str
    """The name under which it knows this server."""
    secret: str | None = field(default=None, repr=False)
    """The secret that goes with the name, where it wants one."""
    claim: str = "email"
    """What it says of somebody that is the name of their account here."""
    name: str = "your organisation"
    """How the sign-in page calls it."""


@final
@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What a server needs to know besides its curator.

    >>> ServerSettings().host
    '127.0.0.1'
    """

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8642
    """The port to listen on; 0 takes a free one."""
    postgres: str | None = None
    """The address where clients of PostgreSQL are answered, such as 127.0.0.1:5433; port 0 takes a free one."""
    price: Mapping[str, Any] | None = None
    """The price of a question over the PostgreSQL protocol that names none."""
    certificate: str | None = None
    """A file with a TLS certificate."""
    key: str | None = None
    """The file with its private key."""
    behind_proxy: bool = False
    """Whether a proxy before the server speaks TLS."""
    hosts: tuple[str, ...] = ()
    """The names under which it is reached; others are refused. Loopback names always work on loopback."""
    approve_above: Mapping[str, Any] | None = None
    """The largest price, as a loss under the first promise, that is charged without the custodian's approval."""
    show_others: bool = False
    """Whether analysts see names and texts of each other."""
    practice: bool = True
    """Whether there is a practice twin on made-up rows."""
    practice_rows: int = 1000
    """Rows of each table of the twin."""
    body_bytes: int = 1_000_000
    """The longest request."""
    body_seconds: int = 10
    """How long a request may take to arrive, and a connection to begin one."""
    requests_per_minute: int = 600
    """Requests and statements of one token, or of one address without a token, in a minute."""
    connections: int = 512
    """Connections and requests at once."""
    questions_at_once: int = 32
    """Questions that are worked on at once; others wait."""
    workers: int = 1
    """Processes that share the ledger; each opens the tables for itself and counts requests and questions by itself."""
    questions_per_call: int = 1000
    """Questions in one batch, plan or list."""
    grace_seconds: int = 30
    """How long the end of the server waits for what is under way."""
    sign_in_hours: int = 12
    """How long somebody stays signed in to the pages."""
    accounts: Mapping[str, Allowance] = field(default_factory=dict)
    """What single accounts may do: the price of a question that names none, and the most that one may cost."""
    oidc: Oidc | None = None
    """A service that says who somebody is, so that people need no token to sign in to the pages."""

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.certificate is not None or self.behind_proxy

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)


KEYS: Final = tuple(one.name for one in fields(ServerSettings))
_SMALLEST: Final = {"port": 0}
_LARGEST: Final = {"port": 65535, "workers": 64}


def read_server(path: str, given: Mapping[str, Any], environment: Mapping[str, str], folder: Path) -> ServerSettings:
    """The settings of a server; the environment goes before the file. Relative paths start at the file's folder."""
    unknown = sorted(set(given) - set(KEYS))
    if unknown:
        raise refuse.unknown_server_setting(path, unknown[0], KEYS)
    stray = sorted(name for name in environment if name.startswith(PREFIX) and name[len(PREFIX) :].lower() not in KEYS)
    if stray:
        raise refuse.unknown_server_setting("environment", stray[0][len(PREFIX) :].lower(), KEYS)
    found: dict[str, Any] = {}
    for one in fields(ServerSettings):
        said = environment.get(PREFIX + one.name.upper())
        if said is not None:
            found[one.name] = _checked(one.name, one.type, _read(one.name, str(one.type), said))
        elif one.name in given:
            found[one.name] = _checked(one.name, one.type, given[one.name])
    if "oidc" in found:
        found["oidc"] = _oidc(found["oidc"], environment)
    for name in ("certificate", "key"):
        if found.get(name) is not None:
            found[name] = str(folder / found[name])
            if not Path(found[name]).is_file():
                raise refuse.bad_server_setting(name, found[name], "a file that is there")
    made = ServerSettings(**found)
    if (made.certificate is None) is not (made.key is None):
        raise refuse.bad_server_setting("certificate", made.certificate, "certificate and key together")
    if not made.loopback and not made.secure:
        raise refuse.not_loopback(made.host)
    return made


def is_loopback(host: str) -> bool:
    """Whether an address is this machine alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(name: str, kind: str, text: str) -> object:
    """A value from the environment, which has texts alone."""
    if kind == "bool":
        return _TRUE.get(text.lower(), text)
    if kind == "int":
        return int(text) if text.strip().isdecimal() else text
    if kind.startswith("Mapping[str, Allowance]"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    if kind.startswith("tuple"):
        return [one.strip() for one in text.split(",") if one.strip()]
    if kind.startswith(("Mapping", "Oidc")):
        parts = dict(part.partition("=")[::2] for part in text.split(","))
        return {one.strip(): value.strip() for one, value in parts.items()}
    return text


def _checked(name: str, kind: object, value: object) -> object:
    match str(kind):
        case "bool":
            if isinstance(value, bool):
                return value
            raise refuse.bad_server_setting(name, value, "true or false")
        case "int":
            low, high = _SMALLEST.get(name, 1), _LARGEST.get(name, 10**9)
            if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
                return value
            raise refuse.bad_server_setting(name, value, f"a whole number from {low} to {high:,}")
        case "tuple[str, ...]":
            if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
                return tuple(one.lower() for one in value)
            raise refuse.bad_server_setting(name, value, "a list of names")
        case "Mapping[str, Any] | None":
            if isinstance(value, Mapping) and value:
                return dict(value)
            raise refuse.bad_server_setting(name, value, 'a loss such as { rho = "0.05" }')
        case "Mapping[str, Allowance]":
            return allowances(value)
        case "Oidc | None":
            if isinstance(value, Mapping) and value:
                return dict(value)
            raise refuse.bad_server_setting(name, value, _OIDC)
        case _:
            if isinstance(value, str) and value:
                return value
            raise refuse.bad_server_setting(name, value, "a text")


_OIDC: Final = '{ issuer = "https://login.example.org", client = "partita" }, and secret_env, claim or name beside them'


def _oidc(given: Mapping[str, Any], environment: Mapping[str, str]) -> Oidc:
    """The service that says who somebody is; its secret stands in the environment alone."""
    odd = [one for one, value in given.items() if not (isinstance(value, str) and value)]
    unknown = set(given) - {"issuer", "client", "secret_env", "claim", "name"}
    if odd or unknown or not {"issuer", "client"} <= set(given):
        raise refuse.bad_server_setting("oidc", dict(given), _OIDC)
    issuer = str(given["issuer"])
    if not safe_address(issuer) or urlsplit(issuer).query:
        raise refuse.bad_server_setting("oidc.issuer", issuer, "an address that begins with https://")
    named = given.get("secret_env")
    if named is not None and not environment.get(named):
        raise refuse.bad_server_setting("oidc.secret_env", named, "the name of an environment variable that is set")
    secret = None if named is None else environment[named]
    return Oidc(issuer, given["client"], secret, **{key: given[key] for key in ("claim", "name") if key in given})


def safe_address(text: str) -> bool:
    """Whether what is sent to an address can be read there alone: https, or this machine.

    >>> (
    ...     safe_address("https://login.example.org/a"),
    ...     safe_address("http://login.example.org"),
    ...     safe_address("http://127.0.0.1:9"),
    ... )
    (True, False, True)
    """
    try:
        found = urlsplit(text)
        host = found.hostname or ""
    except ValueError:
        return False
    plain = found.scheme == "http" and is_loopback(host)
    return bool(host) and found.username is None and (found.scheme == "https" or plain)
