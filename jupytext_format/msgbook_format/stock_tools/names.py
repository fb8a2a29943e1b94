"""Names of exported files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SHARED = (".md", ".ipynb")
"""Endings that conversations and other documents of the user have, too."""


def named_resources(resources: dict[str, Any] | None, extension: str) -> dict[str, Any]:
    """Return nbconvert's resources that call `chat.msg.md` `chat`, and so the file that is written.

    A file that may be the conversation itself, or another document of the user, is not replaced:
    the output is called `chat.nbconvert.md`, as nbconvert calls a notebook beside its source. A name
    that the user asked for is taken as given.
    """
    named: dict[str, Any] = dict(resources or {})
    metadata = dict(named.get("metadata") or {})
    name = metadata.get("name")
    if not isinstance(name, str):
        return named
    short = name.removesuffix(".msg")
    named["metadata"] = {**metadata, "name": short}
    asked_for = named.get("unique_key") not in (None, name)
    if not asked_for and extension in SHARED:
        folder = metadata.get("path")
        folder = Path(folder) if isinstance(folder, str) else None
        if folder is not None and (folder / f"{short}{extension}").exists():
            short += ".nbconvert"
    for key in ("unique_key", "output_files_dir"):
        if isinstance(named.get(key), str):
            named[key] = named[key].replace(name, short, 1)
    return named


def describe_problem(name: str, error: Exception) -> str:
    """Return why a file cannot be exported, with its name once."""
    return f"{name} cannot be exported: {str(error).removeprefix(f'{name}: ')}"
