"""Context in which a magic runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgbook.display.turn_view import DisplayMode
from msgbook.engine import Conversation
from msgbook.errors import MsgbookError
from msgbook.notebook import Transcript


class UsageError(MsgbookError):
    """A magic was written incorrectly."""


@dataclass(frozen=True, slots=True)
class MagicContext:
    """Objects that a magic works on."""

    conversation: Conversation
    transcript: Callable[[], Awaitable[Transcript]]
    """Returns the cells above."""
    display: DisplayMode = field(default_factory=DisplayMode)
    """How turns are shown; a magic may change it."""
    mark: Callable[[Mapping[str, Any]], bool] | None = None
    """Sends a `cells.mark` message (docs/protocol.md) to the pages; returns whether a page is open."""
    source: str = ""
    """Source of the magic's cell."""
