"""The events of one answer of Anthropic's Messages API, as its servers send them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from messages_sealed import sealed, signature_of

Event = dict[str, Any]

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""Types of errors by the status of their answer; any other is an `api_error`."""


def sse(events: Iterable[Event]) -> bytes:
    """Return events as Anthropic frames them: each has the name of its type."""
    framed = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
    return "".join(framed).encode()


def error_body(status: int, message: str, **more: Any) -> dict[str, Any]:
    """Return the body of an answer that refuses, or fails."""
    error = {"type": ERROR_TYPES.get(status, "api_error"), "message": message, **more}
    return {"type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}


class MessageStream:
    """Makes the events of one answer, block after block.

    A block that is open ends where another one begins. What the answer says so far is in `content`.

    Args:
        number: Of the answer; ids are made of it.
        usage: What is reported at the begin; nothing if it is None, as servers of others do it.
    """

    def __init__(self, model: str, number: int = 1, usage: Mapping[str, Any] | None = None) -> None:
        self.content: list[dict[str, Any]] = []
        """Blocks that have ended, as the next request has to repeat them."""
        self._model = model
        self._number = number
        self._usage = usage
        self._open: dict[str, Any] | None = None
        self._arguments = ""
        self._begun = 0

    @property
    def open_type(self) -> str:
        """Type of the block that is open; empty if there is none."""
        return self._open["type"] if self._open else ""

    def begin(self) -> Iterator[Event]:
        message: Event = {
            "id": f"msg_{self._number:024x}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "stop_details": None,
        }
        if self._usage is not None:
            message["usage"] = {**self._usage, "output_tokens": 1, "service_tier": "standard"}
        yield {"type": "message_start", "message": message}

    def text(self, piece: str, citations: Iterable[dict[str, Any]] = ()) -> Iterator[Event]:
        """Yield a piece of text, and what it cites: a text that cites is a block of its own."""
        if self.open_type != "text":
            yield from self.start({"type": "text", "text": ""})
        if piece:
            self._open["text"] += piece  # type: ignore[index]
            yield self._delta(type="text_delta", text=piece)
        for citation in citations:
            self._open.setdefault("citations", []).append(citation)  # type: ignore[union-attr]
            yield self._delta(type="citations_delta", citation=citation)

    def thinking(self, piece: str) -> Iterator[Event]:
        if self.open_type != "thinking":
            yield from self.start({"type": "thinking", "thinking": "", "signature": ""})
        if piece:
            self._open["thinking"] += piece  # type: ignore[index]
            yield self._delta(type="thinking_delta", thinking=piece)

    def redacted(self, hidden: str) -> Iterator[Event]:
        """Yield thinking that the server shows to nobody."""
        yield from self.start({"type": "redacted_thinking", "data": sealed(self._model, hidden)})

    def call(self, name: str, call_id: str = "", kind: str = "tool_use") -> Iterator[Event]:
        """Yield the begin of a call, of a tool of the server's own if its type says so."""
        made = f"{'srvtoolu' if kind == 'server_tool_use' else 'toolu'}_{self._number:08x}{self._begun:016x}"
        head = {"type": kind, "id": call_id or made, "name": name, "input": {}}
        yield from self.start(head)
        yield self._delta(type="input_json_delta", partial_json="")

    def arguments(self, piece: str) -> Iterator[Event]:
        """Yield a piece of the arguments of the call that is open."""
        self._arguments += piece
        yield self._delta(type="input_json_delta", partial_json=piece)

    def start(self, block: dict[str, Any]) -> Iterator[Event]:
        """Yield the end of the open block, and the begin of this one, which may be of any type."""
        yield from self.stop()
        self._open = dict(block)
        self._arguments = ""
        yield {"type": "content_block_start", "index": self._begun, "content_block": block}
        if not self._begun:
            yield {"type": "ping"}
        self._begun += 1

    def stop(self) -> Iterator[Event]:
        """Yield the end of the block that is open, if one is."""
        block = self._open
        if block is None:
            return
        if block["type"] == "thinking":
            block["signature"] = signature_of(self._model, block["thinking"])
            yield self._delta(type="signature_delta", signature=block["signature"])
        elif self._arguments:
            block["input"] = _read(self._arguments)
        yield {"type": "content_block_stop", "index": self._begun - 1}
        self.content.append(block)
        self._open = None

    def end(
        self, reason: str, usage: Mapping[str, Any] | None = None, **more: Any
    ) -> Iterator[Event]:
        """Yield the end of the answer.

        Args:
            usage: What is reported at the end.
            more: Further keys beside the reason.
        """
        yield from self.stop()
        delta = {"stop_reason": reason, "stop_sequence": None, **more}
        event: Event = {"type": "message_delta", "delta": delta}
        if usage is not None:
            event["usage"] = dict(usage)
        yield event
        yield {"type": "message_stop"}

    def _delta(self, **delta: Any) -> Event:
        return {"type": "content_block_delta", "index": self._begun - 1, "delta": delta}


def _read(arguments: str) -> Any:
    """Return the input that arguments say; they may have been cut."""
    try:
        return json.loads(arguments)
    except ValueError:
        return {}
