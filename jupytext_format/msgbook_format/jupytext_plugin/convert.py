"""A notebook between Jupytext and us: what Jupytext adds to its metadata stays out of the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbformat
from nbformat import NotebookNode

from msgbook_format import reads, writes
from msgbook_format.files import has_section

_from_dict: Callable[[Any], NotebookNode] = nbformat.from_dict
_SECTION_KEY = "message_section: true\n"


def read_text(text: str) -> NotebookNode:
    """The notebook in a text of our format."""
    return reads(text)


def write_text(nb: dict[str, Any], metadata: dict[str, Any], *, whole_file: bool) -> str:
    """The text of a notebook with Jupytext's `metadata` in place of its own; not in place.

    Unless all of the file is messages, it is one with a message section.
    """
    metadata = dict(metadata)
    jupytext = metadata.get("jupytext")
    if isinstance(jupytext, dict):
        metadata["jupytext"] = {
            key: value for key, value in jupytext.items() if key != "text_representation"
        }
    if not whole_file:
        metadata["msgbook"] = _with_section(metadata.get("msgbook"))
    return writes(_from_dict({**nb, "metadata": metadata}))


def _with_section(msgbook: Any) -> dict[str, Any]:
    ours = dict(msgbook) if isinstance(msgbook, dict) else {}
    user = ours.get("frontmatter")
    user = user if isinstance(user, str) else ""
    if not has_section(f"---\n{user}---\n"):
        ours["frontmatter"] = user + _SECTION_KEY
    return ours
