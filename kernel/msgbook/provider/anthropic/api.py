"""The Messages API, as the provider for servers uses it."""

from __future__ import annotations

from typing import Any

from msgbook.provider.anthropic.body import OPTIONS, STREAMING, make_body
from msgbook.provider.anthropic.decode import MessageDecoder
from msgbook.provider.base import Api

SERVER_TOOLS: dict[str, Any] = {
    "web_search": {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}
}
"""Options that let the server use tools of its own."""

ANTHROPIC = Api(
    "anthropic", "/messages", OPTIONS, STREAMING, make_body, SERVER_TOOLS, MessageDecoder
)
