"""The work of the file tools. A worker process runs it; the kernel reads files with the same functions.

Imports the standard library alone, so that a worker starts at once.
"""

from msgbook.tools.files.documents import (
    cells_of_notebook,
    is_notebook,
    is_pdf,
    read_notebook,
    read_pdf,
)
from msgbook.tools.files.opening import is_folder, list_entries, os_errors_as_tool_errors, read_file
from msgbook.tools.files.patterns import SKIPPED, matcher, walk
from msgbook.tools.files.text import TextFile, decode

__all__ = [
    "SKIPPED",
    "TextFile",
    "cells_of_notebook",
    "decode",
    "is_folder",
    "is_notebook",
    "is_pdf",
    "list_entries",
    "matcher",
    "os_errors_as_tool_errors",
    "read_file",
    "read_notebook",
    "read_pdf",
    "walk",
]
