"""Steps of a coroutine: each interrupt reaches the code once, whenever it comes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from msgbook.kernel.python.namespace import run_in_steps


class Kernel(SimpleNamespace):
    """What a step asks of the kernel."""

    def call_interruptibly(self, code: Any, *, even_if_interrupted: bool) -> Any:
        return code()


def stopped(code: Any, kernel: Any, after_step: Any) -> str:
    """Run a coroutine in steps; how it ended."""
    try:
        asyncio.run(run_in_steps(kernel, code, after_step))
    except asyncio.CancelledError:
        return "cancelled"
    return "done"


def test_an_interrupt_between_two_steps_stops_code_that_would_compute_next():
    kernel, ran = Kernel(interrupted=False, times_raised=0), []

    async def code() -> None:
        await asyncio.sleep(0)
        ran.append("on")

    def after_step() -> None:
        kernel.interrupted = True

    assert (stopped(code(), kernel, after_step), ran) == ("cancelled", [])


def test_an_interrupt_that_was_raised_in_a_step_and_caught_is_not_thrown_again():
    kernel, ran = Kernel(interrupted=False, times_raised=0), []

    async def code() -> None:
        kernel.interrupted, kernel.times_raised = True, 1
        await asyncio.sleep(0)
        ran.append("cleaned up")

    assert (stopped(code(), kernel, lambda: None), ran) == ("done", ["cleaned up"])


def test_code_that_catches_an_interrupt_between_two_steps_goes_on_with_its_end():
    kernel, ran = Kernel(interrupted=False, times_raised=0), []

    async def code() -> None:
        try:
            await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0)
            ran.append("cleaned up")

    def after_step() -> None:
        kernel.interrupted = True

    assert (stopped(code(), kernel, after_step), ran) == ("cancelled", ["cleaned up"])
