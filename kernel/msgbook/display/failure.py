"""The failure of a cell, and the `error` output that shows it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgbook.config import redact
from msgbook.errors import MsgbookError, ProviderError
from msgbook.text import controls_visible, one_line
from msgbook_format.turn import ERRORS, Turn

_log = logging.getLogger(__name__)


class Failure(NamedTuple):
    """Name and message of the error that a cell ended with."""

    name: str
    message: str
    """One line, without paths and keys."""


INTERRUPTED = Failure("KeyboardInterrupt", "The turn was interrupted.")


def turn_failure(turn: Turn) -> Failure | None:
    """Return why an ended turn failed; None if it did not."""
    if turn["status"] == "interrupted":
        return INTERRUPTED
    last = turn["blocks"][-1:]
    if last and last[0] in ERRORS:
        return Failure(last[0].get("name", "Error"), last[0].get("message", ""))
    return None


def failure_from_error(error: MsgbookError) -> Failure:
    """Return the failure for an error that the user can correct."""
    name = error.name if isinstance(error, ProviderError) else type(error).__name__
    return Failure(name, str(error))


def log_internal_error(error: Exception, secrets: Iterable[str]) -> Failure:
    """Log an internal error, and return it as a failure. Keys appear in neither."""
    secrets = list(secrets)
    _log.error("A cell failed\n%s", redact("".join(traceback.format_exception(error)), secrets))
    message = f"This is a bug in msgbook: {type(error).__name__}: {one_line(str(error), 200)}"
    return Failure("InternalError", redact(message, secrets))


def error_content(failure: Failure) -> dict[str, Any]:
    """Return the content of an `error` output.

    Its message may come from a server, so control characters are made visible.
    """
    name, message = controls_visible(failure.name), controls_visible(failure.message)
    return {"ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
