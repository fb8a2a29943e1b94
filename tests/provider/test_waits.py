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
        found = [await waits.sleep(0), waits.end(None)]
        long = [asyncio.ensure_future(waits.sleep(60)) for _ in range(2)]
        await asyncio.sleep(0)
        found.append(waits.end(None))
        found += await asyncio.gather(*long)
        return [*found, waits.end(None)]

    assert asyncio.run(run()) == [False, False, True, True, True, False]


def test_a_wait_that_is_cancelled_cannot_be_ended():
    async def run() -> bool:
        waits = Waits(asyncio.sleep)
        task = asyncio.ensure_future(waits.sleep(60))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return waits.end(None)

    assert asyncio.run(run()) is False


def test_only_the_waits_of_one_cell_are_ended_also_those_of_its_sub_agents():
    async def run() -> list[bool]:
        waits = Waits(asyncio.sleep)

        async def sub_agent() -> bool:
            return await asyncio.ensure_future(waits.sleep(60))

        async def turn(cell_id: str) -> bool:
            waits.begin_turn(cell_id)
            return await asyncio.ensure_future(sub_agent())

        tasks = {cell_id: asyncio.ensure_future(turn(cell_id)) for cell_id in ("a", "b")}
        for _ in range(5):
            await asyncio.sleep(0)
        found = [waits.end("c"), waits.end("a"), await tasks["a"], tasks["b"].done()]
        tasks["b"].cancel()
        await asyncio.gather(tasks["b"], return_exceptions=True)
        return found

    assert asyncio.run(run()) == [False, True, True, False]
