"""The APIs by name. Only that of a server that is asked is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgbook.messages import ApiName
from msgbook.provider.base import Api, Request


def find_api(name: ApiName) -> Api:
    """Return an API."""
    if name == "chat":
        from msgbook.provider.chat.api import CHAT

        return CHAT
    if name == "anthropic":
        from msgbook.provider.anthropic.api import ANTHROPIC

        return ANTHROPIC
    from msgbook.provider.responses.api import RESPONSES

    return RESPONSES


def request_body(request: Request, api: ApiName) -> dict[str, Any]:
    """Return the body of a request to a server that has refused nothing yet."""
    found = find_api(api)
    return found.make_body(request, found.streaming)


def server_tool_options(api: ApiName, names: Sequence[str]) -> dict[str, Any]:
    """Return the options that let the server use tools of its own, by their names in the API.

    Args:
        names: Of `SERVER_TOOLS`.
    """
    options: dict[str, Any] = {}
    for name in names:
        for key, value in find_api(api).server_tools[name].items():
            options[key] = [*options.get(key, ()), *value] if key == "tools" else value
    return options


def turn_options(api: ApiName) -> Mapping[str, Any]:
    """Return the options of a turn's requests that an agent need not set."""
    return find_api(api).options
