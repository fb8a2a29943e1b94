"""A person can end the waits before a server is asked again."""

from __future__ import annotations

import asyncio

from msgbook.provider import Waits


def test_waits_end_by_themselves_or_when_they_are_ended():
    async def run() -> list[bool]:
        never = asyncio.Event()

        async def sleep(seconds: float) -> None:
            if seconds:
                await never.wait()

        waits = Waits(sleep)
        found = [await waits.sleep(0), waits.end()]
        long = [asyncio.ensure_future(waits.sleep(60)) for _ in range(2)]
        await asyncio.sleep(0)
        found.append(waits.end())
        found += await asyncio.gather(*long)
        return [*found, waits.end()]

    assert asyncio.run(run()) == [False, False, True, True, True, False]


def test_a_wait_that_is_cancelled_cannot_be_ended():
    async def run() -> bool:
        waits = Waits(asyncio.sleep)
        task = asyncio.ensure_future(waits.sleep(60))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return waits.end()

    assert asyncio.run(run()) is False
