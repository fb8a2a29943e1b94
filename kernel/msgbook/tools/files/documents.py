"""Files that are read as what they show: notebooks by cells, PDFs by pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from msgbook.approval.roots import Roots
from msgbook.text import counted
from msgbook.tools.files.isolated import DocumentError, read_isolated
from msgbook.tools.files.opening import open_entry, open_place, os_errors_as_tool_errors
from msgbook.tools.files.pdfs import MAGIC

_NOTEBOOK = ".ipynb"
NOTEBOOK_LIMIT = 250_000_000
"""Bytes of a notebook that is read by cells."""
_HERE = 12_000_000
"""Bytes of a notebook that is read in this process: it takes less time than to start another one."""
INSTALL = 'pip install "msgbook[pdf]"'


class Pages(NamedTuple):
    """The text of a PDF's pages."""

    text: str
    first: int
    last: int
    total: int
    """Number of all pages."""
    note: str
    """What is missing, a sentence without end; empty for nothing."""


_BEFORE_PDF = b"\0\t\n\r\f \xef\xbb\xbf"
"""Bytes that servers leave before a document; readers of PDFs look past them."""


def is_notebook(real: Path) -> bool:
    """Return whether a name is that of a notebook."""
    return real.name.lower().endswith(_NOTEBOOK)


def is_pdf(begin: bytes) -> bool:
    """Return whether a file with this beginning is a PDF."""
    return begin[:1024].lstrip(_BEFORE_PDF).startswith(MAGIC)


def read_notebook(roots: Roots, real: Path, *, here: bool = False) -> str:
    """Return a notebook as text.

    Args:
        here: Whether this process may spend seconds on it.

    Raises:
        ToolError: There is no such file.
        MsgbookError: It is no notebook, or cannot be read within the limits.
    """
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        size = os.fstat(file.fileno()).st_size
        if size > NOTEBOOK_LIMIT:
            raise DocumentError(
                f"it has {size:,} bytes; notebooks of at most {NOTEBOOK_LIMIT:,} bytes are read by cells"
            )
        if not here and size > _HERE:
            return str(read_isolated("notebook", file.fileno())["text"])
        # Imported here: most calls read none.
        from msgbook.tools.files.notebooks import notebook_text

        return notebook_text(file.read(NOTEBOOK_LIMIT))


def read_pdf(roots: Roots, real: Path, first: int | None, last: int | None, limit: int) -> Pages:
    """Return the text of a PDF's pages, as many as fit into `limit` characters.

    Raises:
        ToolError: There is no such file.
        DocumentError: It cannot be read, or has no such pages.
    """
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        try:
            reply = read_isolated("pdf", file.fileno(), first=first, last=last, limit=limit)
        except DocumentError as error:
            if str(error) != "PDF_NEEDS_PYPDF":
                raise
            raise DocumentError(f"the text of PDFs needs another package: {INSTALL}") from None
    words = []
    count, begin, end = reply["count"], reply["first"], reply["last"]
    if reply["why"]:
        because = "reading more takes too long" if reply["why"] == "time" else "more is too long"
        words.append(f"only pages {begin} to {end} of {count:,}, since {because}")
    if reply["blank"] == end - begin + 1:
        words.append(
            f"{counted(reply['blank'], 'page')} without text, which may be pictures or scans"
        )
    return Pages(reply["text"], begin, end, count, "; ".join(words))


__all__ = ["DocumentError", "Pages", "is_notebook", "is_pdf", "read_notebook", "read_pdf"]
