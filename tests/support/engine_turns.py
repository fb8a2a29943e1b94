"""A turn through an engine that has a scripted server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripted_server import ScriptedServer

from msgbook.approval import Ask
from msgbook.config import Settings, load_settings
from msgbook.display.turn_view import HiddenTurn, TurnView
from msgbook.engine import Conversation, Services
from msgbook.notebook.cells import Cell
from msgbook.notebook.transcript import Transcript
from msgbook.turn.record import TurnRecord
from msgbook.turn_run import run_to_end


async def no_sleep(seconds: float) -> None:
    """Wait in virtual time."""


async def run_turn(
    engine: Conversation,
    prompt: str,
    transcript: Transcript,
    ask: Ask | None = None,
    *,
    record: TurnRecord | None = None,
    view: TurnView | None = None,
) -> Any:
    """Run the turn of a prompt to its end and return it."""

    async def read_transcript() -> Transcript:
        return transcript

    record = record or engine.new_record()
    ended = await run_to_end(engine, prompt, read_transcript, record, view or HiddenTurn(), ask)
    return ended.turn


def run_prompt(
    server: ScriptedServer,
    folder: Path,
    prompt: str = "hi",
    *,
    settings: Settings | None = None,
    earlier: Sequence[Cell] = (),
    **env: str,
) -> dict[str, Any]:
    """Return the turn that answers a prompt; names in capitals are environment variables.

    Args:
        folder: Of the notebook.
        settings: In place of what the environment says.
        earlier: The cells above.
    """
    environ = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **env}
    engine = Conversation(Services(settings or load_settings(environ), sleep=no_sleep), folder)

    async def turn() -> Any:
        try:
            return await run_turn(engine, prompt, Transcript("memory", earlier))
        finally:
            await engine.services.close()

    return asyncio.run(turn())


def results(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in turn["blocks"] if block["type"] == "tool_result"]
