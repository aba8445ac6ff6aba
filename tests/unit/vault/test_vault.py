"""Sealing that is cut at every step, killed for good, and files that are not as they were."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.vault import vault as vaults
from partita.vault.folder import Step

EXACT = 10**6
VISITS = {"who": pt.identifier(), "age": pt.integers(0, 9)}
COUNT = "SELECT COUNT(*) AS n FROM visits"


class Cut(Exception):
    """The plug is pulled."""


def rows(*owners):
    return [{"who": who, "age": at} for at, who in enumerate(owners)]


def hospital(folder, *, source=None):
    return pt.Curator(
        tables=[pt.Table("visits", source=rows("a", "b") if source is None else source, columns=VISITS)],
        promises=[pt.Promise(pt.users("who", rows=2), pt.ZCDP(rho=EXACT * 999))],
        ledger=Path(folder) / "book",
    )


def number(curator):
    return curator.ask(COUNT, rho=EXACT).rows()[0]["n"]


def refused_code(call):
    with pytest.raises(PartitaError) as caught:
        call()
    return caught.value.code


def pulled(curator, step):
    """Let the vault of a curator be cut at a step, from the next one it passes on."""

    def cut(passed):
        if passed is step:
            raise Cut

    growth = curator._growth
    growth._cut = cut
    if growth._vault is not None:
        growth._vault._cut = growth._vault._folder._cut = cut


@pytest.mark.parametrize("step", Step)
@pytest.mark.parametrize("first", [True, False], ids=["the first batch", "a later batch"])
def test_a_batch_that_is_cut_off_is_there_or_is_not(step, first, tmp_path):
    curator = hospital(tmp_path)
    if not first:
        curator.ingest("visits", rows("c"), batch="1")
    pulled(curator, step)
    with pytest.raises(Cut):
        curator.ingest("visits", rows("d", "d", "d"), batch="2")
    before = 2 if first else 3
    # The curator that lives on reads what it read before, and no half of a batch.
    assert number(curator) == before
    sealed = step in (Step.SEALED, Step.SWEPT) and not first
    with hospital(tmp_path) as again:
        assert number(again) == before + (2 if sealed else 0)
        if sealed:
            assert refused_code(lambda: again.ingest("visits", rows("d"), batch="2")) == "vault.arrived-already"
        else:
            again.ingest("visits", rows("d", "d", "d"), batch="2")
        assert number(again) == before + 2
        named = {name for name, _ in sum(again._growth._vault.manifest.files.values(), ())}
    there = {one.name for one in (tmp_path / "book.vault").iterdir() if one.suffix == ".parquet"}
    assert there == named
    # The one that was cut off takes in what the other has sealed, and goes on.
    pulled(curator, None)
    curator.ingest("visits", rows("e"), batch="3")
    assert number(curator) == before + 3


@pytest.mark.parametrize("step", Step)
def test_an_erasure_that_is_cut_off_is_made_or_is_not(step, tmp_path):
    curator = hospital(tmp_path)
    curator.ingest("visits", rows("a", "c"))
    pulled(curator, step)
    with pytest.raises(Cut):
        curator.forget("who", "a")
    with hospital(tmp_path) as again:
        assert number(again) == (2 if step in (Step.SEALED, Step.SWEPT) else 4)


KILLED = """
import os, signal, sys
from tests.unit.vault.test_vault import hospital, rows
from partita.vault.folder import Step

curator = hospital(sys.argv[1])
curator.ingest("visits", rows("c"))

def cut(passed):
    if passed == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

growth = curator._growth
growth._vault._cut = growth._vault._folder._cut = cut
curator.ingest("visits", rows("d", "d", "d"), batch="2")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("step", "sealed"), [(step, step in (Step.SEALED, Step.SWEPT)) for step in Step])
def test_a_process_that_is_killed_leaves_a_batch_whole_or_none(step, sealed, tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), step], capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with hospital(tmp_path) as again:
        assert number(again) == (5 if sealed else 3)
        assert again.verify().problems == ()
        assert again.ingest("visits", rows("e"), batch="9").batch == (3 if sealed else 2)


