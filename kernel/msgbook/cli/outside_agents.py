"""Agents that are defined outside a message file."""

from __future__ import annotations

from pathlib import Path

from msgbook.agents import read_project
from msgbook.approval import followed_project
from msgbook.config import load_settings
from msgbook.errors import ConfigError


def list_outside_agents(folder: Path) -> frozenset[str] | None:
    """Return the agents that the project and the user's settings define; None if these are unreadable.

    Args:
        folder: Of the message file.
    """
    try:
        configured = load_settings().agents
    except ConfigError:
        return None
    return frozenset({*configured, *read_project(followed_project(folder), folder).agents})
