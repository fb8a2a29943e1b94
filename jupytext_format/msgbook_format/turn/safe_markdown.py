"""Markdown of a model, made safe for every renderer."""

from __future__ import annotations

from msgbook_format.turn.escape import DANGER, html_block, visible


def safe_markdown(text: str) -> str:
    """The same text for the reader, without HTML, remote images and links that run something."""
    text = visible(text)
    return html_block(text) if DANGER.search(text) else text
