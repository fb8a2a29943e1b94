"""Message files in nbconvert's own exporters."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from msgbook_format.errors import NotAMessageFile
from msgbook_format.stock_tools.names import describe_problem, named_resources


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
