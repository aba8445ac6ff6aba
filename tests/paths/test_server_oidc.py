"""Signing in by a service of the organisation: a real provider, and everything that must not let anybody in."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

import partita as pt
from partita.server.accounts import oidc
from partita.server.accounts.oidc import Provider
from partita.server.settings import Oidc
from tests.paths.serving import House

HTML = {"Accept": "text/html"}
PEOPLE = [
    {"sub": "ada", "email": "ada@example.org", "email_verified": True},
    {"sub": "eve", "email": "ada@example.org", "email_verified": False},
    {"sub": "stranger", "email": "stranger@example.org", "email_verified": True},
]


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """A provider of OpenID Connect, in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    people = [part for one in PEOPLE for part in ("--user-claims", json.dumps(one))]
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "oidc_provider_mock",
        "--port",
        str(port),
        "--require-nonce",
        *people,
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(600):
                try:
                    httpx.get(f"{address}/.well-known/openid-configuration", timeout=60)
                    break
                except httpx.ConnectError:
                    time.sleep(0.1)
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def house(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    declared = f'oidc = {{ issuer = "{issuer}", client = "partita", secret_env = "CLINIC", name = "the clinic" }}'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLINIC", "a secret/with signs")
        made = House(tmp_path_factory.mktemp("vouched") / "house", server=declared)
    given = made.send("carol", "POST", "/v1/tokens", {"account": "ada@example.org", "role": "analyst"}).json()
    made.tokens["ada@example.org"] = given["text"]
    yield made
    made.close()


def browser(house: House) -> httpx.Client:
    return httpx.Client(base_url=house.url, headers=HTML, timeout=120)


def sent(http: httpx.Client) -> str:
    found = http.get("/sign-in/with")
    assert found.status_code == 303
    assert "samesite=lax" in found.headers["set-cookie"].lower()
    return found.headers["location"]


def back(address: str, who: str) -> str:
    """What the provider sends a person back with, who signs in there."""
    found = httpx.post(address, data={"sub": who}, timeout=60)
    assert found.status_code == 302, found.text
    return found.headers["location"]


def test_whoever_the_service_vouches_for_signs_in_with_the_rights_of_their_token(house):
    with browser(house) as http:
        assert "Sign in with the clinic" in http.get("/sign-in").text
        address = sent(http)
        asked = parse_qs(urlsplit(address).query)
        assert asked["code_challenge_method"] == ["S256"]
        assert asked["redirect_uri"] == [f"{house.url}/sign-in/back"]
        found = http.get(back(address, "ada"))
        assert found.status_code == 200
        assert re.search(r'http-equiv="refresh" content="0; url=/"', found.text)
        assert "samesite=strict" in found.headers["set-cookie"].lower()
        page = http.get("/")
        assert page.status_code == 200
        assert "ada@example.org, analyst" in page.text


def test_an_answer_serves_once_and_only_whoever_was_sent(house):
    with browser(house) as http, browser(house) as other:
        came = back(sent(http), "ada")
        sent(other)
        assert other.get(came).status_code == 403, "an answer to somebody else's attempt"
        assert http.get(came).status_code == 200
        assert http.get(came).status_code == 403, "the same answer again"
        assert http.get("/sign-in/back").status_code == 403
        address = sent(http)
        assert http.get(back(address, "ada").replace("code=", "code=x")).status_code == 403, "a code that was made up"


@pytest.mark.parametrize("who", ["eve", "stranger"])
def test_nobody_signs_in_without_a_verified_address_and_a_token(house, who):
    with browser(house) as http:
        found = http.get(back(sent(http), who))
        assert found.status_code == 403
        assert "server.not-vouched" in found.text
        assert http.get("/").status_code == 303


def test_a_revoked_token_ends_it_at_once(house):
    made = house.send("carol", "POST", "/v1/tokens", {"account": "ada@example.org", "role": "analyst"}).json()
    with browser(house) as http:
        http.get(back(sent(http), "ada"))
        assert http.get("/").status_code == 200
        house.send("carol", "DELETE", f"/v1/tokens/{made['number']}")
        assert http.get("/").status_code == 303


# --- what is signed ---------------------------------------------------------------------------------------------------

KEY, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())


