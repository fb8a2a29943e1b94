"""Requests after failures: repeated, how often and after how long, or sent to the next model.

No request is repeated after the beginning of an answer: that part would arrive twice.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import replace

from msgbook.errors import ProviderError, Retry
from msgbook.events import ModelChosen, Notice, RetryWait, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.failures import UnknownModelError
from msgbook.provider.pace import Pace
from msgbook.provider.requested_waits import LONGEST_WAIT
from msgbook.text import excerpt, join_first, one_line, visible

RETRIES = 3

_FIRST_WAIT, _LAST_WAIT = 0.5, 8.0
"""Seconds between two requests unless the server states them; doubled each time up to the last."""

_STILL_LOADING = f"It was still loading after {LONGEST_WAIT / 60:.0f} minutes; run the cell again when it is ready."


class RetryingProvider:
    """Repeats the requests of another provider when that may help, and counts down while it waits.

    Args:
        sleep: Waits some seconds; returns true if the server is to be asked now.
        random: Returns a number from 0 to 1, so that clients do not all retry at once.
        pace: Of the server, which all its requests share; by default its own.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        sleep: Callable[[float], Awaitable[bool | None]],
        random: Callable[[], float],
        pace: Pace | None = None,
    ) -> None:
        self.name = provider.name
        self._pace = pace or Pace()
        self._provider = provider
        self._sleep = sleep
        self._random = random

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        tries = _Tries(self._random)
        waited_until = 0.0
        while True:
            try:
                async with (
                    self._pace.request(self._sleep, waited_until=waited_until),
                    aclosing(self._provider.stream(request)) as events,
                ):
                    async for event in events:
                        yield event
                return
            except ProviderError as error:
                asked = (error.retry.after if error.retry is not None else None) or 0.0
                waited_until = self._pace.hold(asked) if 0 < asked <= LONGEST_WAIT else 0.0
                waits = tries.after(error)
            async for wait in self._slept(waits):
                yield wait

    async def models(self) -> list[str]:
        return await self._provider.models()

    async def models_when_loaded(self, notify: Callable[[RetryWait], None]) -> list[str]:
        """Return the ids of the models, once the server has loaded the one that it runs.

        Args:
            notify: Gets the waits before the server is asked again.

        Raises:
            ProviderError: As `models`, or the server loads for too long.
        """
        tries = _Tries(self._random)
        while True:
            try:
                return await self._provider.models()
            except ProviderError as error:
                if error.retry is None or not error.retry.is_loading:
                    raise
                waits = tries.after(error)
            async for wait in self._slept(waits):
                notify(wait)

    async def _slept(self, waits: list[tuple[RetryWait, float]]) -> AsyncGenerator[RetryWait]:
        """Yield the waits, sleep after each, and yield their end."""
        for wait, seconds in waits:
            yield wait
            with self._pace.waiting(wait.seconds):
                is_ended = await self._sleep(seconds)
            if is_ended:
                break
        yield replace(wait, seconds=0)

    async def close(self) -> None:
        await self._provider.close()


