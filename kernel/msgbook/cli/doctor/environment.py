"""Checks of the environment variables that change how servers are reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgbook.config import Settings, server_url
from msgbook.network.variables import Server, examine_environment
from msgbook.server_checks.findings import Finding


def check_environment(env: Mapping[str, str], settings: Settings) -> Iterator[Finding]:
    """Yield a finding for each variable that is set.

    Args:
        env: The environment, as it was before keys were removed from it.
        settings: Empty if they cannot be read.
    """
    for row in examine_environment(env, [*_servers(settings)]):
        yield Finding("environment", row.status, row.words, row.advice)


def _servers(settings: Settings) -> Iterator[Server]:
    for provider in settings.providers.values():
        if not provider.plugin and not provider.problem:
            yield Server(provider.name, server_url(provider.base_url))
    for server in settings.mcp_servers.values():
        if server.url is not None and not server.problem:
            yield Server(server.name, server.url)