class Signed:
    """A provider whose answers are given, signed by a key of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.key, self.algorithm, self.changes, self.document = KEY, "ES256", {}, {}
        self.provider = Provider(Oidc("https://login.example.org", "partita"))
        monkeypatch.setattr(oidc, "_answer", self.answer)

    def answer(self, method: str, address: str, **more: object) -> dict[str, object]:
        if address.endswith("configuration"):
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            return {
                "issuer": "https://login.example.org",
                **{one: f"https://login.example.org/{one}" for one in names},
                **self.document,
            }
        if address.endswith("jwks_uri"):
            shown = jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
            return {"keys": [{**shown, "kid": "one", "alg": "ES256"}]}
        claims = {
            "iss": "https://login.example.org",
            "aud": "partita",
            "sub": "1",
            "iat": int(time.time()),
            "exp": int(time.time()) + 600,
            "nonce": self.nonce,
            "email": "ada@example.org",
            "email_verified": True,
            **self.changes,
        }
        given = {name: value for name, value in claims.items() if value is not None}
        return {"id_token": jwt.encode(given, self.key, algorithm=self.algorithm, headers={"kid": "one"})}

    def signs_in(self) -> str:
        address, name = self.provider.begin("https://here/sign-in/back")
        asked = parse_qs(urlsplit(address).query)
        self.nonce = asked["nonce"][0]
        return self.provider.finish(name, {"code": "c", "state": asked["state"][0]}, "https://here/sign-in/back")


def test_what_is_signed_for_this_server_in_time_is_believed(monkeypatch):
    assert Signed(monkeypatch).signs_in() == "ada@example.org"


def test_nothing_else_is_believed(monkeypatch):
    hour = int(time.time()) - 7200
    for changes in (
        {"aud": "another"}, {"aud": ["partita", "another"]}, {"aud": None}, {"azp": "another"}, {"iss": "https://elsewhere.example.org"},
        {"exp": hour}, {"exp": None}, {"iat": None}, {"nonce": "x"}, {"nonce": None}, {"email": None}, {"email": 7},
        {"email_verified": None}, {"email_verified": "true"}, {"email": ""},
    ):  # fmt: skip
        signed = Signed(monkeypatch)
        signed.changes = changes
        with pytest.raises(pt.AccessRefused, match="did not lead to an account"):
            signed.signs_in()
    for key, algorithm in ((OTHER, "ES256"), ("a secret that is long enough to be one" * 2, "HS256"), (None, "none")):
        signed = Signed(monkeypatch)
        signed.key, signed.algorithm = key, algorithm
        with pytest.raises(pt.AccessRefused, match="did not lead to an account"):
            signed.signs_in()


def test_a_service_that_names_another_issuer_or_speaks_in_the_clear_is_not_asked(monkeypatch):
    for document in ({"issuer": "https://x"}, {"token_endpoint": "http://login.example.org"}, {"jwks_uri": None}):
        signed = Signed(monkeypatch)
        signed.document = document
        with pytest.raises(pt.PartitaError, match="gave no answer that could be used"):
            signed.signs_in()


def test_a_service_that_is_away_or_talks_nonsense_is_told_so(issuer):
    for address in ("http://127.0.0.1:9", f"{issuer}/nowhere"):
        with pytest.raises(pt.PartitaError, match="gave no answer that could be used"):
            Provider(Oidc(address, "partita")).begin("http://here/sign-in/back")


def test_an_attempt_ends_after_ten_minutes(monkeypatch):
    signed, now = Signed(monkeypatch), [0.0]
    signed.provider = Provider(Oidc("https://login.example.org", "partita"), clock=lambda: now[0])
    address, name = signed.provider.begin("https://here/sign-in/back")
    signed.nonce, now[0] = parse_qs(urlsplit(address).query)["nonce"][0], 601.0
    with pytest.raises(pt.AccessRefused):
        signed.provider.finish(name, {"code": "c", "state": parse_qs(urlsplit(address).query)["state"][0]}, "x")
