"""The tool `read`: a text file, whole or in part, or the names in a folder."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from msgbook.text import capped
from msgbook.tools.base import CallContext, Tool, ToolError, ToolFunction
from msgbook.tools.rights import Roots

_FILE_LIMIT = 20_000_000
"""Bytes of a file that are read at most."""


FilePath = Annotated[str, Field(description="File or folder, relative to the notebook's folder.")]
FirstLine = Annotated[int | None, Field(ge=1, description="First line to read, from 1.")]
LastLine = Annotated[int | None, Field(ge=1, description="Last line to read, included.")]


def read_tool(roots: Roots) -> Tool:
    """The tool `read`, free within the roots."""

    def bind(context: CallContext) -> ToolFunction:
        async def read(path: FilePath, start: FirstLine = None, end: LastLine = None) -> str:
            """Read a text file, or some of its lines, or list the names in a folder."""
            return await asyncio.to_thread(_read, roots, path, start, end, context.allowed is None)

        return read

    return Tool("read", bind, read_only=True)


def _read(roots: Roots, path: str, start: int | None, end: int | None, free: bool) -> str:
    real = roots.resolve(path)
    if free:
        roots.check_free(real)
    if real.is_dir():
        return _listing(real)
    descriptor = roots.open(real, free=free)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(_FILE_LIMIT)
        more = bool(file.read(1))
    text = _text(data, roots.name(real))
    if more:
        text += f"\n[only the first {_FILE_LIMIT} bytes were read]"
    return capped(_lines(text, start, end))


def _listing(folder: Path) -> str:
    try:
        with os.scandir(folder) as entries:
            names = sorted(
                e.name + ("/" if e.is_dir(follow_symlinks=False) else "") for e in entries
            )
    except OSError as error:
        raise ToolError(f"{folder.name}: {error.strerror}") from None
    return capped("\n".join(names) or "(the folder is empty)")


def _text(data: bytes, name: str) -> str:
    if b"\0" in data[:8192]:
        raise ToolError(f"{name} is a binary file of {len(data)} bytes.")
    return data.decode("utf-8-sig", "replace")


def _lines(text: str, start: int | None, end: int | None) -> str:
    if start is None and end is None:
        return text
    lines = text.removesuffix("\n").split("\n")
    first, last = start or 1, end or len(lines)
    if first > len(lines) or last < first:
        raise ToolError(f"There are no lines {first} to {last}; the file has {len(lines)}.")
    return "\n".join(lines[first - 1 : last])
