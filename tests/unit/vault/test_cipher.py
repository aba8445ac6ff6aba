"""Sealed rows that are encrypted: nothing of them is on the disk, and no file opens with another key or altered."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.vault import cipher as ciphers
from partita.vault.cipher import Cipher
from tests.unit.vault.test_vault import COUNT, EXACT, refused_code

KEY, OTHER = "1f" * 32, bytes(range(32))


def hospital(folder, key=KEY):
    table = pt.Table(
        "visits",
        source=[{"who": f"Zebediah{n}", "age": n} for n in range(3)],
        columns={"who": pt.identifier(), "age": pt.integers(0, 9)},
    )
    promise = pt.Promise(pt.users("who", rows=2), pt.ZCDP(rho=EXACT * 999))
    return pt.Curator(tables=[table], promises=[promise], ledger=Path(folder) / "book", vault_key=key)


def test_nothing_of_the_rows_and_no_key_is_on_the_disk(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", [{"who": "Melchior", "age": 4}], batch="Epiphany")
        curator.forget("who", "Zebediah1")
        assert curator.ask(COUNT, rho=EXACT).rows() == [{"n": 3}]
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert sum(one.suffix == ".parquet" for one in files) >= 1
    for one in files:
        content = one.read_bytes()
        assert not [
            word for word in (b"Zebediah", b"Melchior", b"PAR1", bytes.fromhex(KEY), KEY.encode()) if word in content
        ]
    with hospital(tmp_path) as again:
        assert again.ask(COUNT, rho=EXACT).rows() == [{"n": 3}]
        assert again.ingest("visits", [{"who": "Caspar", "age": 4}]).batch == 2
        assert again.verify().problems == ()


def test_a_vault_opens_with_its_own_key_alone(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", [{"who": "Melchior", "age": 4}])
    assert refused_code(lambda: hospital(tmp_path, None)) == "vault.no-key"
    assert refused_code(lambda: hospital(tmp_path, OTHER)) == "vault.wrong-key"
    (tmp_path / "plain").mkdir()
    with hospital(tmp_path / "plain", None) as curator:
        curator.ingest("visits", [{"who": "Melchior", "age": 4}])
    assert refused_code(lambda: hospital(tmp_path / "plain")) == "vault.not-encrypted"
    for bad in ("", "1f", "zz" * 32, b"short", 17):
        assert refused_code(lambda key=bad: hospital(tmp_path, key)) == "vault.bad-key"


def test_an_altered_file_is_refused(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", [{"who": "Melchior", "age": 4}])
    for one in (tmp_path / "book.vault").iterdir():
        whole = one.read_bytes()
        for broken in (whole[:-1], whole + b"x", whole[:-1] + bytes([whole[-1] ^ 1])) if one.name != "lock" else ():
            one.write_bytes(broken)
            assert refused_code(lambda: hospital(tmp_path)) == "vault.changed"
        one.write_bytes(whole)
    hospital(tmp_path).close()


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 128, 1000])
def test_chunks_are_read_as_they_were_written_and_in_no_other_way(length, monkeypatch):
    monkeypatch.setattr(ciphers, "_CHUNK", 64)
    content, file = bytes(n % 251 for n in range(length)), io.BytesIO()
    Cipher(KEY).write(file, "name", lambda sink: [sink.write(content[at : at + 7]) for at in range(0, length, 7)])
    made = file.getvalue()
    assert Cipher(KEY).read(made, "p", "name") == content
    head, step = made[:40], 64 + 16
    chunks = [made[at : at + step] for at in range(40, len(made), step)]
    broken = [head, head + b"".join(chunks[:-1]), head + b"".join(chunks[::-1]) if len(chunks) > 1 else head]
    for one in broken:
        with pytest.raises(PartitaError) as caught:
            Cipher(KEY).read(one, "p", "name")
        assert caught.value.code == "vault.changed"
    with pytest.raises(PartitaError):
        Cipher(KEY).read(made, "p", "another name")


def test_a_file_of_settings_names_the_variable_with_the_key(tmp_path, monkeypatch):
    (tmp_path / "visits.csv").write_text("who,age\na,3\n")
    (tmp_path / "partita.toml").write_text("""
ledger = "book"
vault_key_env = "OUR_VAULT"
[[promises]]
protect = { users = { column = "who", rows = 2 } }
rho = 1
[tables.visits]
source = "visits.csv"
columns.who = "identifier"
columns.age = { integers = [0, 9], missing = 0 }
""")
    monkeypatch.delenv("OUR_VAULT", raising=False)
    assert refused_code(lambda: pt.open(tmp_path / "partita.toml")) == "vault.no-key-there"
    monkeypatch.setenv("OUR_VAULT", KEY)
    with pt.open(tmp_path / "partita.toml") as curator:
        curator.ingest("visits", [{"who": "b", "age": 4}])
    assert all(one.read_bytes().startswith(b"PARTITA1") for one in (tmp_path / "book.vault").glob("*.*"))
