"""A line to one client: bytes in, bounded and awaited, and bytes out, at the client's pace."""

from __future__ import annotations

import asyncio
import ssl
import struct
from typing import Final, final

from partita.errors import wire as refuse

_MOST_HELD: Final = 256 * 1024
"""So many bytes are held before a client has to wait with more."""


@final
class Gone(Exception):
    """The client went away."""


@final
class Line(asyncio.Protocol):
    """The two directions of a connection."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._held = bytearray()
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._ended = False
        self.secure = False

    # --- what the loop calls ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It begins, or goes on encrypted."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        self._held += data
        if len(self._held) > _MOST_HELD and self._transport is not None:
            self._transport.pause_reading()
        self._arrived.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._ended = True
        self._arrived.set()
        self._writable.set()

    def eof_received(self) -> bool:
        """The client says no more; it may still listen, but for TLS, which ends both ways at once."""
        self._ended = True
        self._arrived.set()
        return not self.secure

    def pause_writing(self) -> None:
        """The client does not read as fast as it is told."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It does again."""
        self._writable.set()

    # --- what a conversation does ----------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """Where the client is."""
        found = None if self._transport is None else self._transport.get_extra_info("peername")
        return str(found[0]) if found else ""

    @property
    def waiting(self) -> bool:
        """Whether bytes came that were not read yet."""
        return bool(self._held)

    async def take(self, count: int) -> bytes:
        """So many bytes, when they have come."""
        while len(self._held) < count:
            if self._ended:
                raise Gone
            self._arrived.clear()
            if self._transport is not None and not self._ended:
                self._transport.resume_reading()
            await self._arrived.wait()
        found = bytes(self._held[:count])
        del self._held[:count]
        return found

    async def opening(self, most: int) -> bytes:
        """The body of a message that has no tag: the first ones of a connection."""
        (length,) = struct.unpack("!I", await self.take(4))
        if not 8 <= length <= most:
            raise refuse.too_long(most)
        return await self.take(length - 4)

    async def message(self, most: int, seconds: float) -> tuple[bytes, bytes]:
        """The next message: its tag and its body, which has to come soon after."""
        tag = await self.take(1)
        async with asyncio.timeout(seconds):
            (length,) = struct.unpack("!I", await self.take(4))
            if not 4 <= length <= most:
                raise refuse.too_long(most)
            return tag, await self.take(length - 4)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        if self._transport is None or (self._ended and self._transport.is_closing()):
            raise Gone
        self._transport.write(data)

    async def flush(self) -> None:
        """Wait until the client can take more."""
        await self._writable.wait()
        if self._transport is None or self._transport.is_closing():
            raise Gone

    async def encrypt(self, context: ssl.SSLContext, seconds: float) -> None:
        """Go on with TLS; whatever came before it was not under it, and is refused."""
        assert self._transport is not None
        if self._held:
            raise refuse.malformed("something was sent before TLS began")
        loop = asyncio.get_running_loop()
        try:
            made = await loop.start_tls(self._transport, self, context, server_side=True, ssl_handshake_timeout=seconds)
        except (OSError, ssl.SSLError):
            raise Gone from None
        if made is None or self._ended:
            raise Gone
        assert isinstance(made, asyncio.Transport)
        self._transport, self.secure = made, True

    def close(self) -> None:
        """End it, when all is sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End it now."""
        if self._transport is not None:
            self._transport.abort()
