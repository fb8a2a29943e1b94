"""What a kernel keeps from its start to its end."""

from __future__ import annotations

import asyncio
import gc

from msgbook.kernel.session import Session
from msgbook_format.syntax import CHAT_CELLS


def test_requests_that_begin_at_once_share_an_engine_whose_connections_are_closed(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    session = Session(tmp_path, dict, CHAT_CELLS)

    async def both() -> list[list[str]]:
        try:
            return list(await asyncio.gather(session.offered_models(), session.offered_models()))
        finally:
            await session.close()

    first, second = asyncio.run(both())

    gc.collect()  # A connection that was left open warns here, and a warning fails the test.
    assert first == second
