"""The agent that answers a cell, and its models. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from msgbook.agents.agent import Agent
from msgbook.agents.named_agents import (
    AgentSources,
    NamedAgents,
    UnknownAgentError,
    UnreadableAgentError,
)
from msgbook.notebook import Cell, Prompt, metadata_of


class ChosenModels(NamedTuple):
    """Models that a cell or an agent names."""

    names: tuple[str, ...]
    """At least one. The first one answers; a later one only if the server knows none before it."""
    origin: str
    """Describes what names them: `cell 2 [5fb8acd8] (%model large)`."""


class ResolvedAgent(NamedTuple):
    """The agent that answers a cell."""

    agent: Agent
    models: ChosenModels | None
    """None if neither the agent nor a cell above names a model; then the user's settings decide."""
    notices: tuple[str, ...]
    """One line for each part of the definition that is ignored."""

    @property
    def model(self) -> str | None:
        """The model that is asked first."""
        return self.models.names[0] if self.models else None


class AvailableAgent(NamedTuple):
    """An agent that a cell can name."""

    agent: Agent
    is_default: bool


def requested_name(key: str, prompt: Prompt, current: Cell | None) -> str | None:
    """Return the `agent` or `model` that a prompt names in its `%%msg` line, else in its metadata."""
    named: Any = prompt.attributes.get(key) or (metadata_of(current) if current else {}).get(key)
    return named.strip() or None if isinstance(named, str) else None


def requested_models(prompt: Prompt, current: Cell | None) -> ChosenModels | None:
    """Return the model that a prompt itself names."""
    model = requested_name("model", prompt, current)
    in_line = bool(prompt.attributes.get("model"))
    origin = "the %%msg line of this cell" if in_line else "model= of this cell"
    return ChosenModels((model,), origin) if model else None


def resolve_agent(
    wanted: str | None, cells: Sequence[Cell], sources: AgentSources
) -> ResolvedAgent:
    """Return the agent and model that answer below some cells.

    Args:
        wanted: The agent that the cell itself names; None if it names none.
        cells: All cells above.

    Raises:
        UnknownAgentError: The agent is not defined; the message lists those that are.
        UnreadableAgentError: The `%agent new` line above that makes it cannot be read.
    """
    agents = NamedAgents(cells, sources)
    agent, notices = agents.find(wanted or agents.current)
    models = _find_models(agent, wanted is not None, agents)
    return ResolvedAgent(agent, models, (*agents.problems, *notices))


def list_available_agents(cells: Sequence[Cell], sources: AgentSources) -> list[AvailableAgent]:
    """Return all agents that a cell below these can name: temporary ones first."""
    agents = NamedAgents(cells, sources)
    listed = []
    for name in agents.names():
        with suppress(UnreadableAgentError):
            listed.append(AvailableAgent(agents.find(name).agent, name == agents.current))
    return listed


def _find_models(agent: Agent, is_named_by_cell: bool, agents: NamedAgents) -> ChosenModels | None:
    """Return the models that an agent or the cells above name.

    First comes an agent that the cell itself names; then the nearest `%model` or `%agent default`
    above that names a model; then the notebook's metadata; then the default agent.
    """
    if is_named_by_cell and agent.models:
        return ChosenModels(agent.models, agents.origin_of(agent.name))
    for kind, name, position in reversed(agents.choices):
        if kind == "model":
            return ChosenModels((name,), agents.describe_cell(position))
        models = _models_from(name, agent, agents)
        if models:
            return models
    if agents.model:
        return ChosenModels((agents.model,), "model in the notebook's metadata")
    return _models_from(agents.default, agent, agents)


def _models_from(name: str, agent: Agent, agents: NamedAgents) -> ChosenModels | None:
    """Return the models that another agent names for this one; None if their providers differ."""
    try:
        other = agents.find(name).agent
    except UnknownAgentError:
        return None
    if not other.models or other.provider != agent.provider:
        return None
    return ChosenModels(other.models, agents.origin_of(name))
