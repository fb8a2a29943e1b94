"""Runs the sub-agents of a turn side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgbook.agents import Agent
from msgbook.approval import Answer, Ask, Question
from msgbook.background import BackgroundWrites, RunningSubagent
from msgbook.display.failure import Failure, log_internal_error
from msgbook.engine import Conversation
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
from msgbook.subagents.subagent_file import SubagentFile, create_conversation, new_path
from msgbook.text import capped, excerpt, one_line, visible
from msgbook.throttle import Throttle
from msgbook.tools import CallContext, SubagentTask
from msgbook.turn import TurnRecord
from msgbook_format.agents import task_report
from msgbook_format.turn import (
    ERRORS,
    TEXTS,
    TOOL_CALLS,
    AgentRow,
    Turn,
    answer_text,
    match_results,
)

ROWS_INTERVAL = 0.3
"""Least seconds between two updates of the parent's rows: each is a change of its turn, which is shown."""
_CHECK_INTERVAL = 0.5
"""Seconds between two checks whether a file was deleted, which ends its sub-agent."""


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


# One sub-agent, from its start to its end, with its report to the parent and its row for the reader.


@dataclass(slots=True)
class Subagent:
    """A sub-agent and how far it is.

    Args:
        conversation: Its own, from `Conversation.for_subagent`.
        file: Its conversation, relative to the folder that its parent works in.
        link: The same, relative to the folder with its parent's file.
        lane: Its place among the turns, for `msgbook.ids`.
        changed: Called after each change.
    """

    parent: Parent
    plan: Plan
    uuid: str
    conversation: Conversation
    record: TurnRecord
    written: SubagentFile
    file: str
    link: str
    lane: str
    changed: Callable[[], None] = lambda: None
    state: str = "pending"
    """`pending` or `running` before its end; then the status of its turn, or `deleted`."""
    is_stopped: bool = False
    """Whether a person stopped it, and not its whole parent."""
    failure: Failure | None = None
    started: float | None = None
    """Time of its start, on the clock of the services."""
    ended: float | None = None

    @property
    def turn(self) -> Turn:
        """Its turn as it is now."""
        return self.record.snapshot()

    @property
    def is_under_way(self) -> bool:
        """True until its turn has ended."""
        return self.state in ("pending", "running")

    async def run(self, slots: asyncio.Semaphore) -> None:
        """Run its turn, once there is a slot, and write its file. A cancellation ends it."""
        try:
            async with slots:
                if not self.written.check_deleted():
                    await self._run()
        except asyncio.CancelledError:
            self.state = "interrupted"
            raise
        except Exception as error:
            self.failure = log_internal_error(error, self.conversation.services.settings.secrets)
            self.state = "error"
        finally:
            if self.written.is_deleted:
                self.state = "deleted"
            self.ended = self.conversation.services.clock()
            self.changed()

    async def _run(self) -> None:
        LANE.set(self.lane)
        self.state, self.started = "running", self.conversation.services.clock()
        ended = await self.parent.run_turn(
            self.conversation,
            self.written.source,
            self.written.read_transcript,
            self.record,
            _SubagentView(self),
            self._asker(),
            within=self.parent.budgets,
        )
        self.state, self.failure = ended.turn["status"], ended.failure
        writing = self.written.end(ended.failure)
        self.changed()
        if not _is_cancelled():
            await asyncio.shield(writing)

    def _asker(self) -> Ask | None:
        """Return a function that asks where the parent's questions are answered."""
        parent_ask = self.parent.ask
        if parent_ask is None:
            return None

        async def ask(question: Question) -> Answer | None:
            call = question.call
            if not question.asker:
                call = {**call, "id": f"{self.uuid}/{call['id']}"}
            named = replace(question, call=call, asker=(self.plan.name, *question.asker))
            with self.parent.budgets.paused():
                return await parent_ask(named)

        return ask


class _SubagentView:
    """A `TurnView` that writes the file of a sub-agent and its parent's row."""

    def __init__(self, subagent: Subagent) -> None:
        self._subagent = subagent

    def changed(self) -> None:
        self._subagent.written.changed()
        self._subagent.changed()

    def show(self) -> None:
        self.changed()

    def finish(self) -> None:
        self._subagent.changed()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# The result of `dispatch_subagents`: a heading and a report for each sub-agent. Pure.


