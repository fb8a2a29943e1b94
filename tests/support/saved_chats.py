"""A small conversation in a file."""

from __future__ import annotations

from pathlib import Path

from msgbook.notebook.conversation_file import Document, create

CHAT = "# %% [^a]\n\none\n\n# %% [^b]\n\ntwo\n\n# %% [^c]\n\ntwo\n"
QUESTION = """\
# %% [^q1]

[^q1]: [markdown]

What is in `a.py`?

# %%% [^q1-1]

[^q1-1]: [assistant] model="m" n=1

It prints a.
"""
"""A prompt with its answer, as a merge has to keep them together."""
TURN = {"version": 1, "status": "done", "blocks": [{"type": "text", "step": 1, "text": "1"}]}
"""An answer."""


def saved_chat(path: Path) -> Path:
    """Write `CHAT` as what the name says, a text or a notebook; its path."""
    text = path.with_name("chat.msg.md")
    text.write_text(CHAT)
    if path != text:
        create(path, Document.read(text).notebook)
    return path
