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
    named: dict[str, Any] = {}
    own = {key: value for key, value in options.items() if key not in _NAMES and value is not None}
    for key, path in _NAMES.items():
        if options.get(key) is None:
            continue
        value = _format(options[key]) if key == "response_format" else options[key]
        if len(path) == 1:
            named[path[0]] = value
        else:
            named.setdefault(path[0], {})[path[1]] = value
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(named.get(key), dict)
        named[key] = {**named[key], **value} if both else _choice(key, value)
    return named


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool. Without `strict` this API would demand each optional argument."""
    function = tool.get("function")
    return {"type": "function", **function, "strict": False} if function else tool


def _format(value: Any) -> Any:
    """Return a `response_format` of the chat API, whose schema stands one level deeper."""
    schema = value.get("json_schema") if isinstance(value, Mapping) else None
    return {"type": "json_schema", **schema} if isinstance(schema, Mapping) else value


def _choice(key: str, value: Any) -> Any:
    """Return an option. A `tool_choice` of the chat API names its function one level deeper."""
    function = (
        value.get("function") if key == "tool_choice" and isinstance(value, Mapping) else None
    )
    return {"type": "function", **function} if isinstance(function, Mapping) else value
