"""Repeated requests after failures: after which failures, how often, and after how long.

No request is repeated after the beginning of an answer: that part would arrive twice.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

from msgbook.errors import ProviderError, Retry
from msgbook.events import RetryWait, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.error_quirks import codes_of, error_message, find_error

RETRIES = 3

LONGEST_WAIT = 120.0
"""Seconds. If a server asks for a longer wait, or loads its model for longer, the turn ends with an error."""

_FIRST_WAIT, _LAST_WAIT = 0.5, 8.0
"""Seconds between two requests unless the server states them; doubled each time up to the last."""

_STILL_LOADING = f"It was still loading after {LONGEST_WAIT / 60:.0f} minutes; run the cell again when it is ready."

_SAID_WAIT = re.compile(
    r"\b(?:try again|retry) in ((?:[0-9]{1,6}(?:\.[0-9]{1,9})?(?:ms|[hms]))+)", re.IGNORECASE
)

_YEAR_2001 = 1e9
"""Seconds since 1970. A larger number in a header is a date, not a duration."""


class RetryingProvider:
    """Repeats the requests of another provider when that may help, and counts down while it waits.

    Args:
        sleep: Waits some seconds; returns true if the server is to be asked now.
        random: Returns a number from 0 to 1, so that clients do not all retry at once.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        sleep: Callable[[float], Awaitable[bool | None]],
        random: Callable[[], float],
    ) -> None:
        self.name = provider.name
        self._provider = provider
        self._sleep = sleep
        self._random = random

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        tries = _Tries(self._random)
        while True:
            try:
                async with aclosing(self._provider.stream(request)) as events:
                    async for event in events:
                        yield event
                return
            except ProviderError as error:
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
            if await self._sleep(seconds):
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


def may_retry(status: int, headers: Mapping[str, str], body: object) -> bool:
    """Return whether a request that got an HTTP error may succeed later."""
    hint = headers.get("x-should-retry")
    if hint in ("true", "false"):
        return hint == "true"
    if "insufficient_quota" in codes_of(find_error(body)):
        return False
    return status in (408, 409, 429) or status >= 500


def requested_wait(
    status: int,
    headers: Mapping[str, str],
    body: object,
    now: Callable[[], float] = time.time,
) -> float | None:
    """Return the seconds that the server asks to wait; None if it does not ask.

    An estimate of how long a model loads (Hugging Face) counts only if it is too long to wait for.

    Dates are relative to the server's clock if it states the time. OpenRouter sends no Retry-After, but
    the time at which its limit ends, in milliseconds, sometimes in the body. In a stream, only the words
    of the error say it.
    """
    sent = _date(headers.get("date"))
    clock = now() if sent is None else sent
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    until = _date(after)
    if until is None and status == 429:
        reset = _number(headers.get("x-ratelimit-reset")) or _number(_reset_in(body))
        if reset is not None and reset < _YEAR_2001:
            return reset
        until = reset and (reset / 1000 if reset > _YEAR_2001 * 100 else reset)
    if until is not None:
        return max(until - clock, 0.0)
    if status == 429:
        return _said_wait(error_message(find_error(body)))
    estimate = _number(body.get("estimated_time")) if isinstance(body, dict) else None
    return estimate if estimate and estimate > LONGEST_WAIT else None


def _said_wait(words: str) -> float | None:
    """Return the seconds that a message asks to wait, as OpenAI and Gemini write them: `7m12s`, `250ms`."""
    found = _SAID_WAIT.search(words)
    units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
    parts = re.findall(r"([0-9.]+)(ms|[hms])", found[1]) if found else []
    return sum(float(number) * units[unit] for number, unit in parts) if parts else None


def _reset_in(body: object) -> Any:
    for key in ("error", "metadata", "headers", "X-RateLimit-Reset"):
        body = body.get(key) if isinstance(body, dict) else None
    return body


def _number(value: Any) -> float | None:
    """Return a number from 0 on, possibly infinite; None for any other value."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number >= 0 else None


def _date(value: str | None) -> float | None:
    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (ValueError, OverflowError):
        return None


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
