"""The tools of a turn that start sub-agents, connected with it."""

from __future__ import annotations

import asyncio
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from msgbook.subagents.parent import Parent
from msgbook.tools import CallContext, Content, SubagentTask, ToolSet, dispatch_tools

if TYPE_CHECKING:
    from msgbook.subagents.dispatcher import SubagentDispatcher


def with_subagents(tools: ToolSet, parent: Parent) -> ToolSet:
    """Return the tools of a turn, in which those that start sub-agents are connected with it."""
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
        """Import the code in a thread, since it takes a while."""
        await asyncio.to_thread(import_module, "msgbook.subagents.dispatcher")
