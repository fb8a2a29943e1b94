"""The Responses API, as the provider for servers uses it."""

from __future__ import annotations

from collections.abc import Callable

from msgbook.provider.api import AnswerDecoder, Api
from msgbook.provider.responses.body import OPTIONS, STREAMING, make_body


def _new_decoder(new_id: Callable[[], str]) -> AnswerDecoder:
    raise NotImplementedError


RESPONSES = Api("responses", "/responses", OPTIONS, STREAMING, make_body, _new_decoder)
