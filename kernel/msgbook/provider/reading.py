"""Reading the body of an answer: until the answer is over, and then to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from msgbook.breath import SLICE, Breath, sliced
from msgbook.provider.api import AnswerDecoder
from msgbook.provider.http import is_transport_error

_BLANK_LIMIT = 4096
"""Bytes of comments that count as nothing."""

_DRAIN_TIME = 0.5
"""Seconds that the rest of a body may take after the end of its answer."""


async def until_over(
    chunks: AsyncIterator[bytes], decoder: AnswerDecoder, linger: float
) -> AsyncIterator[bytes]:
    """Yield chunks until the body ends, or until an answer with an end marker stays silent.

    Chunks of a fast server come in slices, with pauses: it may send what makes no event at all.
    """
    breath = Breath(SLICE)
    while True:
        limit = asyncio.timeout(linger if decoder.has_ended else None)
        try:
            async with limit:
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if limit.expired():
                return
            raise
        for piece in sliced(chunk):
            yield piece
            await breath.spend(len(piece))


async def drain(
    chunks: AsyncIterator[bytes], note: Callable[[bytes], None] = lambda _chunk: None
) -> None:
    """Read to the end of the body, so that the connection can be used again.

    Args:
        note: Called with each chunk; the usage may follow an error.

    Some servers mark the end of the answer and keep the body open; those are not waited for.
    """
    try:
        async with asyncio.timeout(_DRAIN_TIME):
            breath = Breath(SLICE)
            async for chunk in chunks:
                note(chunk)
                await breath.spend(len(chunk))
    except TimeoutError:
        return
    except Exception as error:
        if not is_transport_error(error):
            raise


class Beginning:
    """The first bytes of a body, which show whether it says anything."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, chunk: bytes) -> None:
        """Keep the chunk if it is among the first bytes."""
        if len(self._bytes) <= _BLANK_LIMIT:
            self._bytes += chunk[: _BLANK_LIMIT + 1]

    @property
    def is_blank(self) -> bool:
        """Return whether nothing came but comments and blank lines."""
        return len(self._bytes) <= _BLANK_LIMIT and all(
            not line or line.startswith(b":") for line in self._bytes.splitlines()
        )
