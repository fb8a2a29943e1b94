"""Bodies as they were before they were compressed: their bytes tell, whatever the headers say.

A gateway may pass a header on with a body that it has unpacked, or a body without its header.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

from msgbook.text import one_line, visible

_PORTION = 65_536
"""Bytes that are unpacked at once: a few compressed ones may be any number of others."""

_GZIP = b"\x1f\x8b"
_ZLIB = (b"x\x01", b"x^", b"x\x9c", b"x\xda")
_NONE = ("", "identity")
_UNDECIDED = 16
"""Bytes that tell text from compressed bytes which begin with a letter."""


class CompressionError(Exception):
    """A body that cannot be unpacked."""


class Unpacker:
    """Turns the bytes of one body, cut anywhere, into what they were before.

    Args:
        coding: The value of `content-encoding`.
    """

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._begin = b""
        self._is_plain = False
        self._window = 0
        self._decoder: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what some bytes bring.

        Raises:
            CompressionError: They are of a coding that is not known, or broken.
        """
        if not self._is_plain and self._decoder is None:
            data = self._begin = self._begin + data
            if len(data) < (_UNDECIDED if self._may_be_either(data) else len(_GZIP)):
                return
            self._begin = b""
            self._decide(data)
        yield from self._unpacked(data)

    def end(self) -> Iterator[bytes]:
        """Yield what has been waiting for more bytes."""
        if self._begin and not self._is_plain and self._decoder is None:
            self._decide(self._begin)
            yield from self._unpacked(self._begin)

    def _may_be_either(self, data: bytes) -> bool:
        return data[:1] == b"x" or self._coding not in _NONE

    def _decide(self, data: bytes) -> None:
        if data[: len(_GZIP)] == _GZIP:
            self._window = zlib.MAX_WBITS | 16
        elif _is_text(data):
            self._is_plain = True
            return
        elif data[:2] in _ZLIB:
            self._window = zlib.MAX_WBITS
        elif "deflate" in self._coding:
            self._window = -zlib.MAX_WBITS
        elif self._coding in _NONE:
            self._is_plain = True  # neither is it text: its reader says so
            return
        else:
            named = f"`content-encoding: {visible(one_line(self._coding, 40))}`"
            raise CompressionError(f"has the header {named}, which was not asked for")
        self._decoder = zlib.decompressobj(self._window)

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        if self._is_plain:
            yield data
            return
        while data and self._decoder is not None:
            if self._decoder.eof:  # some servers compress each event for itself
                data, self._begin = self._begin + data, b""
                if data == _GZIP[:1]:
                    self._begin = data  # its beginning is cut
                    return
                if data[: len(_GZIP)] != _GZIP:
                    return
                self._decoder = zlib.decompressobj(self._window)
            try:
                unpacked = self._decoder.decompress(data, _PORTION)
            except zlib.error as error:
                words = f"begins as a compressed one, and cannot be unpacked: {error}"
                raise CompressionError(words) from None
            if unpacked:
                yield unpacked
            data = self._decoder.unconsumed_tail or self._decoder.unused_data


def _is_text(data: bytes) -> bool:
    """Return whether bytes are the beginning of a text in UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(data) or error.reason != "unexpected end of data":
            return False
        text = data[: error.start].decode("utf-8")
    return all(letter >= " " or letter in "\t\r\n\f\x1b" for letter in text)


def unpack(http: Any, response: Any, layers: int) -> None:
    """Let a response of the HTTP library be read unpacked.

    Args:
        layers: How often a body may be compressed.
    """
    coding = response.headers.pop("content-encoding", "").strip().lower()
    for one in (coding, *[""] * (layers - 1)):
        response.stream = _unpacked_class(http)(response.stream, one)


@lru_cache
def _unpacked_class(http: Any) -> Any:
    class Unpacked(http.AsyncByteStream):  # type: ignore[misc]  # one of two libraries
        """A body, unpacked."""

        def __init__(self, body: Any, coding: str) -> None:
            self._body, self._unpacker = body, Unpacker(coding)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._body:
                for unpacked in self._unpacker.feed(data):
                    yield unpacked
            for unpacked in self._unpacker.end():
                yield unpacked

        async def aclose(self) -> None:
            await self._body.aclose()

    return Unpacked
