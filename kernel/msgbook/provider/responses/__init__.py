"""OpenAI's Responses API: `POST /responses`, without any state on the server.

Reference: https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

from msgbook.provider.responses.api import RESPONSES

__all__ = ["RESPONSES"]
