"""Table of contents of an exported conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from nbformat import NotebookNode

PROMPT = "msgbook_prompt"
"""Key of a prompt's cell metadata: its author, its title, its text as safe Markdown, its number."""

LONG = 8
"""Number of prompts from which on a conversation has a table of contents."""


class Entry(NamedTuple):
    """One line of a table of contents."""

    number: int
    """The prompt's number in the export, from 1."""
    words: str
    """Its title, or else its first words; plain text."""
    cell_id: str


def contents_of(harmless: NotebookNode) -> list[Entry]:
    """Return the table of contents of a harmless notebook; empty if the conversation is short."""
    prompts = [cell for cell in harmless.cells if PROMPT in cell.metadata]
    if len(prompts) < LONG:
        return []
    return [
        Entry(cell.metadata[PROMPT]["number"], cell.metadata[PROMPT]["words"], cell.id)
        for cell in prompts
    ]