_SEPARATOR = "\n\n----------------\n\n"
_LIMIT = 19_000
"""Characters of all reports together; a result of more than 20,000 is cut."""
_LEAST = 400
"""Characters that each report may have at least, however many there are."""
_NOTHING = "All sub-agents were deleted or produced no output."


def make_report(subagents: Sequence[Subagent]) -> str:
    """Return the result of a call. A long report is cut; its file has all of it."""
    if all(subagent.state == "deleted" or _is_silent(subagent) for subagent in subagents):
        listed = [_heading(subagent, False) for subagent in subagents]
        return "\n".join([_NOTHING, *listed])
    limit = max(_LIMIT // len(subagents) - 200, _LEAST)
    return _SEPARATOR.join(_report(subagent, limit) for subagent in subagents)


def _report(subagent: Subagent, limit: int) -> str:
    if subagent.state == "deleted":
        return _heading(subagent, False)
    report = task_report(subagent.turn)
    text = report if report is not None else _last_text(subagent.turn)
    parts = [_heading(subagent, report is not None), capped(text, limit), f"File: {subagent.file}"]
    if subagent.written.problem:
        parts[-1] += f" (it could not be written: {subagent.written.problem})"
    return "\n".join(part for part in parts if part)


def _heading(subagent: Subagent, has_report: bool) -> str:
    if subagent.state == "deleted":
        return f"### Sub-agent {subagent.uuid[:6]} was deleted (Cancelled)."
    if has_report:
        return f"### Sub-agent '{subagent.plan.name}' Finished:"
    if subagent.is_stopped and subagent.state == "interrupted":
        return f"### Sub-agent '{subagent.plan.name}' (no report), stopped by the user:"
    reason = subagent.turn.get("finish_reason") if subagent.state == "incomplete" else None
    if subagent.failure is not None and subagent.state != "interrupted":
        reason = f"{subagent.failure.name}: {subagent.failure.message}"
    why = f" ({reason})" if reason else ""
    return f"### Sub-agent '{subagent.plan.name}' (no report), {subagent.state}{why}:"


def _is_silent(subagent: Subagent) -> bool:
    return (
        subagent.state == "done"
        and task_report(subagent.turn) is None
        and not _last_text(subagent.turn)
    )


def _last_text(turn: Turn) -> str:
    """Return the text of the last step that has any."""
    steps: dict[int, list[str]] = {}
    for block in turn["blocks"]:
        if block in TEXTS:
            steps.setdefault(block.get("step", 0), []).append(answer_text([block]))
    texts = ["\n\n".join(texts).strip() for texts in steps.values()]
    return next((text for text in reversed(texts) if text), "")


# The row of a sub-agent in its parent's turn. Pure.


_LENGTH = 120
"""Characters of the last line of a sub-agent that its row shows."""


def make_row(subagent: Subagent, now: float, redact: Callable[[str], str]) -> AgentRow:
    """Return the row of a sub-agent as it is now."""
    turn = subagent.turn
    row: AgentRow = {
        "uuid": subagent.uuid,
        "name": subagent.plan.name,
        "agent": subagent.plan.agent.name,
        "file": subagent.link,
        "status": subagent.state,
        "steps": subagent.record.step,
        "last": excerpt(visible(one_line(redact(_last_line(turn)), 2 * _LENGTH)), _LENGTH),
    }
    if "usage" in turn:
        row["usage"] = turn["usage"]
    if subagent.started is not None:
        row["duration"] = round((subagent.ended or now) - subagent.started, 1)
    return row


def _last_line(turn: Turn) -> str:
    """Return the tool that runs, else the last line of the report or of the text."""
    blocks = turn["blocks"]
    results = match_results(blocks)
    for position in reversed(range(len(blocks))):
        block: Any = blocks[position]
        if block in TOOL_CALLS:
            result = results.get(position)
            if result is None or "status" not in blocks[result]:
                return str(block.get("name", ""))
        if block in ERRORS:
            return str(block.get("message", ""))
    report = task_report(turn)
    lines = (answer_text(blocks) if report is None else report).strip().splitlines()
    return lines[-1] if lines else ""
