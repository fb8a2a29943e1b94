"""The magics that tell of the conversation, given what they look at where they run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from msgbook.agents.agent import Agent
from msgbook.agents.project_files import ProjectFiles
from msgbook.agents.resolve import resolve_agent
from msgbook.engine import Engine
from msgbook.errors import MsgbookError
from msgbook.magics import agent as agents
from msgbook.magics.agent import AgentMagicContext
from msgbook.magics.base import MagicContext
from msgbook.magics.cache import cache as compare
from msgbook.magics.compact import compact as choose
from msgbook.magics.stale import stale as list_stale
from msgbook.notebook.cells import is_own_magic, metadata_of, source_of
from msgbook.notebook.transcript import Transcript
from msgbook.request.active_agent import find_agent_sources
from msgbook.request.history import View
from msgbook.request.history.stale import ViewOf
from msgbook_format.turn import Turn


async def agent(scene: MagicContext, words: Sequence[str]) -> str:
    """Say or choose who answers below, list the agents, or make a temporary one."""
    return agents.agent(await _agent_scene(scene), words)


async def rules(scene: MagicContext, words: Sequence[str]) -> str:
    """List the project's rules."""
    return agents.rules(await _agent_scene(scene), words)


async def skills(scene: MagicContext, words: Sequence[str]) -> str:
    """List the skills of the project and of the user."""
    return agents.skills(await _agent_scene(scene), words)


async def cache(scene: MagicContext, _words: Sequence[str]) -> str:
    """Compare what the last two turns have sent."""
    return compare(list(scene.engine.request_builder.sent))


async def stale(scene: MagicContext, _words: Sequence[str]) -> str:
    """List the turns above whose input has changed."""
    transcript = await scene.transcript()
    engine = scene.engine
    views = _views(engine, transcript, await engine.request_builder.read_project())
    return list_stale(transcript.earlier, engine.request_builder.reader, views)


async def compact(scene: MagicContext, words: Sequence[str]) -> str:
    """Have old turns sent as summaries."""
    transcript = await scene.transcript()
    # A page that does not show these cells cannot mark them.
    mark = scene.mark if transcript.source == "live" else None
    chosen = partial(choose, words, transcript.earlier, scene.engine.request_builder.is_magic)
    wanted = chosen(has_page=mark is not None)
    if mark is not None and wanted.message is not None and not mark(wanted.message):
        wanted = chosen(has_page=False)
    return wanted.text


async def agent_below(scene: MagicContext) -> Agent:
    """The agent that would answer below.

    Raises:
        UnknownAgentError: It is not defined.
    """
    found = await _agent_scene(scene)
    return resolve_agent(None, found.cells, found.sources).agent


async def _agent_scene(scene: MagicContext) -> AgentMagicContext:
    engine = scene.engine
    transcript = await scene.transcript()
    project = await engine.request_builder.read_project()
    return AgentMagicContext(
        transcript.earlier,
        find_agent_sources(transcript, project, engine.settings),
        project.rules,
        project.skills,
        metadata_of({"metadata": transcript.metadata}),
        lambda model, provider: engine.servers.choose_known_model(
            model, provider if provider in engine.settings.providers else None
        ),
        project.notices,
        scene.source,
    )


def _views(engine: Engine, transcript: Transcript, project: ProjectFiles) -> ViewOf:
    """Who the turns above were asked of, as their agents are now."""
    cells = transcript.earlier
    sources = find_agent_sources(transcript, project, engine.settings)
    magics_above = list(accumulate(is_own_magic(source_of(cell)) for cell in cells))
    known: dict[tuple[str, str, int], View | None] = {}

    def view(position: int, name: str, model: str) -> View | None:
        try:
            found = resolve_agent(name, cells[:position], sources).agent
            return engine.request_builder.agent_chooser.make_view(
                found, model, transcript, project
            )[0]
        except MsgbookError:
            return None  # the agent or its provider is gone

    def view_of(position: int, turn: Turn) -> View | None:
        name: Any = turn.get("agent")
        model: Any = turn.get("model")
        if not (isinstance(name, str) and isinstance(model, str)):
            return None
        # `%agent new` cells are among the magics: between two of them agents stay what they are.
        key = name, model, magics_above[position]
        if key not in known:
            known[key] = view(position, name, model)
        return known[key]

    return view_of
