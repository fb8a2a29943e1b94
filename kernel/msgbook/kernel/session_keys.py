"""Keys that the Jupyter server keeps for its session, and hands to each kernel of msgbook that starts.

They come in the buffer of a message on the control channel: the text of messages is printed by debug logs,
and pages see neither that channel nor the server's memory.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from msgbook.config import Settings
from msgbook.config.key_places import SESSION
from msgbook.config.providers import check_key
from msgbook.errors import ConfigError
from msgbook_format.typed import as_dict

WAIT_SECONDS = 10.0
"""How long the first cell waits for the server; other programs that start kernels never send the message."""


def read_keys(buffers: Any) -> dict[str, str]:
    """Return the keys of a message by the base URLs of their servers; what is not a key is left out."""
    try:
        found = json.loads(bytes(buffers[0]))
    except (TypeError, IndexError, ValueError, RecursionError):
        return {}
    keys = as_dict(found).items()
    return {url: key for url, key in keys if isinstance(key, str) and _can_be_sent(key)}


def _can_be_sent(key: str) -> bool:
    try:
        check_key(key, "")
    except ConfigError:
        return False
    return bool(key)


def with_session_keys(settings: Settings, keys: Mapping[str, str]) -> Settings:
    """Return the settings with the keys of the session, each for the server for which it was entered."""
    waiting = _names_without_key(settings)
    providers = {
        name: replace(p, api_key=keys.get(p.base_url or "")) if name in waiting else p
        for name, p in settings.providers.items()
    }
    return replace(settings, providers=providers)


class SessionKeys:
    """The keys of the session that this kernel was given.

    Attributes:
        by_url: By the base URLs of their servers.
    """

    def __init__(self) -> None:
        self.by_url: dict[str, str] = {}
        self._came = asyncio.Event()

    def take(self, keys: Mapping[str, str]) -> None:
        """Keep keys that came; only on the kernel's main loop."""
        self.by_url = {**self.by_url, **keys}
        self._came.set()

    async def wait_for(self, settings: Settings, seconds: float = WAIT_SECONDS) -> Settings:
        """Return the settings with the keys of the session; wait for them if a provider needs one."""
        if _names_without_key(settings) and not self._came.is_set():
            with suppress(TimeoutError):  # the warning below says so
                await asyncio.wait_for(self._came.wait(), seconds)
        found = with_session_keys(settings, self.by_url)
        missing = tuple(map(_warning, _names_without_key(found)))
        return replace(found, warnings=(*found.warnings, *missing))


def _names_without_key(settings: Settings) -> list[str]:
    """Return the names of the providers whose key of the session is missing."""
    return [
        name
        for name, p in settings.providers.items()
        if p.saved_key and p.saved_key.place == SESSION and not p.api_key
    ]


def _warning(provider: str) -> str:
    return (
        f"Provider {provider} has no key: it was entered for one session of JupyterLab. "
        "Enter it again in Connect a Model…, and restart the kernel."
    )
