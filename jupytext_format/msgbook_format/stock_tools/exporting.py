"""Message files in nbconvert's own exporters."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from msgbook_format.errors import NotAMessageFile


def teach_nbconvert() -> None:
    """Teach all exporters of nbconvert to read message files, once."""
    from nbconvert.exporters.exporter import Exporter

    original = Exporter.from_file
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def from_file(
        self: Any, file_stream: Any, resources: dict[str, Any] | None = None, **kw: Any
    ) -> Any:
        notebook = _read(str(getattr(file_stream, "name", "")))
        if notebook is None:
            return original(self, file_stream, resources=resources, **kw)
        named = named_resources(resources, self.file_extension or "")
        return self.from_notebook_node(notebook, resources=named, **kw)

    Exporter.from_file = from_file  # type: ignore[method-assign]


def _read(name: str) -> Any:
    """Return the notebook in a message file; None for any other file.

    Raises:
        ConversionException: The file cannot be read.
    """
    if not name.endswith(".md"):
        return None
    from nbconvert.utils.exceptions import ConversionException
    from nbformat import from_dict

    from msgbook_format.files import read_file

    try:
        return from_dict(read_file(Path(name)))
    except NotAMessageFile:
        return None
    except (ValueError, OSError, RecursionError) as error:
        raise ConversionException(describe_problem(name, error)) from None


# Names of exported files.


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
