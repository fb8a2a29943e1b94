"""The events of an answer that says `word ` again and again, over each API, as OpenAI and Anthropic send them."""

from __future__ import annotations

import json
from typing import Any

WORD = "word "
PATHS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/messages"}
"""Path of each API below the base URL."""


class ChatWords:
    """Over the chat API."""

    begin = b""

    def __init__(self) -> None:
        self.word = self.token(WORD)

    def token(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def words(self, _first: int, count: int) -> bytes:
        """So many words."""
        return self.word * count

    def end(self, _tokens: int) -> bytes:
        return self._chunk({}, "stop") + b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"


class ResponsesWords:
    """Over the Responses API."""

    _ID = f"msg_{'0' * 50}"

    def __init__(self) -> None:
        head = {"id": self._ID, "type": "message", "role": "assistant"}
        added = {**head, "status": "in_progress", "content": []}
        at = {"item_id": self._ID, "output_index": 0, "content_index": 0}
        self._head, self._at = head, at
        self.begin = b"".join(
            [
                self._event("created", 0, response=self._response("in_progress")),
                self._event("in_progress", 1, response=self._response("in_progress")),
                self._event("output_item.added", 2, output_index=0, item=added),
                self._event("content_part.added", 3, **at, part=self._part("")),
            ]
        )
        self.word = self.token(WORD)
        self._numbered = self.word.replace(b'"sequence_number": 1', b'"sequence_number": %d')

    def token(self, text: str) -> bytes:
        return self._event("output_text.delta", **self._at, delta=text, logprobs=[])

    def words(self, first: int, count: int) -> bytes:
        """So many words, the first of them numbered `first` + 4: four events are before all words."""
        return b"".join(self._numbered % number for number in range(first + 4, first + 4 + count))

    def end(self, tokens: int) -> bytes:
        text = WORD * tokens
        item = {**self._head, "status": "completed", "content": [self._part(text)]}
        response = {**self._response("completed"), "output": [item]}
        return b"".join(
            [
                self._event("output_text.done", tokens + 4, **self._at, text=text, logprobs=[]),
                self._event("content_part.done", tokens + 5, **self._at, part=self._part(text)),
                self._event("output_item.done", tokens + 6, output_index=0, item=item),
                self._event("completed", tokens + 7, response=response),
            ]
        )

    def _event(self, kind: str, number: int = 1, **fields: Any) -> bytes:
        data = {"type": f"response.{kind}", "sequence_number": number, **fields}
        return f"event: response.{kind}\ndata: {json.dumps(data)}\n\n".encode()

    def _part(self, text: str) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _response(self, status: str) -> dict[str, Any]:
        head = {"id": "resp_1", "object": "response", "created_at": 1, "status": status}
        rest = {"error": None, "incomplete_details": None, "usage": None, "output": []}
        return {**head, **rest, "model": "m", "tools": [], "tool_choice": "auto"}


class MessagesWords:
    """Over Anthropic's Messages API."""

    def __init__(self) -> None:
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
        ends = {"stop_reason": None, "stop_sequence": None}
        usage = {"input_tokens": 10, "output_tokens": 1}
        block = {"type": "text", "text": ""}
        self.begin = b"".join(
            [
                self._event("message_start", message={**head, **ends, "usage": usage}),
                self._event("content_block_start", index=0, content_block=block),
                self._event("ping"),
            ]
        )
        self.word = self.token(WORD)

    def token(self, text: str) -> bytes:
        delta = {"type": "text_delta", "text": text}
        return self._event("content_block_delta", index=0, delta=delta)

    def words(self, _first: int, count: int) -> bytes:
        """So many words."""
        return self.word * count

    def end(self, tokens: int) -> bytes:
        delta = {"stop_reason": "end_turn", "stop_sequence": None}
        usage = {"input_tokens": 10, "output_tokens": tokens}
        return b"".join(
            [
                self._event("content_block_stop", index=0),
                self._event("message_delta", delta=delta, usage=usage),
                self._event("message_stop"),
            ]
        )

    def _event(self, kind: str, **fields: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


Words = ChatWords | ResponsesWords | MessagesWords

_WORDS: dict[str, type[Words]] = {
    PATHS["responses"]: ResponsesWords,
    PATHS["anthropic"]: MessagesWords,
}


def words_of(path: str) -> Words:
    """The events of the API to which a path belongs."""
    found = (words for end, words in _WORDS.items() if path.endswith(end))
    return next(found, ChatWords)()
