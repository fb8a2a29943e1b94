"""The tools of agents that call agents: their names, arguments and descriptions.

`msgbook.subagents` runs the sub-agents; a turn connects its own tools with it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, Field

from msgbook.approval import find_project
from msgbook.errors import ToolError
from msgbook.tools.base import CallContext, Content, Tool, ToolFunction
from msgbook_format.agents import TASK_FINISH

DISPATCH = "dispatch_subagents"
AGENT_TYPES = "get_agent_types"

TASK_FINISHED = "Task Finished. Report submitted."

_NOT_HERE = "{} can only be called by a model in its turn."

_Broadcast = Annotated[
    str, Field(description="What all of them have to know. They see nothing of this conversation.")
]
_Prompt = Annotated[str, Field(description="The task, complete in itself.")]
_AgentType = Annotated[
    str | None, Field(description="A name from get_agent_types; left out: an agent like you.")
]
_AllowedUris = Annotated[
    list[str] | None,
    Field(description="Files and folders that it may read; left out: all that you may read."),
]
_Summary = Annotated[
    str, Field(description="What the agent that gave you the task has to know, complete in itself.")
]


class SubagentTask(BaseModel):
    """One sub-agent, as a model asks for it."""

    prompt: _Prompt
    agent_type: _AgentType = None
    allowed_uris: _AllowedUris = None


class Dispatcher(Protocol):
    """Starts the sub-agents of one turn."""

    async def dispatch(
        self, broadcast: str, tasks: list[SubagentTask], call: CallContext
    ) -> Content:
        """Run sub-agents to their ends and return their reports.

        Raises:
            ToolError: None was started.
            ApprovalRequiredError: The call needs approval first.
        """
        ...

    async def list_agent_types(self) -> str:
        """Return the agents that the turn's agent may start, a line each."""
        ...


@dataclass(frozen=True)
class _DispatchTool(Tool):
    """`dispatch_subagents`; its schema has no references, which some servers do not follow."""

    folder: str = "."
    """Where sub-agents work, as `subagents_folder` has it."""

    @cached_property
    def schema(self) -> dict[str, Any]:
        schema = super().schema
        if self.folder != ".":
            schema["function"]["description"] += (
                f"\n\nThey work in `{self.folder}`: paths in a prompt start there, those in "
                "allowed_uris where yours do."
            )
        parameters = schema["function"]["parameters"]
        [task] = parameters.pop("$defs").values()
        task.pop("description", None)  # python -OO has none
        parameters["properties"]["sub_agents"]["items"] = task
        return schema


def subagents_folder(folder: Path) -> str:
    """Return the folder that sub-agents work in, the project's, relative to that of their parent.

    It is `.`, `..` or the like, on each machine.
    """
    return Path(os.path.relpath(find_project(folder), folder.resolve())).as_posix()


def dispatch_tools(folder: Path, dispatcher: Dispatcher | None = None) -> list[Tool]:
    """Return the tools of an agent that may start sub-agents.

    Args:
        folder: The folder that it works in.
        dispatcher: That of the turn; None outside of a turn, where the tools only have a schema.
    """

    def bind_dispatch(call: CallContext) -> ToolFunction:
        async def dispatch_subagents(
            context_broadcast: _Broadcast,
            sub_agents: Annotated[list[SubagentTask], Field(min_length=1)],
        ) -> Content:
            """Give tasks to sub-agents, which work side by side, and wait for their reports.

            Each has a conversation of its own and no more rights than you. Start several in one call
            if their tasks do not depend on each other.
            """
            if dispatcher is None:
                raise ToolError(_NOT_HERE.format(DISPATCH))
            return await dispatcher.dispatch(context_broadcast, sub_agents, call)

        return dispatch_subagents

    def bind_types(_call: CallContext) -> ToolFunction:
        async def get_agent_types() -> Content:
            """List the agents that dispatch_subagents can start."""
            if dispatcher is None:
                raise ToolError(_NOT_HERE.format(AGENT_TYPES))
            return await dispatcher.list_agent_types()

        return get_agent_types

    return [
        _DispatchTool(
            DISPATCH,
            bind_dispatch,
            keeps_time=True,
            recorded=False,
            folder=subagents_folder(folder),
        ),
        Tool(AGENT_TYPES, bind_types, read_only=True),
    ]


def task_finish_tool() -> Tool:
    """Return the tool with which a sub-agent reports. Its parent reads the report from the call."""

    def bind(_call: CallContext) -> ToolFunction:
        async def task_finish(context_summary: _Summary) -> Content:
            """Report the result of your task to the agent that gave it to you. It ends your task."""
            if not context_summary.strip():
                raise ToolError("The report is empty: say in context_summary what you have found.")
            return TASK_FINISHED

        return task_finish

    return Tool(TASK_FINISH, bind, ends_turn=True)
