"""The provider for all OpenAI-compatible servers. Only this module imports the openai SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.provider.http import import_sdk, own_headers
from msgbook.provider.server_provider import ServerProvider

if TYPE_CHECKING:
    import openai


class OpenAIProvider(ServerProvider):
    """Talks to one server over the chat API or the Responses API."""

    def _import_sdk(self) -> Any:
        return import_sdk()

    def _make_client(self, sdk: Any, url: str, key: str, http: Any) -> openai.AsyncOpenAI:
        client: openai.AsyncOpenAI = sdk.AsyncOpenAI(
            api_key=key,
            base_url=url,
            default_headers=own_headers(sdk, key, self._settings.headers),
            max_retries=0,
            http_client=http,
        )
        return client