def test_a_file_that_was_altered_or_is_gone_is_noticed_before_anything_is_read(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", rows("c"))
    kept = tmp_path / "book.vault"
    for one in sorted(kept.iterdir()):
        if one.name == "lock":
            continue
        whole = one.read_bytes()
        one.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert refused_code(lambda: hospital(tmp_path)) == "vault.changed"
        one.unlink()
        assert refused_code(lambda: hospital(tmp_path)) == "vault.gone"
        one.write_bytes(whole)
    shutil.move(kept, tmp_path / "elsewhere")
    assert refused_code(lambda: hospital(tmp_path)) == "vault.gone"
    shutil.move(tmp_path / "elsewhere", kept)
    assert number(hospital(tmp_path)) == 3


def test_an_older_copy_of_the_vault_is_noticed(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", rows("c"))
        shutil.copytree(tmp_path / "book.vault", tmp_path / "copy")
        curator.forget("who", "a")
    shutil.rmtree(tmp_path / "book.vault")
    shutil.move(tmp_path / "copy", tmp_path / "book.vault")
    assert refused_code(lambda: hospital(tmp_path)) == "vault.gone"


def test_a_source_that_changed_after_it_was_sealed_is_refused_until_it_is_brought_back_or_gone(tmp_path):
    source = tmp_path / "visits.csv"
    source.write_text("who,age\na,1\n")
    with hospital(tmp_path, source=str(source)) as curator:
        assert refused_code(lambda: curator.ingest("visits", source)) == "vault.same-rows"
        curator.ingest("visits", rows("c"))
    source.write_text("who,age\na,1\nb,2\n")
    assert refused_code(lambda: hospital(tmp_path, source=str(source))) == "vault.source-changed"
    source.write_text("who,age\na,1\n")
    with hospital(tmp_path, source=str(source)) as curator:
        curator.forget("who", "a")
    source.write_text("who,age\n")
    with hospital(tmp_path, source=str(source)) as curator:
        assert number(curator) == 1


def test_another_declaration_is_refused(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", rows("c"))
    table = pt.Table("visits", source=[], columns={**VISITS, "note": pt.text_keys()})
    promise = pt.Promise(pt.users("who", rows=2), pt.ZCDP(rho=EXACT * 999))
    code = refused_code(lambda: pt.Curator(tables=[table], promises=[promise], ledger=tmp_path / "book"))
    assert code == "ledger.refinable"


def test_many_batches_are_few_files_and_read_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr(vaults, "MERGED", 3)
    with hospital(tmp_path) as curator:
        for at in range(8):
            curator.ingest("visits", rows(f"n{at}"), again=True)
        assert number(curator) == 10
    with hospital(tmp_path) as curator:
        assert number(curator) == 10
        assert len(curator._growth._vault.manifest.files["visits.rows"]) <= 3


def test_a_folder_that_cannot_be_written_is_told_in_our_words(tmp_path):
    (tmp_path / "book.vault").write_text("a file where the folder should be")
    with hospital(tmp_path) as curator:
        assert refused_code(lambda: curator.ingest("visits", rows("c"))) == "vault.not-written"
        assert number(curator) == 2


def test_the_vault_of_a_ledger_in_memory_goes_with_it():
    table = pt.Table("visits", source=rows("a"), columns=VISITS)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=EXACT * 9))
    curator = pt.Curator(tables=[table], promises=[promise], ledger=":memory:")
    curator.ingest("visits", rows("c"))
    place = curator._growth._vault._folder.path
    assert os.path.isdir(place)
    curator.close()
    assert not os.path.exists(place)


def test_the_book_says_what_was_sealed_and_nothing_of_the_rows(tmp_path):
    with hospital(tmp_path) as curator:
        curator.ingest("visits", rows("secret-person"), batch="monday")
        curator.forget("who", "secret-person")
        notes = [entry.note for entry in curator.ledger.entries() if entry.kind == "seal"]
    assert ['"batch":0' in notes[0], '"name":"monday"' in notes[1], '"erased":"who"' in notes[2]] == [True] * 3
    assert not any("secret-person" in note for note in notes)


def test_a_ledger_with_sealed_rows_goes_on_with_a_further_column_and_no_further_table(tmp_path):
    def opened(columns, *more, migrate=False):
        return pt.Curator(
            tables=[pt.Table("visits", source=rows("a", "b"), columns=columns), *more],
            promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=EXACT * 999))],
            ledger=tmp_path / "book",
            migrate=migrate,
        )

    with opened(VISITS) as curator:
        curator.ingest("visits", rows("c"))
        assert number(curator) == 3
    wider = {**VISITS, "sex": pt.categories("F", "M")}
    with pytest.raises(PartitaError, match="is not read from its source"):
        opened(VISITS, pt.Table("calls", source=rows("d"), columns=VISITS), migrate=True)
    with opened(wider, migrate=True) as curator:
        assert number(curator) == 3
    with opened(wider) as curator:
        assert number(curator) == 3
