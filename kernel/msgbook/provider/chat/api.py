"""The chat API, as the provider for servers uses it."""

from __future__ import annotations

from msgbook.provider.base import Api
from msgbook.provider.chat.body import STREAMING, make_body
from msgbook.provider.chat.decode import CompletionDecoder

CHAT = Api("chat", "/chat/completions", {}, STREAMING, make_body, CompletionDecoder)
