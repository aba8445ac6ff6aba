"""The vault beside a ledger: what is sealed, read again with every digest checked, and one way to seal more."""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, BinaryIO, Final, final
from weakref import finalize

from partita.errors import vault as refuse
from partita.ledger.ledger import Ledger
from partita.vault.cipher import Cipher
from partita.vault.folder import Cut, Fill, Folder, Step, nothing, stored
from partita.vault.manifest import Manifest, Record

MERGED: Final = 64
"""So many files of one part are made one when the next batch comes: a number of batches, never of rows."""
_MEMORY = ":memory:"


@final
class Vault:
    """Sealed rows in a folder beside the ledger, ``<ledger>.vault``; a ledger in memory has one that goes with it.

    Files and manifest are durable before the ledger names the manifest, and nothing is read that it does not name. So a
    batch is there or is not, whenever the process ends; what a sealing left behind is taken away by the next.
    """

    def __init__(self, ledger: Ledger, cut: Cut = nothing, cipher: Cipher | None = None) -> None:
        self._ledger, self._cut = ledger, cut
        self._goes: finalize[[str, int], Vault] | None = None
        secret = ledger.truncation_key()
        if ledger.name == _MEMORY:
            place = mkdtemp(prefix="partita-vault-")
            self._goes = finalize(self, _swept, place, os.getpid())
        else:
            place = place_of(ledger.name)
        self._folder = Folder(place, hmac.new(secret, b"vault", hashlib.sha256).digest(), cut, cipher)
        self.secret = hmac.new(secret, b"forgotten owners", hashlib.sha256).hexdigest()
        self.manifest: Manifest | None = None
        self.moved = False
        """Whether something is sealed that the engine does not hold yet: by another process, or just now."""
        self._digest: str | None = None

    def close(self) -> None:
        """Let go of a folder that nobody else can find: that of a ledger in memory."""
        if self._goes is not None:
            self._goes()

    # --- reading -----------------------------------------------------------------------------------------------

    def still(self) -> AbstractContextManager[None]:
        """No process seals inside, so that what is looked at is not swept away before it is read."""
        return self._folder.still()

    def look(self) -> Manifest | None:
        """What the ledger says is sealed now, if the folder has it; None if nothing ever was."""
        digest = self._ledger.sealed()
        if digest is not None and digest != self._digest:
            self.manifest, self.moved = Manifest.from_content(self._folder.read(_manifest(digest), digest)), True
        self._digest = digest
        return self.manifest

    def contents(self) -> dict[str, Any]:
        """The rows that are sealed, part by part; refused if a file has changed."""
        import pyarrow as pa

        found: dict[str, Any] = {}
        for part, listed in ({} if self.manifest is None else self.manifest.files).items():
            found[part] = pa.concat_tables([self._read(name, digest) for name, digest in listed])
        return found

    def _read(self, name: str, digest: str) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # The very bytes whose digest was compared, whatever becomes of the file meanwhile.
        return pq.read_table(pa.BufferReader(self._folder.read(name, digest)), partitioning=None)

    def unchanged(self, sources: Mapping[str, object]) -> None:
        """Refuse a declared file that holds something else than when it was sealed: what is new would not be read."""
        sealed = {} if self.manifest is None else self.manifest.batches[0].sources
        for table, source in sources.items():
            path = _file(source)
            if path is not None and table in sealed and self._folder.digest(path) != sealed[table]:
                raise refuse.source_changed(table, str(source))

    def sources(self, sources: Mapping[str, object]) -> dict[str, str]:
        """The digests of those sources that are files."""
        found = {table: _file(source) for table, source in sources.items()}
        return {table: self._folder.digest(path) for table, path in found.items() if path is not None}

    def told(self, text: str) -> str:
        """The keyed digest of a text that tells rows apart."""
        return self._folder.told(text)

    # --- sealing -----------------------------------------------------------------------------------------------

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The only process that seals; what an earlier one has left half-sealed is dropped."""
        with self._folder.alone():
            self.look()
            if self._digest is None:
                self._own()
            self._sweep()
            yield

    def _own(self) -> None:
        """Refuse a folder with rows that no entry of this ledger knows of; its own first sealing may be half done."""
        for path in self._folder.path.glob("manifest-*.json"):
            content = self._folder.content(path.name)
            if _manifest(self._folder.told(content.decode(errors="replace"))) != path.name:
                raise refuse.foreign(str(self._folder.path))
            if Manifest.from_content(content).last.batch:
                raise refuse.foreign(str(self._folder.path))

    def seal(
        self,
        manifest: Manifest,
        contents: Mapping[str, Any],
        what: Mapping[str, object],
        *,
        record: Record | None = None,
        whole: bool = False,
    ) -> None:
        """Add rows to what is sealed, or put them in its place if they are the ``whole`` of their parts.

        To be called inside ``alone``. When it returns, the ledger knows.
        """
        files, written = dict(manifest.files), manifest.written
        for part, rows in contents.items():
            earlier = () if whole else files.get(part, ())
            if len(earlier) >= MERGED:
                import pyarrow as pa

                rows, earlier = pa.concat_tables([*(self._read(*one) for one in earlier), rows]), ()
            if not rows.num_rows:
                files[part] = earlier
                continue
            written += 1
            name = f"{written:08d}.{part}.parquet"
            files[part] = (*earlier, (name, self._folder.write(name, stored(rows))))
            self._cut(Step.ROWS)
        files = {part: listed for part, listed in files.items() if listed}
        batches = manifest.batches if record is None else (*manifest.batches, record)
        made = replace(manifest, batches=batches, files=files, written=written)
        content = made.content()
        digest = self._folder.told(content.decode())
        self._folder.write(_manifest(digest), _filled(content))
        self._cut(Step.MANIFEST)
        self._ledger.seal(self._digest, digest, what)
        self.manifest, self._digest, self.moved = made, digest, True
        self._cut(Step.SEALED)
        self._sweep()
        self._cut(Step.SWEPT)

    def _sweep(self) -> None:
        named = [] if self._digest is None else [_manifest(self._digest)]
        self._folder.sweep([*named, *([] if self.manifest is None else self.manifest.names())])


def place_of(ledger: str) -> str:
    """The folder of the vault of a ledger in a file."""
    return f"{ledger}.vault"


def _file(source: object) -> Path | None:
    """The file that a source is, if it is there."""
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    return path if path is not None and path.is_file() else None


def _manifest(digest: str) -> str:
    return f"manifest-{digest[:32]}.json"


def _filled(content: bytes) -> Fill:
    def fill(file: BinaryIO) -> None:
        file.write(content)

    return fill


def _swept(place: str, owner: int) -> None:
    """Remove the vault of a ledger in memory; a forked child leaves it to the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(place, ignore_errors=True)
