"""Output items of the Responses API while they are made, and usage under its keys."""

from __future__ import annotations

import base64
from typing import Any


def encrypted(text: str) -> str:
    """What stands for the reasoning that only the server can read."""
    return base64.b64encode(f"sealed: {text}".encode("utf-8", "replace")).decode()


class OutputItem:
    """An output item that is not complete."""

    def __init__(self, head: dict[str, Any], kind: str, index: int) -> None:
        self.id: str = head["id"]
        self.kind = kind
        self.index = index
        self.text = ""
        self.annotations: list[Any] = []
        self._head = head

    def where(self, **more: int) -> dict[str, Any]:
        """Return the keys of an event that say which part of the answer it is about."""
        return {"item_id": self.id, "output_index": self.index, **more}

    def content_part(self) -> dict[str, Any]:
        if self.kind == "refusal":
            return {"type": "refusal", "refusal": self.text}
        rest = {"annotations": list(self.annotations), "logprobs": []}
        return {"type": "output_text", "text": self.text, **rest}

    def endings(self) -> list[tuple[str, dict[str, Any]]]:
        """Return types and fields of the events before `output_item.done`."""
        if self.kind == "reasoning":
            part = {"type": "summary_text", "text": self.text}
            return [
                ("response.reasoning_summary_text.done", {"summary_index": 0, "text": self.text}),
                ("response.reasoning_summary_part.done", {"summary_index": 0, "part": part}),
            ]
        if self.kind == "function_call":
            named = {"name": self._head["name"], "arguments": self.text}
            return [("response.function_call_arguments.done", named)]
        part = self.content_part()
        said = {"refusal": self.text} if self.kind == "refusal" else {"text": self.text}
        said |= {} if self.kind == "refusal" else {"logprobs": []}
        return [
            (f"response.{self.kind}.done", {"content_index": 0, **said}),
            ("response.content_part.done", {"content_index": 0, "part": part}),
        ]

    def complete(self) -> dict[str, Any]:
        """Return the item as it stands at its end."""
        if self.kind == "reasoning":
            summary = [{"type": "summary_text", "text": self.text}]
            return {**self._head, "summary": summary, "encrypted_content": encrypted(self.text)}
        if self.kind == "function_call":
            return {**self._head, "arguments": self.text, "status": "completed"}
        return {**self._head, "content": [self.content_part()], "status": "completed"}


def as_usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the usage of a chat completion under the keys of this API."""
    if usage is None:
        return None
    asked, answered = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens", 0)
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": answered,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": asked + answered,
    }
