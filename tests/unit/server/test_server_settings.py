"""The settings of a server: read from file and environment, refused where tokens would travel in the clear."""

from __future__ import annotations

from pathlib import Path

import pytest

import partita as pt
from partita.server.settings import KEYS, PREFIX, ServerSettings, read_server

HERE = Path(__file__).parent


def settings(given=None, **environment):
    return read_server(
        "partita.toml", given or {}, {PREFIX + name.upper(): value for name, value in environment.items()}, HERE
    )


def test_the_environment_goes_before_the_file():
    found = settings({"port": 1, "practice": True}, port="2", practice="no", hosts="a.example, b.example")
    assert (found.port, found.practice, found.hosts) == (2, False, ("a.example", "b.example"))
    assert settings(approve_above="rho=0.1").approve_above == {"rho": "0.1"}
    assert settings() == ServerSettings()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])
def test_it_listens_on_this_machine_alone_unless_the_way_is_safe(host):
    with pytest.raises(pt.InvalidInput):
        settings({"host": host})
    if host:
        assert settings({"host": host, "behind_proxy": True}).host == host


@pytest.mark.parametrize(
    "given",
    [
        {"port": -1}, {"port": 70000}, {"port": "x"}, {"port": True}, {"practice": "maybe"}, {"hosts": "a"}, {"prt": 1},
        {"certificate": "nowhere.pem", "key": "nowhere.key"}, {"certificate": __file__}, {"approve_above": "0.1"},
        {"body_bytes": 0}, {"oidc": "x"}, {"oidc": {"issuer": "https://a.example"}},
        {"oidc": {"issuer": "http://a.example", "client": "c"}}, {"oidc": {"issuer": "https://a.example", "client": 7}},
        {"oidc": {"issuer": "https://a.example", "client": "c", "secret": "s"}},
        {"oidc": {"issuer": "https://a.example", "client": "c", "secret_env": "NOT_SET_ANYWHERE"}},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(given):
    with pytest.raises(pt.InvalidInput, match=str(next(iter(given)))):
        settings(given)


def test_single_accounts_have_limits_of_their_own():
    given = {"model": {"ceiling": {"rho": "0.01"}}}
    found = settings({"accounts": given}).accounts
    assert (found["model"].ceiling, found["model"].price) == ({"rho": "0.01"}, None)
    assert settings(accounts='{"model": {"ceiling": {"rho": "0.01"}}}').accounts == found
    wrong = [given["model"], {"model": {"roof": {"rho": 1}}}, {"model": {"price": "1"}}, {"model": 1}]
    for one in wrong:
        with pytest.raises(pt.InvalidInput, match="accounts"):
            settings({"accounts": one})
    for text in ("model=1", "[" * 100_000):
        with pytest.raises(pt.InvalidInput, match="accounts"):
            settings(accounts=text)


def test_every_key_comes_from_the_environment_too():
    with pytest.raises(pt.InvalidInput):
        settings(prt="1")
    assert len(KEYS) == len(set(KEYS))


def test_the_secret_of_a_sign_in_service_stands_in_the_environment_alone():
    given = {"oidc": {"issuer": "https://a.example", "client": "c", "secret_env": "CLINIC", "claim": "sub"}}
    found = read_server("partita.toml", given, {"CLINIC": "hidden"}, HERE).oidc
    assert (found.secret, found.claim) == ("hidden", "sub")
    assert "hidden" not in repr(found)
    assert settings(oidc="issuer=https://a.example, client=c").oidc.client == "c"
