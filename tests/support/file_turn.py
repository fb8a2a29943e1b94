"""What tests of `tests/tools/test_file_turns.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from engine_turns import run_turn
from scripted_server import ScriptedServer

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook.transcript import Transcript
from msgbook.tools import Tool


@pytest.fixture
def turn(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt and returns the blocks of its turn."""

    def run(*tools: Tool, approval: str = "ask") -> list[dict[str, Any]]:
        environ = {
            "OPENAI_BASE_URL": server.url,
            "MSGBOOK_MODEL": "m",
            "MSGBOOK_APPROVAL": approval,
        }
        engine = Conversation(Services(load_settings(environ)), tmp_path)
        for tool in tools:
            engine.tools.add(tool)

        async def answer() -> list[dict[str, Any]]:
            try:
                return (await run_turn(engine, "go", Transcript("memory", ())))["blocks"]
            finally:
                await engine.services.close()

        return asyncio.run(answer())

    return run
