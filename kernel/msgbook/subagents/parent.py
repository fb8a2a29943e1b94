"""The turn that starts sub-agents, what it passes on to them, and the tools with which it starts them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgbook.approval import Ask, Roots
from msgbook.display.failure import Failure
from msgbook.display.turn_view import TurnView
from msgbook.engine import Conversation
from msgbook.notebook import Transcript, working_folder
from msgbook.request import ActiveAgent, lineage_of
from msgbook.tools import CallContext, Content, SubagentTask, ToolSet, dispatch_tools
from msgbook.turn import Budgets, TurnRecord
from msgbook_format.agents import AgentMetadata, agent_metadata_of
from msgbook_format.turn import Turn

if TYPE_CHECKING:
    from msgbook.subagents.dispatcher import SubagentDispatcher


class EndedTurn(Protocol):
    """A turn that has ended, as `msgbook.turn_run` returns it."""

    @property
    def turn(self) -> Turn: ...
    @property
    def failure(self) -> Failure | None: ...


class RunTurn(Protocol):
    """Runs a turn to its end, as `msgbook.turn_run.run_to_end` does."""

    def __call__(
        self,
        conversation: Conversation,
        source: str,
        read_transcript: Callable[[], Awaitable[Transcript]],
        record: TurnRecord,
        view: TurnView,
        ask: Ask | None,
        *,
        within: Budgets,
    ) -> Awaitable[EndedTurn]: ...


@dataclass(frozen=True, slots=True)
class Parent:
    """A turn whose agent may start sub-agents.

    Args:
        budgets: Those of the turn; what its sub-agents use counts there.
        ask: Asks a person about a call of a sub-agent; None if nobody can be asked.
        run_turn: Runs the turn of a sub-agent.
    """

    conversation: Conversation
    active_agent: ActiveAgent
    transcript: Transcript
    budgets: Budgets
    ask: Ask | None
    run_turn: RunTurn

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of this agent and of those above, from the user's own conversation down."""
        return (*lineage_of(self.transcript).agents, self.active_agent.agent.name)

    @property
    def uuid(self) -> str:
        """The `uuid` of its AgentMetadata."""
        return AgentMetadata.read(agent_metadata_of(self.transcript.metadata)).uuid

    @property
    def folder(self) -> Path:
        """Folder that it works in, from which the paths start that it is told."""
        path = self.transcript.path
        return (
            working_folder(path.absolute().parent)
            if path is not None
            else self.conversation.folder.resolve()
        )

    @property
    def readable(self) -> tuple[Path, ...]:
        """Real paths below which it reads without approval."""
        allowed = self.active_agent.allowed
        return (self.conversation.folder.resolve(),) if allowed is None else allowed

    @property
    def roots(self) -> Roots:
        """Resolves paths as its tools do."""
        return Roots(self.conversation.folder)


# The tools of a turn that start sub-agents.


def with_subagents(tools: ToolSet, parent: Parent) -> ToolSet:
    """Bind the tools that start sub-agents to a running turn; return all of its tools."""
    connected = {
        tool.name: tool
        for tool in dispatch_tools(parent.conversation.folder, _LateDispatcher(parent))
    }
    return ToolSet(connected.get(tool.name, tool) for tool in tools)


class _LateDispatcher:
    """A dispatcher whose code is imported by its first call: few turns start sub-agents."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    async def dispatch(
        self, broadcast: str, tasks: list[SubagentTask], call: CallContext
    ) -> Content:
        """Run sub-agents to their ends and return their reports; see `tools.Dispatcher`."""
        await self._import()
        return await self._dispatcher.dispatch(broadcast, tasks, call)

    async def list_agent_types(self) -> str:
        """Return the agents that the turn's agent may start; see `tools.Dispatcher`."""
        await self._import()
        return await self._dispatcher.list_agent_types()

    @cached_property
    def _dispatcher(self) -> SubagentDispatcher:
        from msgbook.subagents.dispatcher import SubagentDispatcher

        return SubagentDispatcher(self._parent)

    async def _import(self) -> None:
        # It takes a while.
        await asyncio.to_thread(import_module, "msgbook.subagents.dispatcher")
