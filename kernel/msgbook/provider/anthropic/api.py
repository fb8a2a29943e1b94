"""The Messages API, as the provider for servers uses it."""

from __future__ import annotations

from msgbook.provider.anthropic.body import OPTIONS, STREAMING, make_body
from msgbook.provider.anthropic.decode import MessageDecoder
from msgbook.provider.base import Api

ANTHROPIC = Api("anthropic", "/messages", OPTIONS, STREAMING, make_body, MessageDecoder)
