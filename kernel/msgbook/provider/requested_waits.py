"""Another try after a failed answer, as the server describes it: whether it may succeed, and after how long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from msgbook.provider.error_quirks import codes_of, error_message, find_error
from msgbook_format.typed import as_dict

LONGEST_WAIT = 120.0
"""Seconds. If a server asks for a longer wait, or loads its model for longer, the turn ends with an error."""

_SAID_WAIT = re.compile(
    r"\b(?:try again|retry) in ((?:[0-9]{1,6}(?:\.[0-9]{1,9})?(?:ms|[hms]))+)", re.IGNORECASE
)

_YEAR_2001 = 1e9
"""Seconds since 1970. A larger number in a header is a date, not a duration."""


_LASTING = (501, 505, 506, 508, 510, 511)
"""Statuses of a server that say what it can do at no time."""


def may_retry(status: int, headers: Mapping[str, str], body: object) -> bool:
    """Return whether a request that got an HTTP error may succeed later."""
    hint = headers.get("x-should-retry")
    if hint in ("true", "false"):
        return hint == "true"
    if "insufficient_quota" in codes_of(find_error(body)):
        return False
    return status in (408, 409, 429) or (status >= 500 and status not in _LASTING)


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
        body = as_dict(body).get(key)
    return body


def _number(value: Any) -> float | None:
    """Return a number from 0 on, possibly infinite; None for any other value."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number >= 0 else None


def _date(value: str | None) -> float | None:
    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (ValueError, OverflowError):
        return None
