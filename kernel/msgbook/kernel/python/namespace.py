"""The notebook's Python as tools and references use it: on IPython's shell, but not as cells."""

from __future__ import annotations

import asyncio
import inspect
import sys
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from msgbook.errors import ToolError
from msgbook.images import OUTPUT_IMAGE_TYPES
from msgbook.kernel.interrupt import InterruptibleKernel
from msgbook.kernel.python.capture import Capture, CellCapture
from msgbook.kernel.python.redirect import capture_output
from msgbook.request import SourceError, describe_value
from msgbook.throttle import Throttle
from msgbook.tools import PIECE_INTERVAL, Called, Content, Display, RanCell, ignore_display

C = TypeVar("C", bound=Capture)

_CLEAN_UP_TIME = 1.0
"""Seconds that awaited code gets to clean up after an interrupt; nobody waits for it longer."""


class KernelNamespace:
    """Runs code and functions in the notebook's Python, on the main thread.

    But for `run_cell`, they are not cells: they get no execution count, no history entry and no output of their own.
    """

    def __init__(self, kernel: InterruptibleKernel) -> None:
        self._kernel = kernel
        self._shell = kernel.shell

    def lookup(self, name: str) -> Any:
        """Return the value of a variable.

        Raises:
            KeyError: There is no such variable.
        """
        return self._shell.user_ns[name]

    async def run(
        self, code: str, show: Callable[[str], None], display: Display = ignore_display
    ) -> Content:
        """Run code and return its output, with the value of its last expression.

        Args:
            display: Takes what a page draws of the output.

        Raises:
            ToolError: The code failed. The message is its output so far and the traceback.
        """
        capture = Capture(show)
        error = await self._run_captured(code, capture, display)
        if error:
            raise ToolError(capture.text() or error)
        return capture.content()

    async def run_cell(
        self, code: str, show: Callable[[str], None], display: Display = ignore_display
    ) -> RanCell:
        """Run the code of a cell of the notebook, which gets an execution count and a history entry.

        Args:
            display: Takes what a page draws of the output.
        """
        count = self._shell.execution_count
        capture = CellCapture(show)
        error = await self._run_captured(code, capture, display)
        content = capture.content() if not error else capture.text() or error
        return RanCell(content, capture.outputs(count), count, bool(error))

    async def _run_captured(self, code: str, capture: Capture, display: Display) -> str:
        """Run code and return the error that it ended with; empty for none."""
        with self._capture_output(capture):
            try:
                result = await self._run_code(code, capture)
            except KeyboardInterrupt:
                result = None
        for data in capture.displays():
            display(data)
        error = result and (result.error_before_exec or result.error_in_exec)
        if result is None or isinstance(error, KeyboardInterrupt):
            await self._await_cancellation()
        if result is not None and result.success:
            return ""
        return f"{type(error).__name__}: {error}"

    async def call(
        self,
        function: Callable[[], Any],
        show: Callable[[str], None],
        spell: Callable[[Any], Content],
        display: Display = ignore_display,
    ) -> Called:
        """Call a function, and await what it returns if that is awaitable.

        Args:
            spell: Makes a tool result from the function's value.
            display: Takes what a page draws of the output and of the value.
        """
        returned: Content | None = None
        error: BaseException | None = None
        with self._capture_output(Capture(show)) as capture:
            try:
                value = self._kernel.call_interruptibly(function)
                if inspect.isawaitable(value):
                    value, error = await self._await(_value_or_error(value), capture)
                if error is None:
                    show_or_spell = partial(self._show_or_spell, value, capture, spell)
                    returned = self._kernel.call_interruptibly(show_or_spell)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:  # not only Exception: see pytest's `skip`
                error = raised
        for data in capture.displays():
            display(data)
        if isinstance(error, KeyboardInterrupt):
            await self._await_cancellation()
        return Called(capture.content(), returned, error)

    async def describe(self, name: str) -> str:
        """Describe a variable for a reference. Output of its class's code is dropped.

        Raises:
            SourceError: There is no such variable, or its class raises an error.
        """
        try:
            value = self.lookup(name)
        except KeyError:
            words = "there is no such variable in the notebook; run the cell that defines it"
            raise SourceError(words) from None
        text, error = "", None
        with self._capture_output(Capture(_show_nothing)):
            try:
                text = self._kernel.call_interruptibly(partial(describe_value, value))
            except BaseException as raised:
                error = raised
        if isinstance(error, KeyboardInterrupt):
            await self._await_cancellation()
        if error is not None:
            raise SourceError(f"it cannot be shown, since it raises {type(error).__name__}")
        return text

    def _show_or_spell(
        self, value: Any, capture: Capture, spell: Callable[[Any], Content]
    ) -> Content | None:
        """Return a function's value as a result; None for no value, or one that was displayed."""
        is_displayed = self._display_images(value, capture)
        if value is not None and not isinstance(value, str | bytes):
            formatter = self._shell.display_formatter
            capture.draw(formatter.format(value, exclude=("text/plain", *OUTPUT_IMAGE_TYPES))[0])
        return None if is_displayed or value is None else spell(value)

    def _display_images(self, value: Any, capture: Capture) -> bool:
        """Display open figures, and a value that is an image. Return whether the value is one."""
        self._shell.events.trigger("post_execute")
        if value is None or isinstance(value, str):
            return False
        data, _metadata = self._shell.display_formatter.format(value, include=OUTPUT_IMAGE_TYPES)
        if data and not capture.has_images:
            capture.display(data)
        return bool(data)

    def _capture_output(self, capture: C) -> AbstractContextManager[C]:
        return capture_output(self._shell, capture, lambda: self._kernel.interrupted)

    async def _run_code(self, code: str, capture: Capture) -> Any:
        shell = self._shell
        problem = None
        try:
            transformed = shell.transform_cell(code)
        except Exception:
            transformed, problem = code, sys.exc_info()
        known = {"transformed_cell": transformed, "preprocessing_exc_tuple": problem}
        if not shell.should_run_async(code, **known):
            run_cell = partial(shell.run_cell, code, store_history=capture.is_cell)
            return self._kernel.call_interruptibly(run_cell)
        result = None
        try:
            running = shell.run_cell_async(code, store_history=capture.is_cell, **known)
            result = await self._await(running, capture)
        finally:
            # As `run_cell` does; on the first event, figures are displayed.
            shell.events.trigger("post_execute")
            shell.events.trigger("post_run_cell", result)
        return result

    async def _await(self, code: Coroutine[Any, Any, Any], capture: Capture) -> Any:
        """Await code and show its output meanwhile. A cancellation waits for it only shortly."""
        throttle = Throttle(capture.flush, lambda: PIECE_INTERVAL)
        task = asyncio.ensure_future(run_in_steps(self._kernel, code, throttle.schedule))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait({task}, timeout=_CLEAN_UP_TIME)
            raise
        finally:
            throttle.cancel()

    async def _await_cancellation(self) -> None:
        """Wait for the cancellation that follows an interrupt.

        Code may also raise a `KeyboardInterrupt` of its own: none follows then.
        """
        if self._kernel.interrupted:
            await asyncio.sleep(_CLEAN_UP_TIME)


def _show_nothing(text: str) -> None:
    pass


async def _value_or_error(value: Any) -> tuple[Any, BaseException | None]:
    """Await a value, and return an error instead of raising it.

    A task that raises `SystemExit` would end the event loop.
    """
    try:
        return await value, None
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        return None, error


# A coroutine whose steps can be interrupted while they compute.
#
# An awaited cell or function alternates between waiting and computing. While it waits, cancelling its
# task stops it, as in any asyncio program. While it computes, the event loop is blocked: nothing but
# an exception in the code itself stops it. asyncio has no hook around the steps of a task. So
# `run_in_steps` does what a task does, by `send` and `throw`, and makes each step through
# `InterruptibleKernel.call_interruptibly`; what the coroutine waits for goes on to the real task.


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
