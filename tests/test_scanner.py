"""Long texts are scanned in a thread."""

from __future__ import annotations

import asyncio
import threading

from msgbook.scanner import run_in_thread_if_long


def test_others_run_while_a_long_text_is_read() -> None:
    told = threading.Event()

    async def reading() -> bool:
        long = asyncio.ensure_future(run_in_thread_if_long("x" * 100_000, told.wait, 30))
        await asyncio.sleep(0)
        told.set()
        return await long

    assert asyncio.run(reading())
