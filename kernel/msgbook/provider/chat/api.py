"""The chat API, `POST /chat/completions`, as the provider for servers uses it: the body of a request, and its decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook.messages import ECHOED, Message
from msgbook.provider.base import Api, Request
from msgbook.provider.chat.decode import CompletionDecoder
from msgbook.provider.tool_call_pieces import with_unique_ids

STREAMING: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""Keys that ask for a streamed answer and its usage."""


def make_body(request: Request, streaming: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request. An option that is None is not sent, and no two calls have the same id.

    Args:
        streaming: Keys that ask for a streamed answer.
    """
    options = {key: value for key, value in request.options.items() if value is not None}
    tools = [*request.tools, *options.pop("tools", ())]
    messages = [*map(_sent, with_unique_ids(request.messages))]
    body: dict[str, Any] = {**options, "model": request.model, "messages": messages}
    if tools:
        body["tools"] = tools
    return {**body, **streaming}


def _sent(message: Message) -> Message:
    """Return the message without what only another API takes back."""
    if not any(key in message for key in ECHOED):
        return message
    return {key: value for key, value in message.items() if key not in ECHOED}


SERVER_TOOLS: dict[str, Any] = {"web_search": {"web_search_options": {}}}
"""Options that let the server use tools of its own."""

CHAT = Api("chat", "/chat/completions", {}, STREAMING, make_body, SERVER_TOOLS, CompletionDecoder)
