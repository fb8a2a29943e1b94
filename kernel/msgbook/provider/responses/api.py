"""The Responses API, as the provider for servers uses it."""

from __future__ import annotations

from msgbook.provider.base import Api
from msgbook.provider.responses.body import OPTIONS, STREAMING, make_body
from msgbook.provider.responses.decode import ResponseDecoder

RESPONSES = Api("responses", "/responses", OPTIONS, STREAMING, make_body, ResponseDecoder)
