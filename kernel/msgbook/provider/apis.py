"""The APIs by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook.messages import ApiName
from msgbook.provider.base import Api, Request
from msgbook.provider.chat import CHAT
from msgbook.provider.responses import RESPONSES

APIS: Mapping[ApiName, Api] = {api.name: api for api in (CHAT, RESPONSES)}


def request_body(request: Request, api: ApiName) -> dict[str, Any]:
    """Return the body of a request to a server that has refused nothing yet."""
    return APIS[api].make_body(request, APIS[api].streaming)


def turn_options(api: ApiName) -> Mapping[str, Any]:
    """Return the options of a turn's requests that an agent need not set."""
    return APIS[api].options
