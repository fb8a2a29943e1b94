"""Narrowing of agents: they name what the user has configured, and can only restrict it. Pure.

`max_steps` and the budgets are narrowed elsewhere, with the user's own limits, by
`Limits.narrow(agent.limits)`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgbook.agents.agent import Agent
from msgbook.agents.extra_options import narrow_extra
from msgbook.text import one_line, visible


@dataclass(frozen=True, slots=True)
class ConfiguredNames:
    """Names of providers, tools and MCP servers that the user has configured."""

    providers: Collection[str] = ()
    tools: Collection[str] = ()
    mcp_servers: Collection[str] = ()


def narrow_agent(agent: Agent, configured: ConfiguredNames) -> tuple[Agent, list[str]]:
    """Remove names from an agent that the user has not configured, and keys of `extra` that it may not set.

    Returns:
        The agent, and one line for each removed name or group of keys.
    """
    notices = []
    provider = agent.provider
    if provider is not None and provider not in configured.providers:
        notices.append(
            f"{_title(agent)}: provider {_quoted(provider)} is not in your configuration"
            f"{_list_known(configured.providers)}; your default one answers."
        )
        provider = None
    tools, unknown = _split(agent.tools, configured.tools)
    notices += [
        f"{_title(agent)}: there is no tool {_quoted(name)}{_list_known(configured.tools)}."
        for name in unknown
    ]
    servers, unknown = _split(agent.mcp_servers, configured.mcp_servers)
    notices += [
        f"{_title(agent)}: the MCP server {_quoted(name)} is not in your configuration"
        f"{_list_known(configured.mcp_servers)}."
        for name in unknown
    ]
    agent, refused = narrow_extra(agent)
    narrowed = replace(agent, provider=provider, tools=tools, mcp_servers=servers)
    return narrowed, [*notices, *refused]


def narrow_roots(
    agent: Agent, roots: Sequence[Path], real: Callable[[str], Path | None]
) -> tuple[tuple[Path, ...], list[str]]:
    """Narrow the folders below which an agent reads without approval to its `allowed_uris`.

    Args:
        roots: The user's folders, as real paths.
        real: Returns the real path of a path, relative to the notebook's folder; None if the text
            is not a path.

    Returns:
        The folders, and one line for each entry of `allowed_uris` that lies outside the user's folders.
    """
    if agent.allowed_uris is None:
        return tuple(roots), []
    allowed: list[Path] = []
    notices = []
    for uri in agent.allowed_uris:
        path = _path_of(uri)
        wanted = real(path) if path is not None else None
        common = [_overlap(wanted, root) for root in roots] if wanted is not None else []
        found = [path for path in common if path is not None]
        if not found:
            problem = "is not a folder" if wanted is None else "is outside of your own folders"
            notices.append(
                f"{_title(agent)}: allowed_uris: {_quoted(uri)} {problem}; it allows nothing."
            )
        allowed += found
    return tuple(dict.fromkeys(allowed)), notices


def _overlap(one: Path, other: Path) -> Path | None:
    if one.is_relative_to(other):
        return one
    return other if other.is_relative_to(one) else None


def _path_of(uri: str) -> str | None:
    """Return the path of a `file:` URI of this machine; a plain path as it is."""
    if not uri.lower().startswith("file:"):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    return unquote(parts.path) or None if parts.netloc in ("", "localhost") else None


def _split(
    wanted: tuple[str, ...] | None, known: Collection[str]
) -> tuple[tuple[str, ...] | None, list[str]]:
    if wanted is None:
        return None, []
    found = tuple(name for name in wanted if name in known)
    return found, [name for name in wanted if name not in known]


def _title(agent: Agent) -> str:
    return f"Agent {visible(agent.name)}"


def _quoted(name: str) -> str:
    return repr(visible(one_line(name, 100)))


def _list_known(names: Collection[str]) -> str:
    return f" ({', '.join(names)})" if names else " (there are none)"
