"""What a line magic is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.display.console import DisplayMode
from msgbook.engine import Engine
from msgbook.errors import MsgbookError
from msgbook.notebook.transcript import Transcript


class UsageError(MsgbookError):
    """A magic was not written as it has to be."""


@dataclass(frozen=True, slots=True)
class MagicContext:
    """What a magic can see of where it runs."""

    engine: Engine
    transcript: Callable[[], Awaitable[Transcript]]
    """Asks for the cells above."""
    display: DisplayMode = field(default_factory=DisplayMode)
    """How turns are shown; a magic may change it."""
    mark: Callable[[Mapping[str, Any]], bool] | None = None
    """Sends a `cells.mark` (docs/protocol.md) to the pages; whether there was one to send it to."""
    source: str = ""
    """Source of the magic's cell."""


@dataclass(frozen=True, slots=True)
class Magic:
    """One line magic, which stands alone in its cell."""

    name: str
    """With its percent sign."""
    run: Callable[[MagicContext, Sequence[str]], Awaitable[str]]
    """Given the words behind the name, returns what is printed. Raises `MsgbookError`."""
    most_words: int | None = 0
    """How many words it takes at most; None for any number."""
