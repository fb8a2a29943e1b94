"""The tool `read`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval.roots import ApprovalRequest, ApprovalRequiredError, Roots
from msgbook.errors import MsgbookError, ToolError
from msgbook.images import IMAGE_LIMIT, data_url, image_type
from msgbook.text import counted, line_span
from msgbook.tools.files.documents import (
    DocumentError,
    is_notebook,
    is_pdf,
    read_notebook,
    read_pdf,
)
from msgbook.tools.files.opening import is_folder, list_entries, os_errors_as_tool_errors, read_file
from msgbook.tools.files.text import cut, decode

FILE_LIMIT = 50_000_000
"""Most bytes of a file that are read: as many as a kept result may have."""
SHOWN = 18_000
"""Characters that one call returns, without notes; results are cut at 20,000."""


def read(
    call: Call, path: str, start: int | None = None, end: int | None = None
) -> str | list[dict[str, Any]]:
    """Return the lines of a text file, the cells of a notebook, pages of a PDF, an image, or the names in a folder."""
    real = call.resolve_readable(path)
    name = call.roots.format_path(real)
    if is_folder(call.roots, real):
        return _listing(call, real)
    problem = ""
    if is_notebook(real):
        try:
            return _noted(*_lines(read_notebook(call.roots, real, here=True), start, end))
        except ToolError:
            raise
        except MsgbookError as error:
            problem = f"[not shown by cells: {error}]"
    data, status = read_file(call.roots, real, FILE_LIMIT)
    is_complete = len(data) == status.st_size or len(data) < FILE_LIMIT
    if is_complete:
        call.now_seen[str(real)] = hashlib.sha256(data).hexdigest()
    if is_pdf(data):
        del data
        return _pages(call, real, start, end)
    image = image_type(data)
    if image:
        return _image(data, image, name, status.st_size)
    file = decode(data, is_complete=is_complete)
    if file is None:
        raise ToolError(f"{name} is a binary file of {status.st_size} bytes.")
    del data
    notes = [problem, file.note]
    if not is_complete:
        begin = len(file.encode())
        notes.append(f"[only the first {begin} of {status.st_size} bytes were read]")
    text, rest = _lines(file.lines, start, end)
    return _noted(text, *notes, rest)


def _noted(text: str, *notes: str) -> str:
    shown = [note for note in notes if note]
    return "\n".join([text.removesuffix("\n"), *shown]) if shown else text


def _pages(call: Call, real: Path, start: int | None, end: int | None) -> str:
    try:
        pages = read_pdf(call.roots, real, start, end, SHOWN)
    except DocumentError as error:
        raise ToolError(f"{call.roots.format_path(real)} is a PDF: {error}.") from None
    more = (
        f"; go on with start={pages.last + 1}"
        if pages.last < min(end or pages.total, pages.total)
        else ""
    )
    which = (
        f"page {pages.first}"
        if pages.first == pages.last
        else f"pages {pages.first} to {pages.last}"
    )
    note = f"; {pages.note}" if pages.note else ""
    return _noted(pages.text, f"[{which} of {pages.total:,}{more}{note}]")


def _lines(text: str, start: int | None, end: int | None) -> tuple[str, str]:
    """Return the lines of a range, as many as are shown, and a note about the others."""
    if not text:
        return "(the file is empty)", ""
    if start is None and end is None and len(text) <= SHOWN:
        return text, ""
    count = text.removesuffix("\n").count("\n") + 1
    first, last = start or 1, min(end or count, count)
    if first > count or last < first:
        raise ToolError(f"The file has no {line_span(first, end or first)}; it has {count}.")
    begin = _line_begin(text, first - 1, 0)
    stop = _line_begin(text, last - first + 1, begin)
    wanted = text[begin:stop].removesuffix("\n")
    if len(wanted) <= SHOWN:
        return wanted, ""
    shown = cut(wanted, SHOWN, "").removesuffix("\n")
    shown_last = first + shown.count("\n")
    if wanted[len(shown)] != "\n":
        longer = len(wanted.partition("\n")[0]) - len(shown)
        rest, has = counted(longer, "character"), counted(count, "line")
        return shown, f"[line {first} goes on for {rest}; the file has {has}]"
    return shown, (
        f"[{line_span(first, shown_last)} of {count}; go on with start={shown_last + 1}, "
        "or look for something with grep]"
    )


def _line_begin(text: str, lines: int, begin: int) -> int:
    """Return the position of the line that comes so many lines after `begin`."""
    for _ in range(lines):
        begin = text.find("\n", begin) + 1
        if not begin:
            return len(text)
    return begin


def _listing(call: Call, folder: Path) -> str:
    with os_errors_as_tool_errors(call.roots, folder):
        found = list_entries(call.roots, folder)
    names = "\n".join(name + ("/" if kind == "folder" else "") for name, kind in found)
    return cut(names, SHOWN, f"[cut off: {len(found)} names in all; use glob]") or (
        "(the folder is empty)"
    )


def _image(data: bytes, kind: str, name: str, size: int) -> list[dict[str, Any]]:
    if size > IMAGE_LIMIT:
        raise ToolError(f"{name} is an image of {size} bytes; the limit is {IMAGE_LIMIT}.")
    return [
        {"type": "text", "text": f"{name}, {kind}, {size} bytes:"},
        {"type": "image_url", "image_url": {"url": data_url(kind, data)}},
    ]


# One call of a file tool, inside the worker.


class Call(NamedTuple):
    """Context of one call."""

    roots: Roots
    approved: ApprovalRequest | None = None
    """The approval request that was approved for this very call."""
    ripgrep: str | None = None
    """Path of ripgrep; None if there is none."""
    seen: Mapping[str, str] = {}
    """Digest of each file as this conversation last saw it, by real path."""
    now_seen: dict[str, str] = {}  # noqa: RUF012 - every call is given its own
    """Filled with the digests of the files that this call reads or writes."""

    def require(self, approval_request: ApprovalRequest | None) -> None:
        """Continue if no approval is needed, or if exactly this was approved.

        Raises:
            ApprovalRequiredError: It was not approved.
        """
        if approval_request not in (None, self.approved):
            raise ApprovalRequiredError(approval_request)

    def resolve_readable(self, path: str) -> Path:
        """Return the real path of an argument that may be read.

        Raises:
            ToolError: The text is not a path.
            ApprovalRequiredError: Reading it needs approval first.
        """
        real = self.roots.resolve(path)
        self.require(self.roots.check_read(real))
        return real

    def resolve_searchable(self, path: str) -> Path:
        """Return the real path of an argument that may be read, or of a folder that `is_searchable`."""
        real = self.roots.resolve(path)
        if not self.roots.is_searchable(real):
            self.require(self.roots.check_read(real))
        return real
