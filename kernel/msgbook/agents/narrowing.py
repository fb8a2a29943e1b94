"""What an agent may have: it names things of the user's, and can only narrow. Pure.

`max_steps` and the budgets are narrowed where the user's own limits are known: by
`Limits.narrow(agent.limits)`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgbook.agents.agent import Agent
from msgbook.text import one_line, visible


@dataclass(frozen=True, slots=True)
class ConfiguredNames:
    """Names of what the user has set up."""

    providers: Collection[str] = ()
    tools: Collection[str] = ()
    mcp_servers: Collection[str] = ()


def narrow_agent(agent: Agent, owned: ConfiguredNames) -> tuple[Agent, list[str]]:
    """The agent with those of its names that the user has set up.

    Returns:
        The agent, and a line for each name that is not followed.
    """
    notices = []
    provider = agent.provider
    if provider is not None and provider not in owned.providers:
        notices.append(
            f"{_of(agent)}: provider {_quoted(provider)} is none of your configuration"
            f"{_known(owned.providers)}; your default one answers."
        )
        provider = None
    tools, unknown = _split(agent.tools, owned.tools)
    notices += [
        f"{_of(agent)}: there is no tool {_quoted(name)}{_known(owned.tools)}." for name in unknown
    ]
    servers, unknown = _split(agent.mcp_servers, owned.mcp_servers)
    notices += [
        f"{_of(agent)}: the MCP server {_quoted(name)} is none of your configuration"
        f"{_known(owned.mcp_servers)}."
        for name in unknown
    ]
    return replace(agent, provider=provider, tools=tools, mcp_servers=servers), notices


def narrow_roots(
    agent: Agent, roots: Sequence[Path], real: Callable[[str], Path | None]
) -> tuple[tuple[Path, ...], list[str]]:
    """The folders below which an agent reads freely: where its own and the user's overlap.

    Args:
        roots: The user's, as real paths.
        real: The real path that a path means, relative ones from the notebook's folder; None for
            what is no path.

    Returns:
        The folders, and a line for each one that lies outside of the user's.
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
            why = "is no folder" if wanted is None else "lies outside of what you may read freely"
            notices.append(f"{_of(agent)}: allowed_uris: {_quoted(uri)} {why}; it allows nothing.")
        allowed += found
    return tuple(dict.fromkeys(allowed)), notices


def _overlap(one: Path, other: Path) -> Path | None:
    if one.is_relative_to(other):
        return one
    return other if other.is_relative_to(one) else None


def _path_of(uri: str) -> str | None:
    """The path of a `file:` URI of this machine, or a text that is a path already."""
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


def _of(agent: Agent) -> str:
    return f"Agent {visible(agent.name)}"


def _quoted(name: str) -> str:
    return repr(visible(one_line(name, 100)))


def _known(names: Collection[str]) -> str:
    return f" ({', '.join(names)})" if names else " (there are none)"
