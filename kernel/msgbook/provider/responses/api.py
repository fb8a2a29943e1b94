"""The Responses API, as the provider for servers uses it."""

from __future__ import annotations

from typing import Any

from msgbook.provider.base import Api
from msgbook.provider.responses.body import OPTIONS, STREAMING, make_body
from msgbook.provider.responses.decode import ResponseDecoder

SERVER_TOOLS: dict[str, Any] = {"web_search": {"tools": [{"type": "web_search"}]}}
"""Options that let the server use tools of its own."""

RESPONSES = Api(
    "responses", "/responses", OPTIONS, STREAMING, make_body, SERVER_TOOLS, ResponseDecoder
)
