"""The APIs by name. Only that of a server that is asked is imported."""

from __future__ import annotations

from collections.abc import Mapping
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


def turn_options(api: ApiName) -> Mapping[str, Any]:
    """Return the options of a turn's requests that an agent need not set."""
    return find_api(api).options
