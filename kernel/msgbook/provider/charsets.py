"""Bodies in UTF-8, whatever charset a server sends them in: their bytes tell, else the header.

Both APIs are UTF-8. But a server may write UTF-16, and Java's frameworks declare Latin-1 by themselves,
with a text in it or with UTF-8.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

from msgbook.text import one_line, visible

_FIRST = 8
"""Bytes that tell UTF-16 and UTF-32 from all others: JSON and events begin with ASCII."""
_WIDE = {
    "utf-32": re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff"),
    "utf-16": re.compile(rb"\xff\xfe|\xfe\xff"),
    "utf-32-le": re.compile(rb"([^\0]\0\0\0){1,2}$", re.DOTALL),
    "utf-32-be": re.compile(rb"(\0\0\0[^\0]){1,2}$", re.DOTALL),
    "utf-16-le": re.compile(rb"([^\0]\0){2}", re.DOTALL),
    "utf-16-be": re.compile(rb"(\0[^\0]){2}", re.DOTALL),
}
"""How they begin. A zero byte alone is a sign of life."""

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;\"',]+)", re.IGNORECASE)
_ASCII = "".join(map(chr, (9, 10, 13, *range(32, 127))))
_LATIN = ("iso8859-1", "ascii")
"""Names that stand for Windows' own charset, in which Latin-1 has letters where it would have none."""


class CharsetError(Exception):
    """A body in a charset that is not known."""


class Recoder:
    """Turns the bytes of one body, cut anywhere, into UTF-8.

    Args:
        content_type: The value of the header, which may declare a charset.
    """

    def __init__(self, content_type: str) -> None:
        declared = _CHARSET.search(content_type)
        self._declared = declared[1] if declared else ""
        self._begin = b""
        self._is_narrow = False
        """True once it is known to be neither UTF-16 nor UTF-32."""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_utf8 = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what some bytes are in UTF-8.

        Raises:
            CharsetError: They are not UTF-8, and the charset that is declared is not known.
        """
        if self._is_utf8:
            yield data
        elif self._decoder is not None:
            yield _encoded(self._decoder.decode(data))
        elif self._is_narrow:
            yield from self._ascii(data)
        else:
            self._begin += data
            if len(self._begin) >= _FIRST:
                yield from self._first()

    def end(self) -> Iterator[bytes]:
        """Yield what has been waiting for more bytes."""
        if self._begin and not self._is_narrow:
            yield from self._first()
        if self._begin:  # half a character of UTF-8 is a whole one of another charset
            yield from self._decode_as_declared(self._begin)
        if self._decoder is not None:
            yield _encoded(self._decoder.decode(b"", final=True))

    def _first(self) -> Iterator[bytes]:
        data, self._begin = self._begin, b""
        wide = next((codec for codec, begins in _WIDE.items() if begins.match(data[:_FIRST])), "")
        if wide:
            self._decoder = codecs.getincrementaldecoder(wide)("replace")
            yield _encoded(self._decoder.decode(data))
            return
        self._is_narrow = True
        yield from self._ascii(data)

    def _ascii(self, data: bytes) -> Iterator[bytes]:
        """Yield bytes that are the same in all charsets. The first others decide which it is."""
        data, self._begin = self._begin + data, b""
        if data.isascii():
            yield data
            return
        try:
            text = codecs.utf_8_decode(data, "strict", False)[0]
        except UnicodeDecodeError:
            yield from self._decode_as_declared(data)
            return
        if text.isascii():  # it ends within a character
            whole = len(text)
            self._begin = data[whole:]
            yield data[:whole]
            return
        self._is_utf8 = True
        yield data

    def _decode_as_declared(self, data: bytes) -> Iterator[bytes]:
        """Yield some bytes from the declared charset. Without one, the reader replaces what is not UTF-8."""
        name = _codec(self._declared) if self._declared else "utf-8"
        if name is None:
            named = visible(one_line(self._declared, 40))
            raise CharsetError(f"is not UTF-8, and declares the charset `{named}`")
        if name == "utf-8":
            self._is_utf8 = True
            yield data
        else:
            self._decoder = codecs.getincrementaldecoder(name)("replace")
            yield _encoded(self._decoder.decode(data))


def _codec(declared: str) -> str | None:
    """Return the codec of a charset; None if it is not known or no charset of texts."""
    try:
        name = codecs.lookup(declared).name
        is_text = name.startswith(tuple(_WIDE)) or _ASCII.encode(name) == _ASCII.encode()
    except (LookupError, UnicodeError, ValueError):
        return None
    return ("cp1252" if name in _LATIN else name) if is_text else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def recode(http: Any, response: Any) -> None:
    """Let a response of the HTTP library be read in UTF-8."""
    content_type = response.headers.get("content-type", "")
    response.stream = _recoded_class(http)(response.stream, content_type)
    if _CHARSET.search(content_type):
        response.headers["content-type"] = _CHARSET.sub("charset=utf-8", content_type)


@lru_cache
def _recoded_class(http: Any) -> Any:
    class Recoded(http.AsyncByteStream):  # type: ignore[misc]  # one of two libraries
        """A body in UTF-8."""

        def __init__(self, body: Any, content_type: str) -> None:
            self._body, self._recoder = body, Recoder(content_type)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._body:
                for recoded in self._recoder.feed(data):
                    if recoded:
                        yield recoded
            for recoded in self._recoder.end():
                if recoded:
                    yield recoded

        async def aclose(self) -> None:
            await self._body.aclose()

    return Recoded
