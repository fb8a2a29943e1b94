"""Views with which the turns of a notebook were requested, made from their agents as they are now."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from msgbook.agents import AgentSources, ProjectFiles, resolve_agent
from msgbook.config import Settings
from msgbook.errors import MsgbookError
from msgbook.notebook import Transcript, is_own_magic, source_of
from msgbook.request.active_agent import AgentChooser
from msgbook.request.history import View, ViewOf
from msgbook_format.turn import Turn


def make_turn_views(
    chooser: AgentChooser, transcript: Transcript, project: ProjectFiles, settings: Settings
) -> ViewOf:
    """Return a function that gives the view of a turn above."""
    cells = transcript.earlier
    sources = AgentSources.from_notebook(transcript.metadata, project, settings.agents)
    magics_above = list(accumulate(is_own_magic(source_of(cell)) for cell in cells))
    known: dict[tuple[str, str, int], View | None] = {}

    def make_view(position: int, name: str, model: str) -> View | None:
        try:
            agent = resolve_agent(name, cells[:position], sources).agent
            return chooser.make_view(agent, model, transcript, project)[0]
        except MsgbookError:
            return None  # the agent or its provider is gone

    def view_of(position: int, turn: Turn) -> View | None:
        name: Any = turn.get("agent")
        model: Any = turn.get("model")
        if not (isinstance(name, str) and isinstance(model, str)):
            return None
        # `%agent new` cells are magics: between two magics, agents do not change.
        key = name, model, magics_above[position]
        if key not in known:
            known[key] = make_view(position, name, model)
        return known[key]

    return view_of