class _Tries:
    """Counts the failures of one request, and decides how long to wait after each."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._failures = 0
        self._loading = 0
        self._left = LONGEST_WAIT

    def after(self, error: ProviderError) -> list[tuple[RetryWait, float]]:
        """Return the waits after a failure, at least one, each with the seconds to sleep.

        Raises:
            ProviderError: The error itself, or one that says why the request is not repeated.
        """
        retry = error.retry
        if retry is None:
            raise error
        if retry.after is not None and retry.after > LONGEST_WAIT:
            raise ProviderError(error.name, f"{error} {_too_long(retry.after)}") from None
        if retry.is_loading:
            return self._after_loading(error, retry)
        self._failures += 1
        if self._failures > RETRIES:
            raise error
        return [
            (RetryWait(self._failures, RETRIES, left, retry.reason), sleep)
            for left, sleep in _countdown(self._wait(self._failures, retry.after))
        ]

    def _after_loading(self, error: ProviderError, retry: Retry) -> list[tuple[RetryWait, float]]:
        self._loading += 1
        wait = min(self._wait(self._loading, retry.after), self._left)
        if wait <= 0:
            raise ProviderError(error.name, error.what, advice=_STILL_LOADING) from None
        rest = self._left = self._left - wait
        return [
            (RetryWait(self._loading, 0, rest + left, retry.reason), sleep)
            for left, sleep in _countdown(wait)
        ]

    def _wait(self, attempt: int, asked: float | None) -> float:
        if asked:
            return asked + self._random() / 2
        wait = min(_FIRST_WAIT * 2.0 ** (attempt - 1), _LAST_WAIT)
        return wait * (1 - self._random() / 4)


def _countdown(seconds: float) -> Iterator[tuple[float, float]]:
    """Yield the time that is left, now and at each whole second, and the time until the next of them."""
    while seconds > 0:
        following = math.ceil(seconds) - 1
        yield seconds, seconds - following
        seconds = following


def _too_long(seconds: float) -> str:
    if seconds < 7200:
        words = f"{math.ceil(seconds / 60)} minutes"
    else:
        words = f"{math.ceil(seconds / 3600)} hours" if math.isfinite(seconds) else "for ever"
    return f"It asks to wait {words}; run the cell again after that."


# Requests that go to the next model if the server does not know the one before.


_NAMED = 8
"""Most models that an error lists."""


class AlternativesProvider:
    """Asks for one model after the other until the server knows one, and stays with that one.

    Any other error ends the request: it may be the same for all models, or go away.

    Args:
        models: At least one, in the order in which they are asked. The model that a request names is ignored.
    """

    def __init__(self, provider: Provider, models: Sequence[str]) -> None:
        self.name = provider.name
        self._provider = provider
        self._models = models
        self._current = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        while True:
            asked = self._current
            model = self._models[asked]
            if asked:
                yield ModelChosen(model)
            try:
                answer = self._provider.stream(replace(request, model=model))
                async with aclosing(answer) as events:
                    async for event in events:
                        yield event
                return
            except UnknownModelError as error:
                if asked + 1 == len(self._models):
                    raise self._none_is_known(error) from None
                # Calls that run side by side may find out the same.
                if asked == self._current:
                    self._current += 1
                    yield self._notice(model, error)

    async def models(self) -> list[str]:
        return await self._provider.models()

    async def close(self) -> None:
        await self._provider.close()

    def _notice(self, model: str, error: UnknownModelError) -> Notice:
        said = f" It said: {visible(excerpt(error.said))}" if error.said else ""
        following = _shown(self._models[self._current])
        words = f"The server does not know the model {_shown(model)}; {following} is asked instead."
        return Notice(words + said, "warning")

    def _none_is_known(self, error: UnknownModelError) -> ProviderError:
        tried = join_first([_shown(model) for model in self._models], _NAMED)
        return ProviderError(error.name, f"The server knows none of the models {tried}. {error}")


def _shown(model: str) -> str:
    return visible(one_line(model, 100))


# The waits before a server is asked again, which a person can end.


_CELL: ContextVar[str | None] = ContextVar("CELL", default=None)
"""The cell whose turn waits. Tasks that the turn starts, such as those of its sub-agents, inherit it."""


class Waits:
    """Waits of all requests of one session.

    Args:
        sleep: Waits some seconds.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._open: dict[asyncio.Future[None], str | None] = {}

    def begin_turn(self, cell_id: str | None) -> None:
        """Note whose turn the running task begins."""
        _CELL.set(cell_id)

    async def sleep(self, seconds: float) -> bool:
        """Wait some seconds; return whether `end` was called meanwhile."""
        ended = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        self._open[ended] = _CELL.get()
        try:
            await asyncio.wait([ended, sleeping], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await sleeping
            return ended.done()
        finally:
            del self._open[ended]
            sleeping.cancel()

    def end(self, cell_id: str | None) -> bool:
        """End the waits of the turn of a cell now; return whether there was one.

        Call it in the event loop's thread.
        """
        waiting = [wait for wait, cell in self._open.items() if cell == cell_id and not wait.done()]
        for wait in waiting:
            wait.set_result(None)
        return bool(waiting)
