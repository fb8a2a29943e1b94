"""The request of a prompt as it would be made now; no server is asked, and nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from msgbook.agents.resolve import asked_for, resolve
from msgbook.cells import Cell, metadata_of, parse_prompt
from msgbook.config import DEMO_MODEL
from msgbook.conversation import Prepared
from msgbook.conversation.answerer import agent_sources
from msgbook.engine import Engine
from msgbook.provider.base import Request
from msgbook.transcript import Transcript

ONLY_MODEL = "the server's only model"
"""For a person, where the settings name none: which one that is, the server would have to tell."""


@dataclass(frozen=True, slots=True)
class NextRequest:
    """A request that has not been sent."""

    prepared: Prepared
    body: Request
    """The model in it is `ONLY_MODEL` where `model` is None."""
    model: str | None
    """None where the server would have to be asked for its models."""
    notices: tuple[str, ...]
    """What the turn would say before it is sent."""


async def next_request(engine: Engine, source: str, transcript: Transcript) -> NextRequest:
    """What a prompt cell would send.

    Args:
        source: Of the cell.

    Raises:
        MsgbookError: There would be no request; the message says why.
    """
    model = await _known_model(engine, source, transcript)
    if model is None:
        transcript = replace(transcript, current=_with_model(transcript.current or {}, ONLY_MODEL))
    prepared, notices = await engine.preview(source, transcript)
    body = engine.servers.adapted(engine.body(prepared), prepared.answerer.agent.provider)
    return NextRequest(prepared, body, model, tuple(notices))


def known_model(engine: Engine, wanted: str | None, provider: str | None) -> str | None:
    """The model that answers where cells and agent want this one, as `Servers.model` chooses it.

    Args:
        provider: Of the agent; one that the user has not is left out, as in a turn.

    Returns:
        None where the server would have to be asked.

    Raises:
        ConfigError: The settings could not be read, or the provider cannot be used.
    """
    provider = provider if provider in engine.settings.providers else None
    server = engine.servers.settings_of(wanted, provider)
    if server is None:
        return DEMO_MODEL
    return wanted or (engine.settings.model if server is engine.settings.provider else None)


async def _known_model(engine: Engine, source: str, transcript: Transcript) -> str | None:
    prompt = parse_prompt(source)
    sources = agent_sources(transcript, await engine.conversation.project(), engine.settings)
    agent = asked_for("agent", prompt, transcript.current)
    found = resolve(agent, transcript.earlier, sources)
    model = asked_for("model", prompt, transcript.current) or found.model
    return known_model(engine, model, found.agent.provider)


def _with_model(cell: Cell, model: str) -> Cell:
    """The cell, naming a model in its metadata. Not in place."""
    metadata: Any = cell.get("metadata")
    others = metadata if isinstance(metadata, Mapping) else {}
    return {**cell, "metadata": {**others, "msgbook": {**metadata_of(cell), "model": model}}}
