"""A coroutine whose steps can be interrupted while they compute.

An awaited cell or function alternates between waiting and computing. While it waits, cancelling its
task stops it, as in any asyncio program. While it computes, the event loop is blocked: nothing but
an exception in the code itself stops it. asyncio has no hook around the steps of a task. So
`run_in_steps` does what a task does, by `send` and `throw`, and makes each step through
`InterruptibleKernel.call_interruptibly`; what the coroutine waits for goes on to the real task.
"""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import Any

from msgbook.kernel.interrupt import InterruptibleKernel


async def run_in_steps(
    kernel: InterruptibleKernel, code: Coroutine[Any, Any, Any], after_step: Callable[[], None]
) -> Any:
    """Run a coroutine so that an interrupt stops each of its steps, and return its result."""
    return await _steps(kernel, code, after_step)


@types.coroutine
def _steps(
    kernel: InterruptibleKernel, code: Coroutine[Any, Any, Any], after_step: Callable[[], None]
) -> Generator[Any, Any, Any]:
    step: Callable[[], Any] = partial(code.send, None)
    cancelled = False

    def take_step() -> Any:
        nonlocal cancelled
        # The task is cancelled after this step at the earliest: let the code know now.
        if kernel.interrupted and not cancelled:
            cancelled = True
            return code.throw(asyncio.CancelledError())
        return step()

    while True:
        raised = kernel.times_raised
        try:
            waited = kernel.call_interruptibly(take_step, even_if_interrupted=True)
        except StopIteration as end:
            return end.value
        except KeyboardInterrupt:
            if inspect.getcoroutinestate(code) == inspect.CORO_CLOSED:
                # A KeyboardInterrupt that leaves a task would end the event loop.
                raise asyncio.CancelledError from None
            # It was raised between two lines of this function; the code has not seen it yet.
            cancelled = True
            step = partial(code.throw, asyncio.CancelledError())
            continue
        finally:
            after_step()
        # An interrupt that came after the step was not raised in it, and the task's own comes too late.
        cancelled = cancelled or kernel.times_raised > raised
        try:
            step = partial(code.send, (yield waited))
        except BaseException as error:
            cancelled = True
            step = partial(code.throw, error)
