"""A turn through an engine that has a scripted server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripted_server import ScriptedServer

from msgbook.config import Settings, load_settings
from msgbook.engine import Engine
from msgbook.notebook.cells import Cell
from msgbook.notebook.transcript import Transcript


async def no_sleep(seconds: float) -> None:
    """Waits in virtual time."""


def run_prompt(
    server: ScriptedServer,
    folder: Path,
    prompt: str = "hi",
    *,
    settings: Settings | None = None,
    earlier: Sequence[Cell] = (),
    **env: str,
) -> dict[str, Any]:
    """The turn that answers a prompt; names in capitals are environment variables.

    Args:
        folder: Of the notebook.
        settings: In place of what the environment says.
        earlier: The cells above.
    """
    environ = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **env}
    engine = Engine(settings or load_settings(environ), folder, sleep=no_sleep)

    async def turn() -> Any:
        record = engine.new_record()
        try:
            async for _ in engine.run(prompt, Transcript("memory", earlier), record):
                pass
            return record.snapshot()
        finally:
            await engine.close()

    return asyncio.run(turn())


def results(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in turn["blocks"] if block["type"] == "tool_result"]
