"""The turn: its model and the Markdown derived from it.

The Markdown needs a parser, which takes as long to import as a fifth of a kernel's start; it is
imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgbook_format.turn.model import (
    TURN_MIME,
    TURN_VERSION,
    Block,
    Context,
    Turn,
    Usage,
    turn_of,
)
from msgbook_format.turn.steps import (
    answer_text,
    blocks_of_type,
    is_finished_call,
    match_results,
    step_positions,
)

if TYPE_CHECKING:
    from msgbook_format.turn.markdown.render import bundle, to_markdown, to_plain
    from msgbook_format.turn.markdown.safe import safe_markdown

__all__ = [
    "TURN_MIME",
    "TURN_VERSION",
    "Block",
    "Context",
    "Turn",
    "Usage",
    "answer_text",
    "blocks_of_type",
    "bundle",
    "is_finished_call",
    "match_results",
    "safe_markdown",
    "step_positions",
    "to_markdown",
    "to_plain",
    "turn_of",
]

_HOMES = {
    "bundle": "markdown.render",
    "to_markdown": "markdown.render",
    "to_plain": "markdown.render",
    "safe_markdown": "markdown.safe",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
