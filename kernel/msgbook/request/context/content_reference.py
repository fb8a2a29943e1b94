"""The `<content_reference>` element: references and project rules as the model gets them, documents too.

It holds JSON (seed 003) with `rules` (if they are new or changed), `files` (key -> text) and `tools`.
The turn's context records digests of the texts. Later requests rebuild the element byte for byte
from that record and the blobs. A file that has not changed is not sent again.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from msgbook.approval import Roots
from msgbook.errors import MsgbookError, ToolError
from msgbook.messages import Part, content_parts, document_part, with_text_after
from msgbook.request.context.sources import EarlierTexts, ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.request.records import REPLAY_LIMIT, files_by_key, is_sent_in_full, valid_entries
from msgbook.text import repair_surrogates, sized
from msgbook.tools.files import TextFile, read_file, read_notebook, read_pdf

_END_TAG = re.compile(r"</(?=content_reference)", re.IGNORECASE)
_LEFT_OUT = "(left out: one prompt does not bring that much)"

LoadText = Callable[[str], str | None]
"""Returns the text with a sha256 in hex; None if it is gone."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool call that the prompt made with a reference."""

    name: str
    args: Any
    """The arguments as a JSON value."""
    result: str
    needed_approval: bool = False
    """As in `ReferencedText`."""


@dataclass(frozen=True, slots=True)
class ContextItems:
    """Texts of one prompt's context, in order."""

    rules: Mapping[str, str] | None = field(default_factory=dict)
    """All project rules in force: name and text, macros expanded. None to send no rules with this
    prompt."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Key and text of each referenced file, cell and Python variable."""
    tools: Sequence[ToolRun] = ()


class ContentReference(NamedTuple):
    """A `<content_reference>` element and the record from which it can be rebuilt."""

    text: str
    """Empty if there is nothing to send."""
    context: dict[str, Any]
    """For the turn's `context`: `rules`, `files`, `tools`, each only if the element has it."""
    blobs: dict[str, str]
    """Texts that `replay_content_reference` will load, by their sha256 in hex."""


def build_content_reference(
    previous: EarlierTexts | Iterable[Mapping[str, Any]],
    items: ContextItems,
    *,
    has_blob: Callable[[str], bool] = lambda digest: True,
) -> ContentReference:
    """Build the element for a prompt.

    Args:
        previous: Texts of the elements above in this request; or the contexts of their turns, in
            order. These are as saved, so any value may be of any type.
        has_blob: Returns whether a text is still kept. A text that is gone is sent again.
    """
    earlier = (
        previous if isinstance(previous, EarlierTexts) else EarlierTexts.from_contexts(previous)
    )
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        digest = _digest(text)
        blobs[digest] = text
        return digest

    context: dict[str, Any] = {}
    if items.rules is not None:
        rules = {repair_surrogates(n): repair_surrogates(text) for n, text in items.rules.items()}
        is_same = [(name, _digest(text)) for name, text in rules.items()] == earlier.rules
        if not is_same or not all(has_blob(digest) for _, digest in earlier.rules):
            context["rules"] = [{"name": n, "sha256": keep(t)} for n, t in rules.items()]
    files = []
    for key, text in items.files.items():
        text = repair_surrogates(text)
        entry = _file_record(earlier, repair_surrogates(key), _digest(text), has_blob)
        if "unchanged" not in entry:
            keep(text)
        files.append(entry)
    tools = [
        {
            "name": repair_surrogates(run.name),
            "args": _canonical(run.args),
            "sha256": keep(repair_surrogates(run.result)),
        }
        for run in items.tools
    ]
    context |= {"files": files} if files else {}
    context |= {"tools": tools} if tools else {}
    return ContentReference(replay_content_reference(context, blobs.get), context, blobs)


def replay_content_reference(context: Mapping[str, Any], load: LoadText) -> str:
    """Return the element that was sent with a turn, byte for byte; empty if there was none.

    A line stands for a text that is gone, and for a file with `"dropped": true`, which
    `history.drop_pruned_files` sets. Invalid entries are left out.
    """
    rules = valid_entries(context, "rules")
    files = files_by_key(context)
    tools = valid_entries(context, "tools")
    if not (files or tools or isinstance(context.get("rules"), list)):
        return ""

    room = REPLAY_LIMIT

    def text_of(entry: Mapping[str, Any]) -> str:
        nonlocal room
        text = load(entry["sha256"])
        if text is None:
            return _gone(entry["sha256"])
        room -= len(text)
        return text if room >= 0 else _LEFT_OUT

    body: dict[str, Any] = {}
    if isinstance(context.get("rules"), list):
        body["rules"] = [{"name": rule["name"], "content": text_of(rule)} for rule in rules]
    body["files"] = {
        key: text_of(file) if is_sent_in_full(file) else _not_repeated(file)
        for key, file in files.items()
    }
    body["tools"] = [
        {"name": run["name"], "args": _canonical(run.get("args")), "result": text_of(run)}
        for run in tools
    ]
    text = json.dumps(body, ensure_ascii=False, indent=1)
    return f"<content_reference>\n{_END_TAG.sub(_escaped, text)}\n</content_reference>"


def append_content_reference(content: str | list[Part], block: str) -> str | list[Part]:
    """Return a user message's content with the element at its end, in the text or as a last part."""
    return with_text_after(content, block, "\n\n") if block else content


def _file_record(
    earlier: EarlierTexts, key: str, digest: str, has_blob: Callable[[str], bool]
) -> dict[str, Any]:
    shown, version = earlier.shown.get(key, ("", 0))
    if shown == digest and has_blob(digest):
        return {"key": key, "sha256": digest, "version": version, "unchanged": True}
    return {"key": key, "sha256": digest, "version": earlier.number_of(key, digest)}


def _canonical(args: Any) -> Any:
    # A file may have saved the keys in another order.
    return json.loads(repair_surrogates(json.dumps(args, sort_keys=True)))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _not_repeated(file: Mapping[str, Any]) -> str:
    """Return the line that stands for a text of another element. A further `%prune` keeps it."""
    if file.get("dropped") is True:
        return f"(version {file['version']} was dropped by %prune; the newest copy is kept)"
    return f"(unchanged: version {file['version']} above)"


def _gone(digest: str) -> str:
    return f"(not kept: .msgbook/blobs/{digest} is gone; read it again if it matters)"


def _escaped(end_tag: re.Match[str]) -> str:
    # A JSON parser reads the same string, and the element does not end here.
    return end_tag[0].replace("/", "\\/")


# Notebooks and PDFs that references name: sent as cells, as a document, or as the text of pages.


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
        return "some of its bytes are not text; \ufffd stands for each"
    return (
        f"it is read as {file.codec}, which is a guess; expected UTF-8" if file.is_guessed else ""
    )


def notebook_of(roots: Roots, real: Path, cell: str = "", *, is_source: bool = False) -> str:
    """Return a notebook as text, or one of its cells; arguments as for `read_notebook`.

    Raises:
        NotReadableError: It is not a notebook, too large, or has no such cell.
        ToolError: It cannot be opened.
    """
    try:
        return read_notebook(roots, real, cell=cell, is_source=is_source)
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
    return [*content_parts(content), *parts]


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
