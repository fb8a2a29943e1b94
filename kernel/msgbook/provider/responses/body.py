"""The body of a request of the Responses API. Pure.

The notebook is the memory: the server stores nothing (`store`), and no request refers to an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook.provider.base import Request
from msgbook.provider.responses.items import input_items

OPTIONS: Mapping[str, Any] = {
    "include": ["reasoning.encrypted_content"],
    "reasoning_summary": "auto",
}
"""Options that make a model show its reasoning, and the server hand it out for the next step."""

STREAMING: Mapping[str, Any] = {"stream": True}
"""Keys that ask for a streamed answer. Its last event has the usage."""

_NAMES = {
    "max_tokens": ("max_output_tokens",),
    "max_completion_tokens": ("max_output_tokens",),
    "reasoning_effort": ("reasoning", "effort"),
    "reasoning_summary": ("reasoning", "summary"),
    "verbosity": ("text", "verbosity"),
    "response_format": ("text", "format"),
}
"""Where an option of the chat API stands in this one."""


def make_body(request: Request, streaming: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request.

    Options have their names of the chat API, or those of this API, which win. An option that is None
    is not sent.

    Args:
        streaming: Keys that ask for a streamed answer.
    """
    first = request.messages[:1]
    system = [message for message in first if message["role"] == "system"]
    options = _named_here(request.options)
    tools = [*map(_tool, request.tools), *options.pop("tools", ())]
    body: dict[str, Any] = {
        **options,
        "model": request.model,
        "input": input_items(request.messages[len(system) :]),
        "store": False,
    }
    if system:
        body["instructions"] = system[0]["content"]
    if tools:
        body["tools"] = tools
    return {**body, **streaming}


def _named_here(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options by their names in this API."""
    own = {key: _converted(key, value) for key, value in options.items() if value is not None}
    named: dict[str, Any] = {}
    for key, (*outer, inner) in _NAMES.items():
        if key in own:
            table = named.setdefault(outer[0], {}) if outer else named
            table[inner] = own.pop(key)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(named.get(key), dict)
        named[key] = {**named[key], **value} if both else value
    return named


def _converted(key: str, value: Any) -> Any:
    """Return the value of an option: the chat API has schemas and functions one level deeper."""
    if not isinstance(value, Mapping):
        return value
    schema, function = value.get("json_schema"), value.get("function")
    if key == "response_format" and isinstance(schema, Mapping):
        return {"type": "json_schema", **schema}
    if key == "tool_choice" and isinstance(function, Mapping):
        return {"type": "function", **function}
    return value


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool. Without `strict` this API would demand each optional argument."""
    function = tool.get("function")
    return {"type": "function", **function, "strict": False} if function else tool
