"""What a turn or a magic failed with, as the one `error` output below its cell shows it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgbook.config import redact
from msgbook.text import controls_visible, one_line
from msgbook_format.turn import Turn

_log = logging.getLogger(__name__)


class Failure(NamedTuple):
    """Why a cell has no whole answer."""

    name: str
    words: str
    """One line, without paths and keys."""


INTERRUPTED = Failure("KeyboardInterrupt", "The turn was interrupted.")


def failure_of(turn: Turn) -> Failure | None:
    """What a finished turn failed with; None where it did not."""
    if turn["status"] == "interrupted":
        return INTERRUPTED
    last = turn["blocks"][-1:]
    if last and last[0]["type"] == "error":
        return Failure(last[0].get("name", "Error"), last[0].get("message", ""))
    return None


def fault(error: Exception, secrets: Iterable[str]) -> Failure:
    """What a fault of ours is shown as; the log is told all but the keys."""
    secrets = list(secrets)
    _log.error("A cell failed\n%s", redact("".join(traceback.format_exception(error)), secrets))
    words = f"This is a fault of msgbook: {type(error).__name__}: {one_line(str(error), 200)}"
    return Failure("InternalError", redact(words, secrets))


def error_content(failure: Failure) -> dict[str, Any]:
    """The keys of an `error` output; its words come from servers, too, and steer no terminal."""
    name, words = controls_visible(failure.name), controls_visible(failure.words)
    return {"ename": name, "evalue": words, "traceback": [f"{name}: {words}"]}
