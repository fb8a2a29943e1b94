"""Help while a prompt is written: completion and inspection, from what the session knows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval import Roots
from msgbook.config import Settings, redact
from msgbook.errors import MsgbookError
from msgbook.kernel.assist.surroundings import Surroundings, python_names, speaks_of_cells
from msgbook.notebook.session_memory import SessionMemory
from msgbook.notebook.transcript import LiveNotebook, Notebook, Transcript, all_cells

if TYPE_CHECKING:
    from msgbook.agents.resolve import AvailableAgent
    from msgbook.notebook.cells import Cell
    from msgbook.tools import Tool

MODELS_KEPT = 300.0
"""Seconds until the server is asked for its models again."""
MODELS_RETRY = 10.0
"""The same, when it did not tell them: it may still be starting."""


class Assistant:
    """Completes and inspects prompts. Looks at files in a thread, so that a slow disk stalls nothing.

    Args:
        live: Shows the notebook's cells.
        memory: Those that have run.
        tools: What the model can call, as far as it is known by now.
        magics: Names of all magics, with their percent signs.
        namespace: The names of the notebook's Python.
        hidden: Those of them that IPython put there.
        models: Those that the server offers.
        settings: The user's.
    """

    def __init__(
        self,
        folder: Path,
        private: Iterable[Path],
        *,
        live: LiveNotebook,
        memory: SessionMemory,
        tools: Callable[[], Iterable[Tool]],
        magics: Callable[[], Iterable[str]],
        namespace: Mapping[str, Any],
        hidden: Mapping[str, Any],
        models: ModelNames,
        settings: Callable[[], Settings] = Settings,
    ) -> None:
        self._folder = folder
        self._roots = Roots(folder, private)
        self._live, self._memory = live, memory
        self._tools, self._magics = tools, magics
        self._namespace, self._hidden = namespace, hidden
        self._models = models
        self._settings = settings

    async def complete(self, code: str, cursor: int) -> dict[str, Any]:
        """The content of a `complete_reply`."""
        from msgbook.kernel.assist import complete

        asks = speaks_of_cells(code, cursor)
        around = self._around(await all_cells(self._live, self._memory) if asks else Notebook(()))
        found = await asyncio.to_thread(complete.complete, code, cursor, around)
        self._models.refresh()
        return complete.reply(found, cursor)

    async def inspect(self, code: str, cursor: int) -> dict[str, Any]:
        """The content of an `inspect_reply`."""
        from msgbook.kernel.assist import inspect
        from msgbook.magics import HELP

        around = self._around(await all_cells(self._live, self._memory))
        shown = await inspect.inspect(code, cursor, around, HELP)
        return inspect.reply(shown and redact(shown, self._settings().secrets))

    def _around(self, notebook: Notebook) -> Surroundings:
        magics = list(self._magics())
        return Surroundings(
            self._roots,
            cells=notebook.cells,
            metadata=notebook.metadata,
            names=python_names(self._namespace, self._hidden),
            models=self._models.known,
            agents=lambda above: self._agents(notebook.metadata, above),
            tools=list(self._tools()),
            magics=magics,
            is_magic=frozenset(magics).__contains__,
        )

    def _agents(self, metadata: Mapping[str, Any], above: Sequence[Cell]) -> list[AvailableAgent]:
        """The agents that can be named below some cells; reads the project's."""
        from msgbook.agents.project_files import read_project
        from msgbook.agents.resolve import list_agents
        from msgbook.approval import followed_project
        from msgbook.request.active_agent import find_agent_sources

        transcript = Transcript("live", above, metadata=metadata)
        project = read_project(followed_project(self._folder), self._folder)
        return list_agents(above, find_agent_sources(transcript, project, self._settings()))


class ModelNames:
    """The models that the server offers, asked for in the background.

    Args:
        offered: Asks the server. Raises `MsgbookError`.
        clock: Seconds that only go up.
    """

    def __init__(
        self, offered: Callable[[], Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._offered = offered
        self._clock = clock
        self._names: list[str] = []
        self._wanted = False
        self._asked: float | None = None
        self._asking: asyncio.Task[None] | None = None

    def known(self) -> list[str]:
        """Those known by now; may be called in any thread."""
        self._wanted = True
        return list(self._names)

    def refresh(self) -> None:
        """Ask the server if somebody wanted to know and the last answer is old."""
        now = self._clock()
        kept = MODELS_KEPT if self._names else MODELS_RETRY
        old = self._asked is None or now - self._asked > kept
        idle = self._asking is None or self._asking.done()
        if self._wanted and old and idle:
            self._asked = now
            self._asking = asyncio.ensure_future(self._ask())
        self._wanted = False

    def close(self) -> None:
        """Stop asking."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self) -> None:
        try:
            self._names = await self._offered()
        except MsgbookError:
            # Completion offers nothing then; a turn tells what is wrong.
            self._names = []
