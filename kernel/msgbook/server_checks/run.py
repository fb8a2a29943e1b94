"""All checks of one server with its connections, and its list of models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

from msgbook.config import ProviderSettings, Settings
from msgbook.errors import ConfigError
from msgbook.messages import ApiName
from msgbook.provider import OpenAIProvider
from msgbook.server_checks.api import ApiChoice
from msgbook.server_checks.asking import Asker, new_asker
from msgbook.server_checks.findings import Finding
from msgbook.server_checks.server import ServerChecks


async def check_server(
    settings: Settings,
    server: ProviderSettings,
    usage: dict[str, int],
    *,
    seconds: float,
    file: str,
) -> AsyncIterator[Finding]:
    """Yield the findings about a server and the model of the settings.

    Args:
        usage: Tokens of all requests, by name; it is added to.
        seconds: Limit for one request.
        file: Configuration file that advice names.
    """
    choice = ApiChoice(server.api, server.name, file)
    async with AsyncExitStack() as closing:

        def asker(api: ApiName) -> Asker:
            new = new_asker(replace(server, api=api), settings, seconds=seconds, usage=usage)
            closing.push_async_callback(new.close)
            return new

        try:
            ours = asker(choice.api)
        except ConfigError as error:
            yield Finding("server", "fail", str(error))
            return
        other = None if server.plugin else (choice, asker(choice.other))
        origin = settings.model_origin
        checks = ServerChecks(ours, settings.model, model_origin=origin, other=other)
        async for finding in checks.run():
            yield finding


async def list_models(server: ProviderSettings, *, seconds: float) -> list[str]:
    """Return the models of a server that need not be in the settings.

    Raises:
        ProviderError: The server does not list them.
        TimeoutError: It took too long.
    """
    provider = OpenAIProvider(server, secrets=(server.api_key,) if server.api_key else ())
    try:
        async with asyncio.timeout(seconds):
            return await provider.models()
    finally:
        await provider.close()
