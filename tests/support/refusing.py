"""A server that refuses requests by rules of its own, and a conversation of one session with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine_turns import no_sleep, run_turn
from scripted_server import Answer, ScriptedServer, text

from msgbook.approval import Answer as Decision
from msgbook.approval import Approver, Question
from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript
from msgbook.tools.plugins import make_tool
from msgbook_format.turn import TURN_MIME

Refuse = Callable[[dict[str, Any]], str | dict[str, Any] | None]
"""Returns what a server says against a request, or the whole body of its answer; None to answer it."""


class Session:
    """Cells that are run one after the other in one kernel.

    Args:
        api: The API over which the server is asked.
        tools: Names of tools beside msgbook's own.
        config: Further lines of `[providers.ours]`.
    """

    def __init__(
        self,
        server: ScriptedServer,
        folder: Path,
        api: str = "chat",
        tools: tuple[str, ...] = (),
        config: str = "",
        status: int = 400,
    ) -> None:
        path = folder / "msgbook.toml"
        path.write_text(
            f'model = "m"\n[providers.ours]\nbase_url = "{server.url}"\napi = "{api}"\n{config}'
        )
        self.server = server
        self.status = status
        self.cells: list[dict[str, Any]] = []
        self.engine = Conversation(
            Services(load_settings({"MSGBOOK_CONFIG": str(path)}), sleep=no_sleep),
            folder,
            approver=Approver("ask", folder),
        )
        for name in tools:
            self.engine.tools.add(make_tool(_nothing, name=name, read_only=True))

    async def ask(self, source: str = "hi", *answers: Answer, refuse: Refuse | None = None) -> Any:
        """Return the turn of a prompt, which the server answers unless it refuses."""
        given = iter(answers or [text("ok")])

        def choose(request: dict[str, Any]) -> Answer:
            said = refuse(request) if refuse is not None else None
            if said is None:
                return next(given)
            body = {"error": {"message": said}} if isinstance(said, str) else said
            return Answer(status=self.status, body=json.dumps(body))

        self.server.choose = choose
        cell = {
            "id": f"c{len(self.cells)}",
            "cell_type": "code",
            "source": source,
            "metadata": {},
            "outputs": [],
        }
        transcript = Transcript("live", list(self.cells), cell)
        turn = await run_turn(self.engine, source, transcript, self._yes)
        kept = json.loads(json.dumps(turn))
        cell["outputs"] = [
            {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: kept}}
        ]
        self.cells.append(cell)
        return kept

    async def _yes(self, question: Question) -> Decision:
        return Decision("once")

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.services.close()


def tool_names(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools of a request over either API."""
    tools = request.get("tools", [])
    return [tool.get("name") or tool["function"]["name"] for tool in tools]


def notices(turn: dict[str, Any]) -> list[str]:
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


def _nothing() -> str:
    """Do nothing."""
    return "done"
