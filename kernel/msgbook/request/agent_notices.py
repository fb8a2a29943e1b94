"""Notices about the agent that answers: a model or a provider that the reader may not expect. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgbook.agents import Agent
from msgbook.config import DEMO_MODEL, Settings
from msgbook.provider import describe_demo_model
from msgbook.text import one_line, visible

_OF_FILES = {"notebook": "notebook", "project": "project", "cell": "notebook"}
"""Origins of agents that another person may have written, and their names in a notice."""


def notice_demo_model(model: str, wanted: str | None, settings: Settings) -> Iterator[str]:
    """Yield a notice if the demo model answers although another one is set."""
    other = wanted or settings.model
    if model != DEMO_MODEL or other in (None, model):
        return
    yield describe_demo_model(model, other)


def notice_provider(agent: Agent, settings: Settings) -> Iterator[str]:
    """Yield a notice if a file makes another provider answer than the user's default."""
    default = next(iter(settings.providers), None)
    if agent.origin not in _OF_FILES or agent.provider in (None, default):
        return
    yield (
        f"Agent {visible(one_line(agent.name, 60))}, which the {_OF_FILES[agent.origin]} defines, "
        f"answers through your provider {agent.provider}, not through {default}."
    )
