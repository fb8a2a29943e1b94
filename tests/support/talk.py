"""A notebook that is answered through an engine which has a scripted server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine_turns import run_turn
from scripted_server import ScriptedServer, text

from msgbook.approval import Answer, Question
from msgbook.config import load_settings
from msgbook.display.turn_view import HiddenTurn, TurnView
from msgbook.engine import Conversation, Services
from msgbook.magics.history import make_turn_views
from msgbook.notebook.transcript import Transcript
from msgbook.request.history import StaleTurn, stale_turns
from msgbook.turn import Purse
from msgbook_format.turn import TURN_MIME


async def no_sleep(seconds: float) -> None:
    """Waits in virtual time."""


class Talk:
    """Cells that are run one after the other, as a page shows them.

    Args:
        folder: The notebook's; also holds the user's `msgbook.toml` where a test writes one.
    """

    def __init__(self, server: ScriptedServer, folder: Path, **options: Any) -> None:
        self.server = server
        self.folder = folder
        self.cells: list[dict[str, Any]] = []
        self.metadata: dict[str, Any] = {}
        self.questions: list[Question] = []
        self.answer: Callable[[Question], Answer | None] = lambda question: None
        self._options = options
        self.env: dict[str, str] = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
        self.purse: Purse | None = None

    def add(self, source: str, cell_type: str = "code", **keys: Any) -> dict[str, Any]:
        """A cell at the end of the notebook, which is not run."""
        cell = {
            "id": f"c{len(self.cells) + 1}",
            "cell_type": cell_type,
            "source": source,
            "metadata": {},
            "outputs": [],
            **keys,
        }
        self.cells.append(cell)
        return cell

    def ask(self, source: str, answer: str = "Yes.", **keys: Any) -> dict[str, Any]:
        """Run a new cell at the end; its turn.

        Args:
            answer: Of the server, unless it has answers already.
        """
        if not self.server.answers:
            self.server.answers = [text(answer)]
        self.add(source, **keys)
        return self.rerun(len(self.cells) - 1)

    def session(self, *sources: str) -> list[dict[str, Any]]:
        """Run new cells with one engine, which remembers what the server has refused; their turns."""
        first = len(self.cells)
        for source in sources:
            self.add(source)

        async def run() -> list[dict[str, Any]]:
            async with self._engine() as engine:
                places = range(first, len(self.cells))
                return [self._keep(at, await self._turn(engine, at)) for at in places]

        return asyncio.run(run())

    def interrupted(self, source: str, changes: int) -> dict[str, Any]:
        """Run a new cell and interrupt it after so many changes of its turn; its turn."""
        self.add(source)
        return asyncio.run(self._run(len(self.cells) - 1, _Interrupt(changes)))

    def rerun(self, position: int) -> dict[str, Any]:
        """Run a cell as it stands."""
        return asyncio.run(self._run(position))

    def preview(self, position: int) -> Any:
        """What `Conversation.preview` gives for a cell."""

        async def previewed() -> Any:
            async with self._engine() as engine:
                return await engine.preview(*self._running(position))

        return asyncio.run(previewed())

    def stale(self) -> list[StaleTurn]:
        """The turns whose requests would be different today."""

        async def found() -> list[StaleTurn]:
            async with self._engine() as engine:
                builder = engine.request_builder
                _, transcript = self._running(len(self.cells) - 1)
                transcript = replace(transcript, earlier=self.cells)
                project = await builder.read_project()
                await builder.restore_texts(transcript, project)
                views = make_turn_views(
                    builder.agent_chooser, transcript, project, engine.services.settings
                )
                return stale_turns(self.cells, builder.reader, views)

        return asyncio.run(found())

    def sent(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of a request to the server."""
        return self.server.messages(number)

    @property
    def blobs(self) -> dict[str, str]:
        """What is kept in the project."""
        folder = self.folder / ".msgbook" / "blobs"
        return {p.name: p.read_text("utf-8") for p in folder.iterdir()} if folder.exists() else {}

    async def _run(self, position: int, view: TurnView | None = None) -> dict[str, Any]:
        async with self._engine() as engine:
            return self._keep(position, await self._turn(engine, position, view))

    async def _turn(self, engine: Any, position: int, view: TurnView | None = None) -> Any:
        running = run_turn(engine, *self._running(position), self._ask, view=view)
        return await asyncio.ensure_future(_to_its_end(running))

    def _keep(self, position: int, turn: Any) -> dict[str, Any]:
        """Put a turn below its cell; return it as a file would keep it."""
        kept: dict[str, Any] = json.loads(json.dumps(turn))
        self.cells[position]["outputs"] = [
            {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: kept}}
        ]
        return kept

    def _running(self, position: int) -> tuple[str, Transcript]:
        cell = self.cells[position]
        return cell["source"], Transcript(
            "live",
            self.cells[:position],
            cell,
            metadata=self.metadata,
            path=self.folder / "chat.msg.md",
        )

    @asynccontextmanager
    async def _engine(self) -> Any:
        services = Services(load_settings(self.env), sleep=no_sleep, purse=self.purse)
        engine = Conversation(services, self.folder, **self._options)
        try:
            yield engine
        finally:
            await engine.services.close()

    async def _ask(self, question: Question) -> Answer | None:
        self.questions.append(question)
        return self.answer(question)


class _Interrupt(HiddenTurn):
    """Interrupts a turn after some changes of it."""

    def __init__(self, changes: int) -> None:
        self._left = changes

    def changed(self) -> None:
        self._left -= 1
        if self._left == 0 and (task := asyncio.current_task()) is not None:
            task.cancel()


async def _to_its_end(running: Coroutine[Any, Any, Any]) -> Any:
    """Return a turn, also if it was interrupted by its very last change."""
    turn = await running
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
    return turn


def notices(turn: dict[str, Any]) -> list[str]:
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


def content_reference(message: dict[str, Any]) -> dict[str, Any]:
    """The block at the end of a user message."""
    content = message["content"]
    words = content if isinstance(content, str) else content[-1]["text"]
    start = words.index("<content_reference>\n") + len("<content_reference>\n")
    found: dict[str, Any] = json.loads(words[start : words.rindex("\n</content_reference>")])
    return found
