"""The chunks of a scripted chat answer as the events of the Responses API, as OpenAI sends them.

Reasoning becomes the summary of a reasoning item with encrypted content, each call an item with an id
of its own (`fc_`) beside its call id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from responses_output import OutputItem, as_usage

Event = dict[str, Any]

_REASONING_KEYS = ("reasoning_content", "reasoning")
_COMPLETE_REASONS = ("stop", "tool_calls", "function_call")
_INCOMPLETE_REASONS = {"length": "max_output_tokens"}


def sse(events: Iterable[Event | str]) -> bytes:
    """Return events as OpenAI frames them: those of the Responses API have names."""
    framed = []
    for event in events:
        name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
        data = event if isinstance(event, str) else json.dumps(event)
        framed.append(f"{name}data: {data}\n\n")
    return "".join(framed).encode()


class ChatEvents:
    """The chunks of one answer as they are."""

    def begin(self) -> Iterable[Event]:
        return ()

    def feed(self, chunk: dict[str, Any]) -> Iterable[Event]:
        return (chunk,)

    def end(self, done: bool) -> Iterable[str]:
        return ("[DONE]",) if done else ()


class ResponseEvents:
    """Makes the events of one answer from its chunks.

    Args:
        request: The body that is answered.
        number: Of the answer; ids are made of it.
    """

    def __init__(self, request: dict[str, Any], number: int) -> None:
        self._request = request
        self._number = number
        self._output: list[dict[str, Any]] = []
        self._open: OutputItem | None = None
        self._calls: dict[Any, OutputItem] = {}
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._model = request.get("model")
        self._sent = 0
        self._begun = self._ended = False

    def begin(self) -> Iterator[Event]:
        """Yield what comes before the first item."""
        for name in ("created", "in_progress"):
            yield self._event(f"response.{name}", response=self._response("in_progress"))

    def feed(self, chunk: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of one chunk."""
        self._begun = True
        self._usage = chunk.get("usage") or self._usage
        self._model = chunk.get("model") or self._model
        if "error" in chunk:
            yield from self._failure(chunk["error"])
        for choice in chunk.get("choices", ()):
            yield from self._delta(choice.get("delta") or {})
            if reason := choice.get("finish_reason"):
                self._finish = reason
                yield from self._close()

    def end(self, done: bool) -> Iterator[Event]:
        """Yield the end of the answer if it has a finish reason and no end yet.

        Args:
            done: Whether it ends without a finish reason, too, once something was said.
        """
        if self._ended or not (self._finish or (done and self._begun)):
            return
        self._ended = True
        yield from self._close()
        reason = self._finish or "stop"
        if reason in _COMPLETE_REASONS:
            yield self._event("response.completed", response=self._response("completed"))
        else:
            details = {"reason": _INCOMPLETE_REASONS.get(reason, reason)}
            response = {**self._response("incomplete"), "incomplete_details": details}
            yield self._event("response.incomplete", response=response)

    def _delta(self, delta: dict[str, Any]) -> Iterator[Event]:
        for key in _REASONING_KEYS:
            if delta.get(key):
                yield from self._reasoning(delta[key])
                break
        content = delta.get("content")
        if content or delta.get("annotations"):
            yield from self._text(content or "", delta.get("annotations", ()))
        if delta.get("refusal"):
            yield from self._refusal(delta["refusal"])
        for piece in delta.get("tool_calls", ()):
            yield from self._call(piece)

    def _reasoning(self, text: str) -> Iterator[Event]:
        item = self._open
        if item is None or item.kind != "reasoning":
            item = yield from self._add({"type": "reasoning", "id": self._id("rs"), "summary": []})
            part = {"type": "summary_text", "text": ""}
            where = {"item_id": item.id, "output_index": item.index, "summary_index": 0}
            yield self._event("response.reasoning_summary_part.added", **where, part=part)
        item.text += text
        yield self._event(
            "response.reasoning_summary_text.delta", **item.where(summary_index=0), delta=text
        )

    def _text(self, text: str, annotations: Any) -> Iterator[Event]:
        item = yield from self._message("output_text")
        item.text += text
        if text:
            where = item.where(content_index=0)
            yield self._event("response.output_text.delta", **where, delta=text, logprobs=[])
        for annotation in annotations:
            where = item.where(content_index=0, annotation_index=len(item.annotations))
            item.annotations.append(annotation)
            yield self._event(
                "response.output_text.annotation.added", **where, annotation=annotation
            )

    def _refusal(self, text: str) -> Iterator[Event]:
        item = yield from self._message("refusal")
        item.text += text
        yield self._event("response.refusal.delta", **item.where(content_index=0), delta=text)

    def _message(self, part: str) -> Any:
        """Yield the begin of a message whose content is one part, unless it is open already."""
        item = self._open
        if item is None or item.kind != part:
            head = {"type": "message", "id": self._id("msg"), "status": "in_progress"}
            item = yield from self._add({**head, "role": "assistant", "content": []}, part)
            empty = item.content_part()
            where = item.where(content_index=0)
            yield self._event("response.content_part.added", **where, part=empty)
        return item

    def _call(self, piece: dict[str, Any]) -> Iterator[Event]:
        function = piece.get("function") or {}
        key = piece.get("index", piece.get("id"))
        item = self._calls.get(key)
        if item is None or (function.get("name") and item is not self._open):
            head = {"type": "function_call", "id": self._id("fc"), "status": "in_progress"}
            head |= {"call_id": piece["id"]} if "id" in piece else {}
            head |= {"name": function.get("name", ""), "arguments": ""}
            head |= {k: v for k, v in piece.items() if k not in ("index", "id", "type", "function")}
            item = self._calls[key] = yield from self._add(head)
        elif item is not self._open:
            raise ValueError(f"a piece of a call whose item has ended: {piece}")
        if arguments := function.get("arguments"):
            item.text += arguments
            yield self._event(
                "response.function_call_arguments.delta", **item.where(), delta=arguments
            )

    def _failure(self, error: Any) -> Iterator[Event]:
        error = error if isinstance(error, dict) else {"message": str(error)}
        message, code = error.get("message", ""), error.get("code")
        # An error with a type of its own comes nested, whatever the documentation says.
        flat = {"code": code, "message": message, "param": None}
        yield self._event("error", **({"error": error} if "type" in error else flat))
        if code is not None:
            told = {"error": {"code": code, "message": message}}
            yield self._event("response.failed", response={**self._response("failed"), **told})
        self._ended = True

    def _add(self, head: dict[str, Any], kind: str = "") -> Any:
        """Yield the end of the open item and the begin of another one, which is returned."""
        yield from self._close()
        self._open = OutputItem(head, kind or head["type"], len(self._output))
        yield self._event(
            "response.output_item.added", output_index=self._open.index, item=dict(head)
        )
        return self._open

    def _close(self) -> Iterator[Event]:
        """Yield the end of the open item."""
        item, self._open = self._open, None
        if item is None:
            return
        for kind, fields in item.endings():
            yield self._event(kind, **item.where(**fields))
        done = item.complete()
        self._output.append(done)
        yield self._event("response.output_item.done", output_index=item.index, item=done)

    def _event(self, kind: str, **fields: Any) -> Event:
        event = {"type": kind, "sequence_number": self._sent, **fields}
        self._sent += 1
        return event

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{self._number:04x}{len(self._output):04x}"

    def _response(self, status: str) -> dict[str, Any]:
        request = self._request
        return {
            "id": f"resp_{self._number:08x}",
            "object": "response",
            "created_at": 1,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": request.get("instructions"),
            "model": self._model,
            "output": list(self._output),
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "store": request.get("store", True),
            "tool_choice": "auto",
            "tools": request.get("tools", []),
            "usage": as_usage(self._usage) if status in ("completed", "incomplete") else None,
        }
