"""One sub-agent, from its start to its end, with its report to the parent and its row for the reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgbook.approval import Answer, Ask, Question
from msgbook.display.failure import Failure, log_internal_error
from msgbook.engine import Conversation
from msgbook.ids import LANE
from msgbook.subagents.parent import Parent
from msgbook.subagents.planning import Plan
from msgbook.subagents.subagent_file import SubagentFile
from msgbook.text import capped, excerpt, one_line, visible
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
        "last": excerpt(visible(one_line(redact(_last_line(turn)), _LENGTH + 1)), _LENGTH),
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
