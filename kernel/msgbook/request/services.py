"""Services that a request needs: a turn may ask, run tools and call models; a preview may not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from msgbook.approval import ApprovalRequest, Approve, Question
from msgbook.errors import ToolError
from msgbook.events import Notice, TurnEvent
from msgbook.notebook import Cell
from msgbook.request.active_agent import ActiveAgent, ChooseModel
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.history import MissingSummary
from msgbook.request.reference_calls import ReferenceCalls
from msgbook.request.reference_sources import Describe, RunTool
from msgbook.request.summary_calls import Summaries, describe_part, summarize
from msgbook.text import visible
from msgbook.tools.mcp import McpServers
from msgbook.turn import Budgets, CallRunner, CapResult, RepeatedCalls, RunCall, TurnRecord
from msgbook_format.turn import Block

_MAX_WARNINGS = 20
"""Warnings of one kind that a request shows."""


class RequestServices(Protocol):
    """Everything a request needs beyond reading files that need no approval."""

    @property
    def reported(self) -> set[str]:
        """Warnings and digests that the reader has seen in this session; grows."""
        ...

    @property
    def choose_model(self) -> ChooseModel:
        """Function that returns the model that answers."""
        ...

    async def ready_servers(self, names: Sequence[str]) -> None:
        """Make the tools of MCP servers known."""
        ...

    @property
    def describe(self) -> Describe | None:
        """Function that describes a Python variable; None if the host has no Python."""
        ...

    async def allow_read(self, real: Path, needed: ApprovalRequest) -> bool:
        """Return whether a file that the prompt names and that needs approval may be read."""
        ...

    def make_tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        """Return a function that runs the tools that the prompt names."""
        ...

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        """Summarize some of the cells above."""
        ...

    def warn(self, text: str) -> None:
        """Show a warning to the reader."""
        ...

    def inform(self, text: str) -> None:
        """Show a line to the reader that is no warning."""
        ...


def warn_once(services: RequestServices, warnings: Iterable[str]) -> None:
    """Show the warnings that the reader has not seen in this session; of many, the first and a count."""
    unseen = [text for text in dict.fromkeys(warnings) if text not in services.reported]
    services.reported.update(unseen)
    for warning in unseen[:_MAX_WARNINGS]:
        services.warn(warning)
    if len(unseen) > _MAX_WARNINGS:
        services.warn(f"{len(unseen) - _MAX_WARNINGS} more warnings like these are not shown.")


@dataclass(frozen=True, slots=True)
class TurnServices:
    """Services of a turn.

    Args:
        changed: Called after each change of the record.
        reported: Warnings and digests that the reader has seen in this session; grows.
        approve: Decides about tool calls that need approval.
        redact: Removes secrets from a tool's result.
        cap_result: Cuts a tool's result to the length that a request can hold.
        mcp: The user's MCP servers.
        new_token: Returns as many random bytes as hex digits.
        approve_read: Decides about reads that need approval.
        run_call: Makes each attempt to run a call of a recorded tool.
        clock: Returns monotonic seconds.
    """

    record: TurnRecord
    reported: set[str]
    changed: Callable[[], None]
    approve: Approve
    choose_model: ChooseModel
    describe: Describe | None
    redact: Callable[[str], str]
    cap_result: CapResult
    mcp: McpServers
    new_token: Callable[[int], str]
    approve_read: Approve
    run_call: RunCall
    clock: Callable[[], float]

    async def ready_servers(self, names: Sequence[str]) -> None:
        await self.mcp.ready(names, partial(_warn_once, self), self.inform)
        warn_once(self, self.mcp.notices(names))

    async def allow_read(self, real: Path, needed: ApprovalRequest) -> bool:
        decision = await self.approve_read(_question(real, needed, self.new_token(4)))
        if decision.approval == "denied":
            # The notice about this reference names who decided, and why.
            raise SourceError(decision.reason.removeprefix("Denied: ").rstrip("."))
        by = "you allowed it" if decision.approval == "user" else "it was allowed without asking"
        self._apply(Notice(f"{visible(str(real))} was read: {by}."))
        return True

    def make_tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        runner = CallRunner(
            self.record,
            active_agent.tools,
            self.approve,
            self.redact,
            self.cap_result,
            self.clock,
            Budgets(active_agent.limits, self.clock),
            RepeatedCalls(),
            self.run_call,
        )
        return ReferenceCalls(runner, self.record, self.changed, self.clock, self.new_token).run

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        return await summarize(
            missing, cells, active_agent.model, active_agent.provider, self._apply
        )

    def warn(self, text: str) -> None:
        self._apply(Notice(text, "warning"))

    def inform(self, text: str) -> None:
        self._apply(Notice(text))

    def _apply(self, event: TurnEvent) -> None:
        self.record.apply(event, self.clock())
        self.changed()


UNKNOWN_MODEL = "the server's only model"
"""Model of a preview if no setting names one: only the server knows its name."""


@dataclass(slots=True)
class PreviewServices:
    """Services of a preview: nothing runs, no person is asked, no model is called.

    Args:
        approves: Returns whether a read is approved without asking a person.
        known_model: Returns the model, given the wanted model and the provider; None if only the
            server knows it.
        mcp: The user's MCP servers; none is started.
    """

    approves: Callable[[Question], bool]
    known_model: Callable[[str | None, str | None], str | None]
    mcp: McpServers
    notices: list[str] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)

    async def choose_model(self, wanted: str | None, provider: str | None) -> str:
        return self.known_model(wanted, provider) or UNKNOWN_MODEL

    async def ready_servers(self, names: Sequence[str]) -> None:
        unknown = await self.mcp.known(names)
        if unknown:
            self.warn(
                f"The tools of MCP servers are not known before these have started: {', '.join(unknown)}."
            )

    async def describe(self, name: str) -> str:
        """Return a placeholder: describing a variable may run code of its type."""
        return _pending(f"py:{name}")

    async def allow_read(self, real: Path, needed: ApprovalRequest) -> bool:
        return self.approves(_question(real, needed, "preview"))

    def make_tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        async def run(name: str, arguments: str) -> ReferencedText:
            try:
                active_agent.tools.find(name)
            except ToolError as error:
                raise SourceError(str(error)) from None
            return ReferencedText(_pending(f"{name} {arguments}"), "literal")

        return run

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        return {
            summary.key: {
                "text": _pending(f"summary of {describe_part(cells, summary)}"),
                "source": summary.source,
            }
            for summary in missing
        }

    def warn(self, text: str) -> None:
        self.notices.append(text)

    def inform(self, text: str) -> None:
        self.notices.append(text)


def _warn_once(services: RequestServices, warning: str) -> None:
    warn_once(services, [warning])


def _question(real: Path, needed: ApprovalRequest, token: str) -> Question:
    """Return the question whether a file may be read."""
    call: Block = {
        "type": "tool_call",
        "id": f"read_{token}",
        "name": "read",
        "arguments": json.dumps({"path": str(real)}, ensure_ascii=False),
    }
    return Question(call, needed)


def _pending(description: str) -> str:
    return json.dumps({"pending": description}, ensure_ascii=False)
