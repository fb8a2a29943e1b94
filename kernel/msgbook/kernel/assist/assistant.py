"""Completion and inspection of prompts, from what the session knows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval import Roots
from msgbook.config import Settings, redact
from msgbook.errors import MsgbookError
from msgbook.kernel.assist.prompt_scope import needs_cells_to_explain, needs_other_cells
from msgbook.kernel.page.queries import PageQueries, Query, QueryError
from msgbook.notebook import LiveNotebook, Notebook, SessionMemory, all_cells
from msgbook_format.syntax import CHAT_CELLS, CellRule

if TYPE_CHECKING:
    from msgbook.agents import AvailableAgent
    from msgbook.kernel.assist.prompt_scope import PromptScope
    from msgbook.kernel.execute_request import Routing
    from msgbook.notebook import Cell
    from msgbook.tools import Tool

MODELS_KEPT = 300.0
"""Seconds until the server is asked for its models again: Tab must not wait, and lists change by the day."""
MODELS_RETRY = 10.0
"""Seconds until a server that did not answer is asked again: it may still be starting."""


class Assistant:
    """Completes and inspects prompts. Files are read in a thread, so a slow disk blocks nothing.

    Args:
        live: Shows the notebook's cells.
        memory: The cells that have run.
        tools: Returns the tools that models can call, if they are known.
        magics: Returns the names of all magics, with their percent signs.
        namespace: The variables of the notebook's Python.
        hidden: The variables that IPython made.
        describe: Describes one of the variables.
        models: The server's models.
        settings: Returns the user's settings.
        cell_rule: Tells the messages among the notebook's code cells.
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
        describe: Callable[[str], Awaitable[str]] | None = None,
        settings: Callable[[], Settings] = Settings,
        cell_rule: CellRule = CHAT_CELLS,
    ) -> None:
        self._folder = folder
        self._roots = Roots(folder, private)
        self._live, self._memory = live, memory
        self._tools, self._magics = tools, magics
        self._namespace, self._hidden = namespace, hidden
        self._models = models
        self._describe = describe
        self._settings = settings
        self._cell_rule = cell_rule

    async def complete(self, code: str, cursor: int) -> dict[str, Any]:
        """Return the content of a `complete_reply`."""
        from msgbook.kernel.assist import complete

        notebook = Notebook(())
        if needs_other_cells(code, cursor):
            notebook = await all_cells(self._live, self._memory)
        scope = self._scope(notebook)
        found = await asyncio.to_thread(complete.complete, code, cursor, scope)
        self._models.refresh()
        return complete.reply(found, cursor)

    async def inspect(self, code: str, cursor: int) -> dict[str, Any]:
        """Return the content of an `inspect_reply`."""
        from msgbook.kernel.assist import inspect

        notebook = Notebook(())
        if needs_cells_to_explain(code, cursor):
            notebook = await all_cells(self._live, self._memory)
        scope = self._scope(notebook)
        shown = await inspect.inspect(code, cursor, scope)
        return inspect.reply(shown and scope.redact(shown))

    def _scope(self, notebook: Notebook) -> PromptScope:
        # Imported here: the kernel starts without it.
        from msgbook.kernel.assist.prompt_scope import PromptScope, python_names

        magics = list(self._magics())
        return PromptScope(
            self._roots,
            cells=notebook.cells,
            metadata=notebook.metadata,
            variables=python_names(self._namespace, self._hidden),
            models=self._models.known,
            agents=lambda above: self._agents(notebook.metadata, above),
            tools=list(self._tools()),
            magics=magics,
            cell_rule=self._cell_rule,
            describe=self._describe,
            redact=lambda text: redact(text, self._settings().secrets),
        )

    def _agents(self, metadata: Mapping[str, Any], above: Sequence[Cell]) -> list[AvailableAgent]:
        """Return the agents that a cell can name below some cells; reads the project's files."""
        from msgbook.agents import AgentSources, list_available_agents, read_project
        from msgbook.approval import followed_project

        project = read_project(followed_project(self._folder), self._folder)
        return list_available_agents(
            above, AgentSources.from_notebook(metadata, project, self._settings().agents)
        )


class ModelNames:
    """The names of the server's models, read in the background.

    Args:
        offered: Asks the server. Raises `MsgbookError`.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self, offered: Callable[[], Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._offered = offered
        self._clock = clock
        self._names: list[str] = []
        self._is_wanted = False
        self._asked_at: float | None = None
        self._asking: asyncio.Task[None] | None = None

    def known(self) -> list[str]:
        """Return the names that are known; safe to call in any thread."""
        self._is_wanted = True
        return list(self._names)

    def refresh(self) -> None:
        """Ask the server if `known` was called and the last answer is old."""
        now = self._clock()
        kept = MODELS_KEPT if self._names else MODELS_RETRY
        is_old = self._asked_at is None or now - self._asked_at > kept
        is_idle = self._asking is None or self._asking.done()
        if self._is_wanted and is_old and is_idle:
            self._asked_at = now
            self._asking = asyncio.ensure_future(self._ask())
        self._is_wanted = False

    def close(self) -> None:
        """Stop asking."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self) -> None:
        try:
            self._names = await self._offered()
        except MsgbookError:
            # Completion offers no models; the error appears in the next turn.
            self._names = []


def answer_assist(queries: PageQueries, assistant: Assistant, routing: Routing) -> None:
    """Answer `assist.complete` and `assist.inspect` for prompts and msgbook's magics."""

    def answering(
        assist: Callable[[str, int], Awaitable[dict[str, Any]]],
        is_own: Callable[[str, int], bool],
    ) -> Callable[[Query], Awaitable[dict[str, Any]]]:
        async def answer(query: Query) -> dict[str, Any]:
            code, cursor = query.text("code"), query.params.get("cursor_pos")
            if type(cursor) is not int or cursor < 0:
                raise QueryError("`cursor_pos` has to be a position in `code`.")
            if not is_own(code, cursor):
                raise QueryError("This cell is Python, which ordinary requests complete.")
            # JupyterLab asks for previews behind the end, also in ordinary requests.
            return await assist(code, min(cursor, len(code)))

        return answer

    queries.on_query("assist.complete", answering(assistant.complete, routing.is_completed_here))
    queries.on_query(
        "assist.inspect",
        answering(assistant.inspect, lambda code, _: routing.is_msgbook_cell(code)),
    )
