"""MCP servers for tests, and turns that call them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine_turns import no_sleep, run_turn
from scripted_server import ScriptedServer

from msgbook.approval import Answer, Approver, Question
from msgbook.config import McpServerSettings, Settings, load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript

YES = Answer("once")

FAULTY = str(Path(__file__).with_name("faulty_mcp.py"))


def faulty(fault: str = "none", name: str = "files", **settings: Any) -> McpServerSettings:
    """Return the server of `faulty_mcp.py` that has one fault."""
    return McpServerSettings(name, command=sys.executable, args=(FAULTY, fault), **settings)


def mcp_settings(server: ScriptedServer, *mcp: McpServerSettings, **more: Any) -> Settings:
    """Return settings with a scripted model and MCP servers."""
    found = load_settings({"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"})
    return replace(found, mcp_servers={one.name: one for one in mcp}, **more)


class Talk:
    """A conversation whose model is scripted and whose reader answers each question in the same way."""

    def __init__(
        self, folder: Path, settings: Settings, answer: Answer | None = YES, **more: Any
    ) -> None:
        self.engine = Conversation(
            Services(settings, sleep=no_sleep), folder, approver=Approver("ask", folder, **more)
        )
        self.questions: list[Question] = []
        self._answer = answer

    async def ask(self, question: Question) -> Answer | None:
        self.questions.append(question)
        return self._answer

    async def turn(self, prompt: str = "hi", **metadata: Any) -> Any:
        transcript = Transcript("memory", (), None, metadata=metadata)
        return await run_turn(self.engine, prompt, transcript, self.ask)

    async def __aenter__(self) -> Talk:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.services.close()


def offered(server: ScriptedServer) -> list[str]:
    """Return the names of the tools in the last request."""
    return [tool.get("function", tool)["name"] for tool in server.requests[-1].get("tools", [])]


def notices(turn: dict[str, Any]) -> str:
    return "\n".join(b["text"] for b in turn["blocks"] if b["type"] == "notice")


def parsed(content: str) -> Any:
    """Return the arguments that `echo` returned."""
    return json.loads(content.partition(" ")[2])
