"""What may be done to make a request: in a turn everything, by the rules; in a preview nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from msgbook.approval import ApprovalRequest, Approve, Question
from msgbook.errors import ToolError
from msgbook.events import Notice, TurnEvent
from msgbook.notebook.cells import Cell
from msgbook.request.active_agent import ActiveAgent, ChooseModel
from msgbook.request.context.sources import Document, SourceError
from msgbook.request.history import MissingSummary
from msgbook.request.reference_calls import ReferenceCalls
from msgbook.request.reference_sources import Describe, RunTool
from msgbook.request.summary_calls import Summaries, describe_part, summarize
from msgbook.text import visible
from msgbook.turn.calls import CallRunner, CapResult
from msgbook.turn.limits import Budgets, RepeatedFailures
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import Block


class RequestServices(Protocol):
    """What a request is made with, beside the reading of free files."""

    @property
    def reported(self) -> set[str]:
        """What the reader has been told in this session and need not be told again."""
        ...

    @property
    def choose_model(self) -> ChooseModel:
        """Chooses the model."""
        ...

    @property
    def describe(self) -> Describe | None:
        """Describes a Python variable; None where there is no Python."""
        ...

    async def allow(self, real: Path, needed: ApprovalRequest) -> bool:
        """Whether a file that the user names may be read though it is not free."""
        ...

    def tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        """Runs tools that the prompt names."""
        ...

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        """Makes summaries of some of the cells above."""
        ...

    def warn(self, words: str) -> None:
        """Tells the reader what is not followed."""
        ...


@dataclass(frozen=True, slots=True)
class TurnServices:
    """The means of a turn.

    Args:
        changed: Called after each change of the record.
        told: What the reader has been told in this session; grows.
        approve: Decides about what is not free.
        redact: Takes out of a tool's result what must not be shown or sent on.
        cap_result: Cuts a tool's result down to what a request can carry.
    """

    record: TurnRecord
    reported: set[str]
    changed: Callable[[], None]
    approve: Approve
    choose_model: ChooseModel
    describe: Describe | None
    redact: Callable[[str], str]
    cap_result: CapResult

    async def allow(self, real: Path, needed: ApprovalRequest) -> bool:
        decision = await self.approve(_question(real, needed))
        if decision.approval == "denied":
            # Who decided, and why, is for the reader: a notice that names the file alone would not tell.
            raise SourceError(f"it was not sent. {decision.reason.rstrip('.')}")
        by = "you allowed it" if decision.approval == "user" else "it was allowed without asking"
        self._apply(Notice(f"{visible(str(real))} was read: {by}."))
        return True

    def tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        runner = CallRunner(
            self.record,
            active_agent.tools,
            self.approve,
            self.redact,
            self.cap_result,
            time.monotonic,
            Budgets(active_agent.limits, time.monotonic),
            RepeatedFailures(),
        )
        return ReferenceCalls(runner, self.record, self.changed, time.monotonic).run

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        return await summarize(
            missing, cells, active_agent.model, active_agent.provider, self._apply
        )

    def warn(self, words: str) -> None:
        self._apply(Notice(words, "warning"))

    def _apply(self, event: TurnEvent) -> None:
        self.record.apply(event, time.monotonic())
        self.changed()


UNKNOWN_MODEL = "the server's only model"
"""In a preview, where the settings name none: which one that is, the server would have to tell."""


@dataclass(slots=True)
class PreviewServices:
    """The means of a preview: nothing runs, nobody is asked, no model answers.

    Args:
        approve: Decides without asking a person.
        known_model: The model, given the one that is wanted and the provider; None where the server
            would have to be asked.
    """

    approve: Approve
    known_model: Callable[[str | None, str | None], str | None]
    notices: list[str] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)

    async def choose_model(self, wanted: str | None, provider: str | None) -> str:
        return self.known_model(wanted, provider) or UNKNOWN_MODEL

    async def describe(self, name: str) -> str:
        """A variable is described by code of its own."""
        return _pending(f"py:{name}")

    async def allow(self, real: Path, needed: ApprovalRequest) -> bool:
        return (await self.approve(_question(real, needed))).approval != "denied"

    def tool_runner(self, active_agent: ActiveAgent) -> RunTool:
        async def run(name: str, arguments: str) -> Document:
            try:
                active_agent.tools.find(name)
            except ToolError as error:
                raise SourceError(str(error)) from None
            return Document(_pending(f"{name} {arguments}"), "literal")

        return run

    async def summarize(
        self, missing: Sequence[MissingSummary], cells: Sequence[Cell], active_agent: ActiveAgent
    ) -> Summaries:
        return {
            one.key: {
                "text": _pending(f"summary of {describe_part(cells, one)}"),
                "source": one.source,
            }
            for one in missing
        }

    def warn(self, words: str) -> None:
        self.notices.append(words)


def _question(real: Path, needed: ApprovalRequest) -> Question:
    """May a file be read?"""
    call: Block = {
        "type": "tool_call",
        "id": f"read_{token_hex(4)}",
        "name": "read",
        "arguments": json.dumps({"path": str(real)}, ensure_ascii=False),
    }
    return Question(
        call,
        needed,
    )


def _pending(what: str) -> str:
    return json.dumps({"pending": what}, ensure_ascii=False)
