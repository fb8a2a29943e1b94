"""The first message of a sub-agent: text of a model, in which nothing but text has an effect. Pure."""

from __future__ import annotations

from msgbook.notebook import as_prompt
from msgbook.request import deactivate
from msgbook.text import one_line, repair_surrogates, visible

_NAME_LENGTH = 20


def name_of(prompt: str) -> str:
    """Return the name of a sub-agent: the beginning of its task, on one line, with dots if more follows."""
    line = one_line(prompt, _NAME_LENGTH + 1)
    dots = "..." if len(line) > _NAME_LENGTH else ""
    return visible(line[:_NAME_LENGTH]) + dots


def make_source(broadcast: str, prompt: str) -> str:
    """Return the source of a sub-agent's prompt cell, which never runs as code."""
    text = f"## Context Summary\n\n{broadcast}\n\n---\n\n{prompt}" if broadcast.strip() else prompt
    return as_prompt(deactivate(repair_surrogates(text)))
