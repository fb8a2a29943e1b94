"""Answers without an end: they are bounded, they fill no memory, and they never keep an interrupt waiting."""

from __future__ import annotations

import asyncio
import functools
import tracemalloc

import pytest
from floods import ANSWERED, CHUNK, FLOODS, Flooded

from msgbook.config import Limits
from msgbook.throttle import SLICE
from msgbook_format.turn import blocks_of_type

ENOUGH = 2 * CHUNK


def in_a_loop(test):
    """Run a test that is a coroutine."""

    @functools.wraps(test)
    def run(**arguments):
        asyncio.run(test(**arguments))

    return run


@pytest.mark.parametrize("name", FLOODS)
@in_a_loop
async def test_under_any_flood_other_tasks_run_between_slices(name):
    flooded, received = Flooded(name), []
    turn = asyncio.create_task(flooded.run())

    while not turn.done():
        await asyncio.sleep(0)
        received.append(flooded.received)
        if flooded.received > ENOUGH:
            break

    # A chunk is handed over at once and read in slices, with a pause after each.
    assert len(received) > received[-1] / SLICE / 2
    turn.cancel()
    await turn
    assert flooded.received <= received[-1] + CHUNK


@pytest.mark.parametrize("name", FLOODS)
@in_a_loop
async def test_an_interrupt_ends_it_at_the_next_pause_and_keeps_what_came(name):
    flooded = Flooded(name)
    turn = asyncio.create_task(flooded.run())
    await flooded.until(ENOUGH, turn)
    before, was_over = flooded.received, turn.done()

    turn.cancel()
    for _ in range(50):  # closing takes some turns of the loop, and reads nothing more
        await asyncio.sleep(0)

    assert turn.done()
    assert flooded.received == before
    saved = flooded.record.snapshot()
    assert saved["status"] == ("interrupted" if not was_over else saved["status"])
    assert FLOODS[name][1] != FLOODS["comments"][1] or saved["blocks"][0]["text"] == "Well, "


@pytest.mark.parametrize("name", ANSWERED)
@in_a_loop
async def test_an_answer_without_an_end_is_incomplete_and_keeps_what_fits(name):
    flooded = Flooded(name)

    await flooded.run(Limits(answer_limit=1000))

    turn = flooded.record.snapshot()
    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "answer_limit")
    assert not blocks_of_type(turn["blocks"], "error")
    assert "1,000 characters (answer_limit)" in turn["blocks"][-1]["text"]
    said = "".join(block.get("text") or block["arguments"] for block in turn["blocks"][:-1])
    assert 1000 - len("f") <= len(said) <= 1000
    assert ANSWERED[name] in said
    assert flooded.received <= 4 * CHUNK


@pytest.mark.parametrize("name", FLOODS)
@in_a_loop
async def test_it_takes_no_more_than_three_times_its_size(name):
    await Flooded("text").run(Limits(answer_limit=1))  # imports
    flooded = Flooded(name)
    tracemalloc.start()
    try:
        turn = asyncio.create_task(flooded.run(Limits(answer_limit=100_000)))
        await flooded.until(300_000, turn)
        turn.cancel()
        await turn
        flooded.record.snapshot()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak <= 3 * flooded.received + 300_000


@pytest.mark.parametrize("status", [200, 400, 500])
@in_a_loop
async def test_an_error_without_an_end_is_an_error(status):
    flooded = Flooded("a page", status)

    turn = asyncio.create_task(flooded.run())
    await flooded.until(100 * CHUNK, turn)
    turn.cancel()
    await turn

    assert flooded.record.snapshot()["status"] == "error"
    assert flooded.received < 100 * CHUNK


@in_a_loop
async def test_a_flood_of_parts_is_bounded_too():
    flooded = Flooded("reasoning and text by turns")

    await flooded.run()

    turn = flooded.record.snapshot()
    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "answer_limit")
    assert len(turn["blocks"]) == 2001
