"""Runs the sub-agents of a turn side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgbook.agents import Agent
from msgbook.background import BackgroundWrites, RunningSubagent
from msgbook.errors import ToolError
from msgbook.ids import LANE
from msgbook.notebook import Document
from msgbook.subagents.parent import Parent
from msgbook.subagents.planning import (
    AgentTypes,
    Plan,
    agent_types,
    approval_request,
    link_to,
    make_frontmatter,
    make_metadata,
    plan_subagents,
    relative,
)
from msgbook.subagents.subagent import Subagent, make_report, make_row
from msgbook.subagents.subagent_file import SubagentFile, create_conversation, new_path
from msgbook.text import one_line, visible
from msgbook.throttle import Throttle
from msgbook.tools import CallContext, SubagentTask

ROWS_INTERVAL = 0.3
"""Least seconds between two updates of the parent's rows."""
_CHECK_INTERVAL = 0.5
"""Seconds between two checks whether a file was deleted."""


class SubagentDispatcher:
    """Starts the sub-agents of one turn."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._started = 0

    async def dispatch(self, broadcast: str, tasks: list[SubagentTask], call: CallContext) -> str:
        """Run sub-agents to their ends and return their reports; see `tools.Dispatcher`."""
        types = await self._types()
        plans = plan_subagents(types, broadcast, tasks)
        call.require(approval_request(self._parent, broadcast, plans))
        subagents = await self._create(types.list_allowed(), plans, call.call_id)
        self._parent.budgets.count_subagents(len(subagents))
        await self._run(subagents, call)
        return make_report(subagents)

    async def list_agent_types(self) -> str:
        """Return the agents that may be named, a line each, with their descriptions."""
        agents = (await self._types()).list_allowed()
        lines = [
            f"- {visible(one_line(agent.name))}"
            + (f": {visible(one_line(agent.description))}" if agent.description else "")
            for agent in agents
        ]
        return "\n".join(lines) or "There are none. Leave agent_type out for an agent like you."

    async def _types(self) -> AgentTypes:
        project = await self._parent.conversation.request_builder.read_project()
        return agent_types(self._parent, project)

    async def _create(
        self, known: Sequence[Agent], plans: Sequence[Plan], call_id: str
    ) -> list[Subagent]:
        """Write the conversations of the sub-agents, all or none."""
        subagents: list[Subagent] = []
        try:
            for plan in plans:
                subagents.append(await self._new_subagent(known, plan, call_id))  # noqa: PERF401 - kept if one fails
        except BaseException:
            for subagent in subagents:
                subagent.written.discard()
            raise
        return subagents

    async def _new_subagent(self, known: Sequence[Agent], plan: Plan, call_id: str) -> Subagent:
        parent, ids = self._parent, self._parent.conversation.services.ids
        conversation = parent.conversation.for_subagent(parent.active_agent.limits)
        project, uuid, cell_id = conversation.folder, ids.new_uuid(), ids.new_token(4)
        path = new_path(project, parent.transcript.path, ids.new_token(4))
        is_saved = parent.conversation.services.saves_files
        writes = parent.conversation.services.writes
        create = partial(
            create_conversation,
            path,
            cell_id,
            plan.source,
            frontmatter=make_frontmatter(parent, plan, known, project),
            metadata=make_metadata(parent, plan, project, path, uuid, call_id),
            model=plan.model,
            is_saved=is_saved,
        )
        document = await _finish(create, writes, path if is_saved else None)
        record = conversation.new_record()
        written = SubagentFile(path, document, cell_id, record, writes, is_saved=is_saved)
        file, link = relative(path, parent.folder), link_to(path, parent)
        self._started += 1
        lane = f"{LANE.get()}.{self._started}"
        return Subagent(parent, plan, uuid, conversation, record, written, file, link, lane)

    async def _run(self, subagents: Sequence[Subagent], call: CallContext) -> None:
        """Run sub-agents until the last one has ended; a cancellation ends them all."""
        clock, redact = (
            self._parent.conversation.services.clock,
            self._parent.conversation.services.redact,
        )

        def update() -> None:
            rows = [make_row(subagent, clock(), redact) for subagent in subagents]
            call.update({"agents": rows})

        rows = Throttle(update, lambda: ROWS_INTERVAL)
        slots = asyncio.Semaphore(self._parent.active_agent.limits.subagents_at_once)
        running = {}
        for subagent in subagents:
            subagent.changed = rows.schedule
            running[self._start(subagent, slots)] = subagent
        rows.run_now()
        try:
            while any(not task.done() for task in running):
                await asyncio.wait(running, timeout=_CHECK_INTERVAL)
                for task, subagent in running.items():
                    if not task.done() and subagent.written.check_deleted():
                        task.cancel()
                rows.schedule()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            for subagent in subagents:
                subagent.changed = _nothing
            rows.run_now()

    def _start(self, subagent: Subagent, slots: asyncio.Semaphore) -> asyncio.Task[None]:
        """Start a sub-agent, which a person can stop from now on."""
        parent, task = self._parent, asyncio.ensure_future(subagent.run(slots))

        def stop() -> None:
            if subagent.is_under_way:
                subagent.is_stopped = True
                task.cancel()

        stop_soon = partial(asyncio.get_running_loop().call_soon_threadsafe, stop)
        cell_id = (parent.transcript.current or {}).get("id")
        running = parent.conversation.services.subagents
        running.add(RunningSubagent(subagent.uuid, parent.uuid, cell_id, stop_soon))
        task.add_done_callback(lambda _task: running.remove(subagent.uuid))
        return task


async def _finish(
    create: Callable[[], Document], writes: BackgroundWrites, path: Path | None
) -> Document:
    """Return a new conversation, made in a thread, which cannot be stopped.

    After a cancellation its turn does not begin, so its file at `path` is removed once it is written.
    """
    creating = asyncio.ensure_future(asyncio.to_thread(create))

    async def remove() -> None:
        with suppress(ToolError, OSError):
            await creating
            if path is not None:
                await asyncio.to_thread(path.unlink)

    try:
        return await asyncio.shield(creating)
    except asyncio.CancelledError:
        writes.start(remove())
        raise


def _nothing() -> None:
    """Ignore a change after the end."""
