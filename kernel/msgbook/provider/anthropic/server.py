"""The provider for servers of Anthropic's Messages API. Only this module imports the SDK `anthropic`.

Its HTTP client fits: since 1.0 the SDK is built on `httpx2` as openai's is, and takes a client of ours. So the rules
about proxies, certificates, redirects, charsets and bounded bodies in `provider.http` hold here, too. What the SDK would
read in the environment (headers, another URL, profiles on the disk, traces) is switched off.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from msgbook.config import parse_header_lines, vendor_of
from msgbook.errors import UnusableSettingError
from msgbook.network import ignore_unusable_key_log
from msgbook.provider.anthropic.decode import MessageDecoder
from msgbook.provider.server_provider import ServerProvider

if TYPE_CHECKING:
    import anthropic

INSTALL = 'pip install "msgbook[anthropic]"'
_OLDEST, _TOO_NEW = 2, 3

_KEY_HEADER = "X-Api-Key"
"""Header of the key before 2026-10, which gateways and other servers of this API know."""


class AnthropicProvider(ServerProvider):
    """Talks to one server over the Messages API."""

    def _import_sdk(self) -> Any:
        if missing := missing_requirement():
            raise UnusableSettingError("ConfigError", f"For this server {missing}")
        return import_anthropic()

    def _make_client(self, sdk: Any, url: str, key: str, http: Any) -> anthropic.AsyncAnthropic:
        client: anthropic.AsyncAnthropic = sdk.AsyncAnthropic(
            api_key=key,
            base_url=url,
            default_headers=self._headers(sdk, url, key),
            max_retries=0,
            open_telemetry=False,
            http_client=http,
        )
        return client

    def _headers(self, sdk: Any, url: str, key: str) -> dict[str, Any]:
        """Return the server's headers, and others that keep the SDK from sending what it reads in the environment."""
        named = parse_header_lines(os.environ.get("ANTHROPIC_CUSTOM_HEADERS", ""))
        kept_out: dict[str, Any] = {
            name: f"Bearer {key}" if name.lower() == "authorization" else sdk.Omit()
            for name in named
        }
        own = {} if vendor_of(url).company == "Anthropic" else {_KEY_HEADER: key}
        given = self._settings.headers
        lower = {name.lower() for name in given}
        # The SDK replaces its own headers by those of the same name in the same case.
        spelled = {"authorization": "Authorization", "anthropic-version": "anthropic-version"}
        return {
            **kept_out,
            **{name: value for name, value in own.items() if name.lower() not in lower},
            **{spelled.get(name.lower(), name): value for name, value in given.items()},
        }

    def _models_target(self) -> str:
        # The list comes in pages, of 20 models unless more are asked for.
        query = f"{self._query}&" if self._query else "?"
        return f"/models{query}limit=1000"

    def _new_decoder(self, new_id: Callable[[], str], model: str) -> MessageDecoder:
        return MessageDecoder(new_id, model)


def import_anthropic() -> Any:
    """Return the package `anthropic`. It takes part of a second, and reads the environment."""
    ignore_unusable_key_log()
    return importlib.import_module("anthropic")


def missing_requirement() -> str:
    """Return what to install before a server of this API can be asked; empty if nothing."""
    if find_spec("anthropic") is None:
        return f"the package anthropic is not installed. Install it with: {INSTALL}"
    try:
        found = version("anthropic")
    except PackageNotFoundError:
        return f"the package anthropic is not the one of PyPI. Install that with: {INSTALL}"
    major = found.partition(".")[0]
    if major.isdigit() and _OLDEST <= int(major) < _TOO_NEW:
        return ""
    return f"the package anthropic has to be of version {_OLDEST}, found {found}. Install it with: {INSTALL}"
