"""One MCP server of the user's configuration, and what of it is secret."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z]{1,12}|[0-9]{1,7}|[A-Za-z_]{1,5}\.UTF-?8", re.IGNORECASE)
"""Flags, words such as `info`, numbers and locales."""


@dataclass(frozen=True, slots=True)
class McpServerSettings:
    """Access to one MCP server. It holds secrets, which `repr` does not show."""

    name: str
    command: str = ""
    """Program to start; empty for a server with a URL."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of the process besides the usual ones: those of `env`, and those that `env_vars` names."""
    cwd: str | None = None
    """Absolute path of the folder to start in; None for the user's home folder."""
    url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    enabled_tools: tuple[str, ...] | None = None
    """The server's own names of the tools that are offered; None for all."""
    disabled_tools: tuple[str, ...] = ()
    startup_timeout: float = 10.0
    """Seconds, as in Codex, whose tables these are: `npx` may have to download the server."""
    tool_timeout: float = 60.0
    """Seconds, as in Codex."""
    trust_hints: bool = False
    """Whether a tool that says that it only reads, in a closed world, needs no approval."""
    problem: str = ""
    """Why it cannot be used; empty if it can."""

    @property
    def digest(self) -> str:
        """Sha256 of what is started or asked: command, arguments, folder, names of variables, URL.

        Approval rules and lists of tools hold for it, since another server can take a name.
        """
        what = [self.command, self.args, self.cwd, sorted(self.env), self.url]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    @property
    def secret_values(self) -> Iterator[str]:
        """Values of variables that must never be shown: all but flags, words, numbers and paths."""
        for name, value in self.env.items():
            if _SECRET_NAME.search(name) or not (_PLAIN.fullmatch(value) or _is_path(value)):
                yield value


def _is_path(value: str) -> bool:
    """Return whether a value is the path of something, which a key only looks like."""
    try:
        return value.startswith("/") and Path(value).parent.is_dir()
    except (OSError, ValueError):
        return False
