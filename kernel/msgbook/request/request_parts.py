"""A previewed request, part by part: what the command, a magic and the page list of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from msgbook.messages import Message, Part, content_parts
from msgbook.notebook import Cell, Transcript, source_of
from msgbook.provider import request_body
from msgbook.request.builder import Preview
from msgbook.request.history import SentRequest, SharedPrefix, history_of, kind_of, shared_prefix
from msgbook.request.token_estimates import estimate_text_tokens, estimate_tokens
from msgbook.text import without_data
from msgbook_format.syntax import CellRule, is_excluded, is_summary

PLACEHOLDER = "(your next prompt)"
"""Text of a prompt that has not been written yet."""

_SHOWN = {"role", "content", "tool_calls"}
"""Keys of a message that the listing formats itself."""

CellHistory = Literal["include", "exclude", "summary"]


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message of a request."""

    message: Message
    cell: int | None
    """Position of its cell; None for the system message."""
    tokens: int
    """An estimate."""
    kept: float
    """Share that the server may have kept from an earlier request, 0 to 1."""

    @property
    def role(self) -> str:
        """The role in the conversation."""
        return str(self.message["role"])

    @property
    def text(self) -> str:
        """The whole message for a person to read; sizes stand for the data of images."""
        return _format_message(self.message)


@dataclass(frozen=True, slots=True)
class KeptPrefix:
    """The beginning of a request that its server may have kept."""

    shared: SharedPrefix
    sent: SentRequest
    """The earlier request of this session that has the longest beginning in common."""


def transcript_of_next(transcript: Transcript) -> Transcript:
    """Return the transcript of a prompt that is to be written into a cell, or below a cell with text."""
    current = transcript.current
    if current is None or not source_of(current).strip():
        return transcript
    return replace(transcript, earlier=[*transcript.earlier, current], current=None)


def list_messages(preview: Preview, kept: KeptPrefix | None = None) -> list[RequestMessage]:
    """Return the messages of a request in their order."""
    request = preview.prepared.request
    rest = kept.shared.bytes if kept else 0
    listed = []
    for message, owner, encoded in zip(
        request.messages, request.owners, request.encoded, strict=True
    ):
        same = min(rest, len(encoded))
        rest -= same
        tokens = estimate_tokens([message])
        listed.append(RequestMessage(message, owner, tokens, same / len(encoded)))
    return listed


def count_tokens(preview: Preview) -> int:
    """Return an estimate for a request, without a placeholder."""
    request = preview.prepared.request
    total = estimate_tokens(request.messages, preview.body.tools)
    is_placeholder = preview.source == PLACEHOLDER
    return total - (estimate_text_tokens(PLACEHOLDER) if is_placeholder else 0)


def find_kept(preview: Preview, sent: Iterable[SentRequest]) -> KeptPrefix | None:
    """Return the longest beginning that a server may have kept; None if it can have kept nothing.

    Only requests to the same model with the same tools count.
    """
    active = preview.prepared.active_agent
    found = [
        KeptPrefix(shared_prefix(one.request, preview.prepared.request), one)
        for one in sent
        if one.model == active.model and list(one.tools) == list(active.tools.schemas)
    ]
    return max(found, key=lambda kept: kept.shared.bytes, default=None)


def cell_history(cell: Cell, cell_rule: CellRule) -> CellHistory | None:
    """Return which form of a cell is sent; None for a cell that is never sent."""
    if kind_of(cell, cell_rule) == "none" or not source_of(cell).strip():
        return None
    history = history_of(cell)
    if is_summary(history):
        return "summary"
    return "exclude" if is_excluded(history) else "include"


def body_of(preview: Preview) -> dict[str, Any]:
    """Return the body of a request as its server gets it; the model is None if it is not known."""
    body = request_body(preview.body, preview.prepared.active_agent.api)
    return body | {"model": preview.model}


def _format_message(message: Message) -> str:
    content = message.get("content") or ""
    lines = [*map(_format_part, content_parts(content))]
    lines += [
        f"[call {call['id']}: {call['function']['name']} {call['function']['arguments']}]"
        for call in message.get("tool_calls", ())
    ]
    others = (key for key in message if key not in _SHOWN)
    lines += [f"[{key}: {message[key]}]" for key in others]
    return without_data("\n".join(filter(None, lines)))


def _format_part(part: Part) -> str:
    """Return a text part, or the name of an image."""
    match part:
        case {"text": str(text)}:
            return text
        case {"type": "file"}:
            return f"[document: {part['file'].get('filename')}]"
        case {"image_url": {"url": str(url)}}:
            return f"[image: {url}]"
    return f"[{part.get('type')}]"
