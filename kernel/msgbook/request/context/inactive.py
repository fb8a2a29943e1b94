"""Text of a model as a prompt: what only a person may write in one becomes plain text. Pure."""

from __future__ import annotations

from msgbook.request.context.macros import find_definitions
from msgbook.request.context.markdown_images import find_images
from msgbook.request.context.tags import find_tags

_PASSES = 5
"""Backslashes are tried so often; a text that resists gets blanks."""

_PYTHON = "py:"
_OPENERS = ("@[", "@{", "#define", "![")


def deactivate(text: str) -> str:
    """Return a text without definitions, references to tools and variables, and remote images.

    A backslash before each makes it plain text, now and whenever the prompt is run again. References
    to files stay: they are read under the rights of the agent that runs the prompt.
    """
    for _ in range(_PASSES):
        found = _active_parts(text)
        if not found:
            return text
        for position in sorted(found, reverse=True):
            text = f"{text[:position]}\\{text[position:]}"
    if _active_parts(text):
        for opener in _OPENERS:
            text = text.replace(opener, f"{opener[0]} {opener[1:]}")
    return text


def _active_parts(text: str) -> set[int]:
    """Return the positions at which a backslash makes plain text."""
    tags = find_tags(text).tags
    return {
        *(tag.start for tag in tags if tag.tool or tag.text.startswith(_PYTHON)),
        *(image.start for image in find_images(text) if image.is_remote),
        *find_definitions(text),
    }
