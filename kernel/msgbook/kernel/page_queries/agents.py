"""The agents that cells can name, and the one that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.errors import MsgbookError
from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.agents import AvailableAgent
    from msgbook.engine import Engine
    from msgbook.kernel.session import Session
    from msgbook.notebook import Cell, Transcript


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `agents.list`, and `agents.choose`, which makes an agent a frontmatter's default."""

    async def list_agents(query: Query) -> dict[str, Any]:
        transcript = _transcript(query)
        return await _list_agents(await session.ready_engine(), transcript)

    async def choose_agent(query: Query) -> dict[str, Any]:
        return {"frontmatter": _with_default(query.text("frontmatter"), query.text("agent"))}

    queries.on_query("agents.list", list_agents)
    queries.on_query("agents.choose", choose_agent)


def _transcript(query: Query) -> Transcript:
    """Return the cells and the notebook's metadata of a query.

    Raises:
        QueryError: They are not of the right types.
    """
    from msgbook.notebook import Transcript

    cells, ours = query.params.get("cells"), query.params.get("metadata")
    if not isinstance(cells, list) or not all(map(_is_cell, cells)):
        raise QueryError("`cells` has to be a list of cells, each with a cell_type and a source.")
    if not isinstance(ours, dict):
        raise QueryError(f"`metadata` has to be an object, not {type(ours).__name__}.")
    return Transcript("live", cells, metadata={"msgbook": ours})


def _is_cell(value: Any) -> bool:
    keys = ("id", "cell_type", "source")
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in keys)


async def _list_agents(engine: Engine, transcript: Transcript) -> dict[str, Any]:
    """Return the agents that a cell below some cells can name, and what answers it."""
    from msgbook.agents import AgentSources, list_available_agents
    from msgbook.notebook import Prompt
    from msgbook.request import UNKNOWN_MODEL

    async def known_model(wanted: str | None, provider: str | None) -> str:
        # A list of agents is no reason to ask a server.
        return engine.servers.choose_known_model(wanted, provider) or UNKNOWN_MODEL

    project = await engine.request_builder.read_project()
    sources = AgentSources.from_notebook(transcript.metadata, project, engine.settings.agents)
    earlier: list[Cell] = list(transcript.earlier)
    listed = {"agents": [_describe(found) for found in list_available_agents(earlier, sources)]}
    chooser = engine.request_builder.agent_chooser
    try:
        active = await chooser.choose(Prompt(""), transcript, project, known_model)
    except MsgbookError as error:
        return {**listed, "problem": str(error)}
    model = active.model if active.model != UNKNOWN_MODEL else None
    provider = active.agent.provider
    return {**listed, "agent": active.agent.name, "model": model, "provider": provider}


def _describe(found: AvailableAgent) -> dict[str, Any]:
    agent = found.agent
    return {
        "name": agent.name,
        "origin": agent.origin,
        "models": list(agent.models),
        "description": agent.description or "",
        "is_default": found.is_default,
    }


def _with_default(user: str, agent: str) -> str:
    """Return the user's lines of a frontmatter with an agent as `default_agent`.

    Raises:
        QueryError: The agent has no name on one line, or one line cannot set the key.
    """
    from msgbook_format.agents import lines_with_default_agent
    from msgbook_format.syntax import FrontmatterError

    if not agent.strip() or len(agent.splitlines()) > 1:
        raise QueryError(f"Expected the name of an agent, got {agent!r}.")
    try:
        return lines_with_default_agent(user, agent)
    except FrontmatterError as error:
        raise QueryError(f"The agent was not chosen: {error}.") from error
