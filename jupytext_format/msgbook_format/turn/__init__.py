"""The turn: its model and the Markdown derived from it."""

from msgbook_format.turn.model import (
    TURN_MIME,
    TURN_VERSION,
    Block,
    Context,
    Turn,
    Usage,
    turn_of,
)

__all__ = ["TURN_MIME", "TURN_VERSION", "Block", "Context", "Turn", "Usage", "turn_of"]
