"""How a server is asked: at its pace, again after failures that may pass, and without what it refuses.

No request is repeated after the beginning of an answer: that part would arrive twice.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from msgbook.errors import ProviderError, Retry
from msgbook.events import ModelChosen, Notice, RetryWait, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.failures import RefusedError, UnknownModelError
from msgbook.provider.pace import Pace
from msgbook.provider.requested_waits import LONGEST_WAIT
from msgbook.text import excerpt, join_first, one_line, visible

if TYPE_CHECKING:
    from msgbook.provider.adaptations import Adaptations, Fresh
    from msgbook.provider.refused_media import Adaptation

RETRIES = 3
"""Times that a request is sent again after an error that may pass, as the SDKs do it, and once more."""

TRIES = 10
"""Most adaptations that are tried for one request: a server that refuses more than ten things will refuse the next."""

_FIRST_WAIT, _LAST_WAIT = 0.5, 8.0
"""Seconds between two requests unless the server states them; doubled each time up to the last."""

_STILL_LOADING = f"It was still loading after {LONGEST_WAIT / 60:.0f} minutes; run the cell again when it is ready."

_NAMED = 8
"""Most models that an error lists."""

Sleep = Callable[[float], Awaitable[object]]
"""Waits some seconds; returns true if the server is to be asked now."""


class Asking:
    """Asks a server for the answers of one turn.

    - At the server's pace.
    - Again when that may help after a failure, which counts down while it waits.
    - Without what the server refuses.
    - For one model after the other until the server knows one, and then for that one. Any other error ends the
      request: it may be the same for all models, or go away.

    Args:
        learned: What the server is known to refuse; by default nothing.
        pace: Of the server, which all its requests share; by default its own.
        sleep: Waits before a request is repeated; None to repeat none.
        random: Returns a number from 0 to 1, so that clients do not all retry at once.
        models: Those to ask for, in this order, in place of the request's; empty for the request's.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        learned: Learned | None = None,
        pace: Pace | None = None,
        sleep: Sleep | None = None,
        random: Callable[[], float] = random.random,
        models: Sequence[str] = (),
    ) -> None:
        self.name = provider.name
        self.learned = learned or Learned(provider.name)
        self._provider = provider
        self._pace = pace or Pace()
        self._repeats = sleep is not None
        self._sleep = sleep or asyncio.sleep
        self._random = random
        self._models = models
        self._current = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        asked, tries, waited_until = self._current, _Tries(self._random), 0.0
        if self._models:
            request = replace(request, model=self._models[asked])
        if asked:
            yield ModelChosen(request.model)
        while True:
            try:
                async with (
                    self._pace.request(self._sleep, waited_until=waited_until),
                    aclosing(self._adapted(request)) as events,
                ):
                    async for event in events:
                        yield event
                return
            except ProviderError as error:
                failure = error
            try:
                waited_until, waits = self._hold(failure), self._waits(failure, tries)
            except UnknownModelError as error:
                if notice := self._leave(asked, error):
                    yield notice
                asked, tries, waited_until = self._current, _Tries(self._random), 0.0
                request = replace(request, model=self._models[asked])
                yield ModelChosen(request.model)
                continue
            async for wait in self._slept(waits):
                yield wait

    async def _adapted(self, request: Request) -> AsyncGenerator[StreamEvent]:
        """Yield the events of an answer; a request that is refused is changed and sent again.

        Each adaptation is tried once, `TRIES` in all, and none after the first event of an answer.
        """
        used: list[Adaptation] = []
        if self.learned.concern(request):
            request, used = self.learned.adaptations.adapted(request)
        first = request
        fresh: list[Fresh] = []
        tries = 0
        while True:
            begun = False
            try:
                async with aclosing(self._provider.stream(request)) as events:
                    async for event in events:
                        if not begun:
                            begun = True
                            for notice in self.learned.learn(request.model, fresh):
                                yield notice
                        yield event
                return
            except RefusedError as refusal:
                from msgbook.provider.adaptations import changed, find_adaptation, was_no_help
                from msgbook.provider.request_quirks import find_remedy

                if fresh and was_no_help(*fresh[-1], refusal, first):
                    fresh.pop()
                    request = changed(first, fresh)
                found = None if begun else find_adaptation(refusal, request, used, fresh)
                if found is None or tries == TRIES:
                    raise refusal.advised(find_remedy(refusal, request, self.name)) from None
                tries += 1
                fresh.append((found, refusal))
            used.append(found)
            request = found.change(request)

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

    def _hold(self, failure: ProviderError) -> float:
        """Let other requests wait as the server asks; return until when, 0 for no wait."""
        asked = (failure.retry.after if failure.retry is not None else None) or 0.0
        return self._pace.hold(asked) if 0 < asked <= LONGEST_WAIT else 0.0

    def _waits(self, failure: ProviderError, tries: _Tries) -> list[tuple[RetryWait, float]]:
        if not self._repeats:
            raise failure
        return tries.after(failure)

    def _leave(self, asked: int, error: UnknownModelError) -> Notice | None:
        """Go on to the next model; return what to say about it, if no other request has said it.

        Raises:
            ProviderError: There is no other.
        """
        if not self._models:
            raise error
        if asked + 1 == len(self._models):
            tried = join_first([_shown(model) for model in self._models], _NAMED)
            words = f"The server knows none of the models {tried}. {error}"
            raise ProviderError(error.name, words) from None
        if asked != self._current:  # calls that run side by side may find out the same
            return None
        self._current += 1
        said = f" It said: {visible(excerpt(error.said))}" if error.said else ""
        model, following = _shown(self._models[asked]), _shown(self._models[asked + 1])
        words = f"The server does not know the model {model}; {following} is asked instead."
        return Notice(words + said, "warning")


def _shown(model: str) -> str:
    return visible(one_line(model, 100))


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


class Learned:
    """What a server is known to refuse: nothing, until it has refused something.

    Args:
        name: Of the provider.
        takes_documents: Whether the server is known to take PDFs as documents. Else none is sent.
    """

    def __init__(self, name: str, *, takes_documents: bool = False) -> None:
        self._name = name
        self._takes_documents = takes_documents
        self._adaptations: Adaptations | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether the server has refused nothing yet."""
        return self._adaptations is None

    @property
    def adaptations(self) -> Adaptations:
        """Those that the server has made necessary."""
        if self._adaptations is None:
            from msgbook.provider.adaptations import Adaptations

            self._adaptations = Adaptations(self._name, takes_documents=self._takes_documents)
        return self._adaptations

    def concern(self, request: Request) -> bool:
        """Return False only if a request stays as it is: without content in parts, it has no documents."""
        return not self.is_nothing or not (
            self._takes_documents
            or not any(isinstance(m.get("content"), list) for m in request.messages)
        )

    def learn(self, model: str, fresh: Sequence[Fresh]) -> Sequence[Notice]:
        """Remember adaptations, and return the notices that were not shown yet."""
        return self.adaptations.learn(model, fresh) if fresh else ()
