"""Notebooks and PDFs that references name: sent as cells, as a document, or as the text of pages."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from msgbook.approval import Roots
from msgbook.errors import MsgbookError, ToolError
from msgbook.messages import Part, document_part
from msgbook.request.context.content_reference import LoadText
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.request.records import files_by_key, is_sent_in_full, valid_entries
from msgbook.text import sized
from msgbook.tools.files import TextFile, read_file, read_notebook, read_pdf

DOCUMENT_LIMIT = 20_000_000
"""Bytes of a PDF that is sent as a document: OpenAI takes 50 MB of all files, in Base64."""
PDF_URL = "data:application/pdf;base64,"
_PAGES_LIMIT = 190_000
"""Characters of the pages of a PDF: a little less than of an item, so that no page is cut in the middle."""


class NotReadableError(MsgbookError):
    """A notebook that is not sent by cells; the message says why."""


def guess_note(file: TextFile) -> str:
    """Return a note about an encoding that was guessed, or about lost bytes; empty if all is certain."""
    if file.is_damaged:
        return "some of its bytes are no text; \ufffd stands for each"
    return (
        f"it is read as {file.codec}, which is a guess; expected UTF-8" if file.is_guessed else ""
    )


def notebook_of(roots: Roots, real: Path) -> str:
    """Return a notebook as text.

    Raises:
        NotReadableError: It is no notebook, or too large.
        ToolError: It cannot be opened.
    """
    try:
        return read_notebook(roots, real)
    except ToolError:
        raise
    except MsgbookError as error:
        raise NotReadableError(str(error)) from None


def document_url(data: bytes) -> str:
    """Return a PDF as it is sent and kept."""
    return PDF_URL + base64.b64encode(data).decode("ascii")


def document_words(url: str) -> str:
    """Return the text that stands for a document among the files of a message."""
    size = sized((len(url) - len(PDF_URL)) * 3 // 4)
    return f"(PDF document, {size}, sha256 {sha256(url.encode()).hexdigest()[:16]}: attached to the message)"


def with_documents(
    content: str | list[Part], context: Mapping[str, Any], load: LoadText
) -> str | list[Part]:
    """Return a prompt's content with the documents that a context records, behind its text and images. Pure.

    One that `%prune` dropped, or whose data are gone, is only named among the files.
    """
    files = files_by_key(context)
    parts = []
    for entry in valid_entries(context, "documents"):
        key = entry["key"]
        url = load(entry["sha256"]) if key not in files or is_sent_in_full(files[key]) else None
        # The record may name any text that is kept.
        if url is not None and url.startswith(PDF_URL):
            parts.append(document_part(PurePosixPath(key).name or key, url))
    if not parts:
        return content
    before = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [*before, *parts]


def read_pdf_reference(
    roots: Roots, real: Path, pages: Lines | None, *, as_document: bool
) -> ReferencedText:
    """Return a PDF: the document if the model takes one and all of it is wanted, else the text of its pages.

    Raises:
        SourceError: Its text cannot be read.
    """
    note = ""
    if as_document and pages is None:
        data, _ = read_file(roots, real, DOCUMENT_LIMIT + 1)
        if len(data) <= DOCUMENT_LIMIT:
            url = document_url(data)
            return ReferencedText(document_words(url), "literal", document=url)
        note = (
            f"its text is sent, since documents of at most {sized(DOCUMENT_LIMIT)} are sent as such"
        )
    first, last = pages or (None, None)
    try:
        found = read_pdf(roots, real, first, last, _PAGES_LIMIT)
    except ToolError:
        raise
    except MsgbookError as error:
        raise SourceError(str(error)) from None
    notes = [words for words in (note, found.note) if words]
    if found.last < min(last or found.total, found.total):
        notes.append(f"for the next ones, write @[{real.name}:{found.last + 1}:{found.last * 2}]")
    return ReferencedText(found.text, "literal", "; ".join(notes))
