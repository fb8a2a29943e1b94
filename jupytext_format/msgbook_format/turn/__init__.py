"""The turn: its model and the Markdown derived from it."""

from msgbook_format.turn.markdown import bundle, to_markdown, to_plain
from msgbook_format.turn.model import (
    TURN_MIME,
    TURN_VERSION,
    Block,
    Context,
    Turn,
    Usage,
    turn_of,
)
from msgbook_format.turn.safe_markdown import safe_markdown

__all__ = [
    "TURN_MIME",
    "TURN_VERSION",
    "Block",
    "Context",
    "Turn",
    "Usage",
    "bundle",
    "safe_markdown",
    "to_markdown",
    "to_plain",
    "turn_of",
]
