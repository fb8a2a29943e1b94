"""The notebook's Python as tools use it: over IPython, beside the cells."""

from __future__ import annotations

import asyncio
import inspect
import sys
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from IPython.core.display_trap import DisplayTrap

from msgbook.errors import ToolError
from msgbook.images import OUTPUT_IMAGE_TYPES
from msgbook.kernel.interrupt import InterruptibleKernel
from msgbook.kernel.python.capture import Capture
from msgbook.kernel.python.redirect import capturing
from msgbook.request.context.python_values import describe_value
from msgbook.request.context.sources import SourceError
from msgbook.tools.base import Content
from msgbook.tools.functions import Called
from msgbook.tools.tool_output import Pacer

_CLEAN_UP = 1.0
"""Seconds that awaited code has to clean up after an interrupt; then it is left to itself."""


class KernelNamespace:
    """Runs code and functions where the notebook's Python cells run, on the main thread.

    Neither is a cell: no number, no history entry, no output of its own.
    """

    def __init__(self, kernel: InterruptibleKernel) -> None:
        self._kernel = kernel
        self._shell = kernel.shell

    def lookup(self, name: str) -> Any:
        """What a name means.

        Raises:
            KeyError: Nothing.
        """
        return self._shell.user_ns[name]

    async def run(self, code: str, show: Callable[[str], None]) -> Content:
        """Run code and return what it printed and displayed, and its last expression's value.

        Raises:
            ToolError: It failed; with what it printed before and the traceback.
        """
        with self._capturing(show) as capture:
            try:
                result = await self._run_cell(code, capture)
            except KeyboardInterrupt:
                result = None
        error = result and (result.error_before_exec or result.error_in_exec)
        if result is None or isinstance(error, KeyboardInterrupt):
            await self._interrupted()
        if result is None or not result.success:
            raise ToolError(capture.text() or f"{type(error).__name__}: {error}")
        return capture.content()

    async def call(
        self,
        function: Callable[[], Any],
        show: Callable[[str], None],
        spell: Callable[[Any], Content],
    ) -> Called:
        """Call a function, and wait for what it returns if that can be awaited.

        Args:
            spell: Makes a result of it.
        """
        returned: Content | None = None
        error: BaseException | None = None
        with self._capturing(show) as capture:
            try:
                value = self._kernel.interruptible(function)
                if inspect.isawaitable(value):
                    value, error = await self._awaited(_outcome(value), capture)
                if error is None:
                    spelled = partial(self._spelled, value, capture, spell)
                    returned = self._kernel.interruptible(spelled)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:  # anybody's code: pytest's `skip` is no Exception
                error = raised
        if isinstance(error, KeyboardInterrupt):
            await self._interrupted()
        return Called(capture.content(), returned, error)

    async def describe(self, name: str) -> str:
        """A variable in words, for a reference. What its class prints meanwhile is dropped.

        Raises:
            SourceError: There is none, or its class does not let it be described.
        """
        try:
            value = self.lookup(name)
        except KeyError:
            words = "there is no such variable in the notebook; run the cell that defines it"
            raise SourceError(words) from None
        text, error = "", None
        with self._capturing(_show_nothing):
            try:
                text = self._kernel.interruptible(partial(describe_value, value))
            except BaseException as raised:
                error = raised
        if isinstance(error, KeyboardInterrupt):
            await self._interrupted()
        if error is not None:
            raise SourceError(f"it cannot be shown, since it raises {type(error).__name__}")
        return text

    def _spelled(
        self, value: Any, capture: Capture, spell: Callable[[Any], Content]
    ) -> Content | None:
        """What a function returned as a result; None where it is displayed, or nothing."""
        displayed = self._show_images(value, capture)
        return None if displayed or value is None else spell(value)

    def _show_images(self, value: Any, capture: Capture) -> bool:
        """Display the figures that are open, and a value that is an image; whether it is one."""
        self._shell.events.trigger("post_execute")
        if value is None or isinstance(value, str):
            return False
        data, _metadata = self._shell.display_formatter.format(value, include=OUTPUT_IMAGE_TYPES)
        if data and not capture.has_images:
            capture.display(data)
        return bool(data)

    def _capturing(self, show: Callable[[str], None]) -> AbstractContextManager[Capture]:
        return capturing(self._shell, show, lambda: self._kernel.interrupted)

    async def _run_cell(self, code: str, capture: Capture) -> Any:
        shell = self._shell
        problem = None
        try:
            transformed = shell.transform_cell(code)
        except Exception:
            transformed, problem = code, sys.exc_info()
        known = {"transformed_cell": transformed, "preprocessing_exc_tuple": problem}
        if not shell.should_run_async(code, **known):
            return self._kernel.interruptible(partial(shell.run_cell, code, store_history=False))
        result = None
        try:
            running = shell.run_cell_async(code, store_history=False, **known)
            result = await self._awaited(running, capture)
        finally:
            # What `run_cell` does itself; the figures of a plot are displayed here.
            shell.events.trigger("post_execute")
            shell.events.trigger("post_run_cell", result)
        return result

    async def _awaited(self, code: Coroutine[Any, Any, Any], capture: Capture) -> Any:
        """Wait for code; a cancellation of the caller ends it, and ours does not wait for long."""
        pacer = Pacer(capture.flush)
        task = asyncio.ensure_future(_stepwise(self._kernel, code, pacer.changed))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=_CLEAN_UP)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            if not task.done():
                self._forget_running()
            raise
        finally:
            pacer.stop()

    def _forget_running(self) -> None:
        """Give cells their displays back, of which code that goes on has taken hold."""
        self._shell.display_trap.unset()
        hook = self._shell.displayhook
        self._shell.display_trap = DisplayTrap(hook)  # type: ignore[no-untyped-call]

    async def _interrupted(self) -> None:
        """Let the cancellation come that follows an interrupt; code may also have made its own."""
        if self._kernel.interrupted:
            await asyncio.sleep(_CLEAN_UP)


def _show_nothing(text: str) -> None:
    pass


async def _outcome(value: Any) -> tuple[Any, BaseException | None]:
    """What awaited code returns, or raises: a task that raises `SystemExit` ends the event loop."""
    try:
        return await value, None
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        return None, error


async def _stepwise(
    kernel: InterruptibleKernel, code: Coroutine[Any, Any, Any], after_step: Callable[[], None]
) -> Any:
    return await _steps(kernel, code, after_step)


@types.coroutine
def _steps(
    kernel: InterruptibleKernel, code: Coroutine[Any, Any, Any], after_step: Callable[[], None]
) -> Generator[Any, Any, Any]:
    """Run a coroutine so that each of its steps, but no wait between them, is interruptible."""
    step: Callable[[], Any] = partial(code.send, None)
    cancelled = False

    def take_step() -> Any:
        # The cancellation of the turn has to wait for this step, so it is told already now.
        if kernel.interrupted and not cancelled:
            return code.throw(asyncio.CancelledError())
        return step()

    while True:
        try:
            waited = kernel.interruptible(take_step, begin=False)
        except StopIteration as end:
            return end.value
        except KeyboardInterrupt:
            if inspect.getcoroutinestate(code) == inspect.CORO_CLOSED:
                # It may not reach the event loop, which would end.
                raise asyncio.CancelledError from None
            # It came between two lines of ours; the code is still to be told.
            cancelled = True
            step = partial(code.throw, asyncio.CancelledError())
            continue
        finally:
            after_step()
        cancelled = cancelled or kernel.interrupted
        try:
            step = partial(code.send, (yield waited))
        except BaseException as error:
            cancelled = True
            step = partial(code.throw, error)
