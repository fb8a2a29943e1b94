"""Who can answer, who runs, and what a person does with them: agents, models, sub-agents, waits and forks."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from msgbook.errors import MsgbookError
from msgbook.kernel.page.queries import Query, QueryError
from msgbook_format.typed import has

if TYPE_CHECKING:
    from msgbook.agents import AvailableAgent
    from msgbook.engine import Conversation
    from msgbook.kernel.session import Session
    from msgbook.notebook import Cell, Transcript


async def list_agents(session: Session, query: Query) -> dict[str, Any]:
    """Answer `agents.list`: the agents that a cell can name, and what answers it."""
    transcript = _transcript(query)
    return await _described_agents(await session.ready_conversation(), transcript)


async def choose_agent(session: Session, query: Query) -> dict[str, Any]:
    """Answer `agents.choose`: a frontmatter whose default is an agent."""
    return {"frontmatter": _with_default(query.text("frontmatter"), query.text("agent"))}


def _transcript(query: Query) -> Transcript:
    """Return the cells and the notebook's metadata of a query.

    Raises:
        QueryError: They are not of the right types.
    """
    from msgbook.notebook import Transcript, is_count

    listed, ours = query.params.get("cells"), query.params.get("metadata")
    items: list[Any] = listed if isinstance(listed, list) else [None]
    cells: list[dict[str, Any]] = []
    for item in items:
        if is_count(item) and item + len(cells) <= _MAX_CELLS:
            cells += [_OTHER] * item
        elif _is_cell(item):
            cells.append(item)
        else:
            raise QueryError(
                "`cells` has to be a list of cells, each with a cell_type and a source, or how many others follow."
            )
    if not isinstance(ours, dict):
        raise QueryError(f"`metadata` has to be an object, not {type(ours).__name__}.")
    return Transcript("live", cells, metadata={"msgbook": ours})


_MAX_CELLS = 1_000_000
"""Cells that a page's message may stand for: a number in it makes as many entries here."""

_OTHER: dict[str, Any] = {"id": "", "cell_type": "code", "source": ""}
"""Stands for a cell that neither chooses nor defines an agent."""


def _is_cell(value: Any) -> bool:
    return has(value, id=str, cell_type=str, source=str)


async def _described_agents(conversation: Conversation, transcript: Transcript) -> dict[str, Any]:
    """Return the agents that a cell below some cells can name, and what answers it."""
    from msgbook.agents import AgentSources, list_available_agents
    from msgbook.notebook import Prompt
    from msgbook.request import UNKNOWN_MODEL

    async def known_model(wanted: str | None, provider: str | None) -> str:
        # A list of agents is no reason to ask a server.
        return conversation.services.servers.choose_known_model(wanted, provider) or UNKNOWN_MODEL

    project = await conversation.request_builder.read_project()
    sources = AgentSources.from_notebook(
        transcript.metadata, project, conversation.services.settings.agents
    )
    earlier: list[Cell] = list(transcript.earlier)
    listed = {"agents": [_describe(found) for found in list_available_agents(earlier, sources)]}
    chooser = conversation.request_builder.agent_chooser
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


async def list_models(session: Session, query: Query) -> dict[str, Any]:
    """Answer `models.list`: the names that a server offers."""
    provider = query.text("provider") if query.params.get("provider") is not None else None
    return {"models": await session.offered_models(provider)}


async def list_running_subagents(session: Session, _query: Query) -> dict[str, Any]:
    """Answer `subagent.list`: which run, and for which cells."""
    conversation = await session.ready_conversation()
    found = conversation.services.subagents.by_cell()
    return {"running": [{"uuid": uuid, "cell_id": cell_id} for uuid, cell_id in found]}


async def stop_subagent(session: Session, query: Query) -> dict[str, Any]:
    """Answer `subagent.stop`."""
    cell_id, uuid = query.text("cell_id"), query.text("uuid")
    conversation = await session.ready_conversation()
    if not conversation.services.subagents.stop(cell_id, uuid):
        raise QueryError("The sub-agent no longer runs here.")
    return {}


async def end_waits(session: Session, query: Query) -> dict[str, Any]:
    """Answer `retry.now`: ends the waits of a cell's turn."""
    cell_id = query.text("cell_id")
    conversation = await session.ready_conversation()
    if not conversation.services.waits.end(cell_id):
        raise QueryError("No request is waiting any more.")
    return {}


async def fork(session: Session, query: Query) -> dict[str, Any]:
    """Answer `conversation.fork`: copies a saved conversation up to a cell into a new file."""
    name, cell_id = query.text("name"), query.text("cell_id")
    if PurePosixPath(name).name != name or "\\" in name:
        raise QueryError(f"`name` has to be the name of a file, not {name!r}.")
    from msgbook.notebook import fork_conversation

    folder = (await session.ready_conversation()).folder
    forked = await asyncio.to_thread(fork_conversation, folder / name, cell_id)
    return {"name": forked.name}
