"""A conversation whose agent starts sub-agents, with an engine in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from engine_turns import no_sleep
from scripted_server import ScriptedServer
from team import dispatch_result, subagent_files

from msgbook.approval import Approver, Ask
from msgbook.config import load_settings
from msgbook.display.turn_view import HiddenTurn
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript
from msgbook.turn_run import run_to_end


@dataclass
class Team:
    """Runs a prompt of a conversation in `folder`."""

    server: ScriptedServer
    folder: Path
    config: str = ""
    """The user's `msgbook.toml`."""
    approval: str = "allow"
    frontmatter: str = ""
    engine: Conversation | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    name: str = "chat.msg.md"
    clock: Callable[[], float] = time.monotonic
    api: str = "chat"

    @property
    def files(self) -> list[Path]:
        return subagent_files(self.folder)

    def run(
        self,
        prompt: str = "ask them",
        ask: Ask | None = None,
        meanwhile: Callable[[asyncio.Task[Any]], Any] | None = None,
        notebook: Path | None = None,
    ) -> dict[str, Any]:
        """Return the turn of the prompt.

        Args:
            meanwhile: A coroutine function that gets the running turn's task.
            notebook: Folder of the notebook; by default `folder`.
        """
        toml = self.folder.parent / "msgbook.toml"
        table = "[providers.openai]\n"
        config = self.config if table in self.config else f"{self.config}\n{table}"
        toml.write_text(config.replace(table, f'{table}api = "{self.api}"\n'))
        env = {
            "OPENAI_BASE_URL": self.server.url,
            "MSGBOOK_MODEL": "m",
            "MSGBOOK_APPROVAL": self.approval,
            "MSGBOOK_CONFIG": str(toml),
        }
        settings = load_settings(env)
        where = notebook or self.folder
        metadata = {"msgbook": {"frontmatter": self.frontmatter, **self.metadata}}

        async def transcript() -> Transcript:
            return Transcript("file", [], {"id": "c"}, metadata=metadata, path=where / self.name)

        async def turn() -> Any:
            approver = Approver(settings.approval, where)
            engine = self.engine = Conversation(
                Services(settings, sleep=no_sleep, clock=self.clock), where, approver=approver
            )
            running = asyncio.ensure_future(
                run_to_end(engine, prompt, transcript, engine.new_record(), HiddenTurn(), ask)
            )
            try:
                if meanwhile is not None:
                    await meanwhile(running)
                return (await running).turn
            finally:
                await engine.services.close()

        return dict(asyncio.run(turn()))

    def result(self, **options: Any) -> dict[str, Any]:
        """Return the result of the prompt's call of `dispatch_subagents`."""
        return dispatch_result(self.run(**options))

    def failure(self, **options: Any) -> str:
        """Return the result of a call that started nothing."""
        turn = self.run(**options)
        assert not self.files
        [result] = [b for b in turn["blocks"] if b["type"] == "tool_result"]
        assert result["status"] == "error"
        return str(result["content"])


@pytest.fixture
def team(server: ScriptedServer, tmp_path: Path, api: str) -> Team:
    folder = tmp_path / "project"
    (folder / ".msgbook").mkdir(parents=True)
    return Team(server, folder, api=api)
