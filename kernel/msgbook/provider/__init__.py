"""Providers: the servers that answer requests, and the built-in demo model.

- `servers`: which provider and model answer.
- `base`: `Request` and `Provider`, the interface of them all.
- `openai_chat`: the only provider for servers; it alone imports the openai SDK. `http` is the SDK's HTTP client.
- `sse`, `decode`, `tool_call_pieces`, `pieces`: from the bytes of an answer to events.
- `retry`, `adapting`, `failures`: repeating a request, adapting it, and errors in words for a person.
- `demo_model`: the model `demo`.

A provider's quirk is added in one of two places: `answer_quirks` for what a server sends (names of fields,
usage, finish reasons, errors), `request_quirks` for what it accepts (names of keys, refused parts).

Names are imported when they are first used: the openai SDK takes a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgbook.provider.base import Provider, Request
    from msgbook.provider.failures import shown_url
    from msgbook.provider.openai_chat import OpenAIProvider
    from msgbook.provider.request_quirks import token_limit_key
    from msgbook.provider.servers import Servers

__all__ = [
    "OpenAIProvider",
    "Provider",
    "Request",
    "Servers",
    "shown_url",
    "token_limit_key",
]

_HOMES = {
    "OpenAIProvider": "openai_chat",
    "Provider": "base",
    "Request": "base",
    "Servers": "servers",
    "shown_url": "failures",
    "token_limit_key": "request_quirks",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
