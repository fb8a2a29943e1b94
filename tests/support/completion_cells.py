"""A folder, cells and names that can be completed."""

from __future__ import annotations

from pathlib import Path

from msgbook.approval import Roots
from msgbook.kernel.assist.prompt_scope import PromptScope
from msgbook.tools import Tool


async def read(path: str, start: int | None = None) -> str:
    """Read a file."""
    return path


READ = Tool("read", lambda _context: read)


def cell(source):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}


def prompt_scope(folder: Path, **known):
    cells = [
        cell("%%msg model=x\nWhat is 文?") | {"id": "a1"},
        cell("#define GOAL short") | {"id": "b2"},
        cell("no id"),
        cell("odd") | {"id": "a1]\u202e"},
        cell("odder") | {"id": ["a1"]},
        {},
    ]
    return PromptScope(
        Roots(folder),
        **{
            "cells": cells,
            "variables": ("table", "tail"),
            "models": lambda: ("gpt-5", "qwen3"),
            "magics": ("%model", "%models", "%time", "%%msg", "%%python"),
            **known,
        },
    )
