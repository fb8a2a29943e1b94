"""Services that a request needs: a turn may ask, run tools and call models; a preview may not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgbook.approval import ApprovalRequest, Approve, Question
from msgbook.config.settings import Limits
from msgbook.errors import MsgbookError, ToolError
from msgbook.events import (
    ModelChosen,
    ModelFinished,
    Notice,
    ReferenceCalled,
    RetryWait,
    SummaryAsked,
    TextDelta,
    TurnEvent,
    UsageReported,
)
from msgbook.messages import content_text
from msgbook.notebook import Cell, describe_cell
from msgbook.provider import Provider, Request
from msgbook.request.active_agent import (
    ActiveAgent,
    ChooseModel,
    UnknownPriceError,
    check_prices,
)
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.history import MissingSummary, summary_record, summary_request
from msgbook.text import join_first, repair_surrogates, visible
from msgbook.tools.mcp import McpServers
from msgbook.turn import (
    AnswerSize,
    Budgets,
    CallRunner,
    CapResult,
    RepeatedCalls,
    RunCall,
    TurnRecord,
)
from msgbook_format.turn import TOOL_CALLS, TOOL_RESULTS, Block

if TYPE_CHECKING:
    from msgbook.request.reference_sources import Describe, RunTool

CheckAgent = Callable[[ActiveAgent], None]
"""Raises `MsgbookError` unless the agent may ask its model."""

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
    def check_agent(self) -> CheckAgent:
        """Function that checks the chosen agent before anything is asked of its model."""
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
        """Show a line to the reader that is not a warning."""
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
        check_agent: Checks the chosen agent before anything is asked of its model.
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
    check_agent: CheckAgent
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

    def check_agent(self, active_agent: ActiveAgent) -> None:
        if active_agent.limits.max_cost is None or active_agent.model == UNKNOWN_MODEL:
            return
        try:
            check_prices(active_agent)
        except UnknownPriceError as error:
            self.warn(str(error))

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
        "type": TOOL_CALLS.name,
        "id": f"read_{token}",
        "name": "read",
        "arguments": json.dumps({"path": str(real)}, ensure_ascii=False),
    }
    return Question(call, needed)


def _pending(description: str) -> str:
    return json.dumps({"pending": description}, ensure_ascii=False)


# Model calls that make the missing summaries of a request, with the model that answers.


_MAX_PARALLEL = 4
"""Summaries that are asked for at once: more would run into a server's limits of requests."""
_MAX_NAMES = 5
"""Parts that a notice names."""

Summaries = dict[str, dict[str, str]]
"""New summaries, as `context.summaries` records them."""


def describe_part(cells: Sequence[Cell], missing: MissingSummary, parts: int = 1) -> str:
    """Return a name for the cell, or the part of a cell, that has to be summarized.

    Args:
        parts: How many parts of that cell the name stands for.
    """
    if missing.cell is None:
        return missing.key
    cell = describe_cell(cells, missing.cell)
    if "/" not in missing.key:
        return cell
    return f"{parts} parts of {cell}" if parts > 1 else f"a part of {cell}"


async def summarize(
    missing: Sequence[MissingSummary],
    cells: Sequence[Cell],
    model: str,
    provider: Provider,
    notify: Callable[[Notice | ModelChosen | SummaryAsked], None],
) -> Summaries:
    """Call the model for each missing summary, a few at a time. A failure is a notice.

    Args:
        cells: The cells above.
        notify: Gets notices for the reader, the model that answers instead, and the usage of each call.
    """
    if not missing:
        return {}
    parts = list({part.key: part for part in missing}.values())
    notify(Notice(f"Summarizing {_describe_parts(cells, parts)}."))
    free_calls = asyncio.Semaphore(_MAX_PARALLEL)

    async def summarize_part(part: MissingSummary) -> Summaries:
        async with free_calls:
            try:
                answer = await _call_model(part, model, provider, notify)
            except MsgbookError as error:
                reason = f"could not be summarized and is {_instead(part)}: {error}"
                notify(_warn_of_missing(cells, part, reason))
                return {}
        summaries = summary_record(part, answer)
        if not summaries:
            notify(_warn_of_missing(cells, part, f"got an empty summary and is {_instead(part)}."))
        return summaries

    tasks = [asyncio.ensure_future(summarize_part(part)) for part in parts]
    try:
        made = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {key: summary for summaries in made for key, summary in summaries.items()}


def _describe_parts(cells: Sequence[Cell], parts: Sequence[MissingSummary]) -> str:
    """Return names for cells and parts of cells; one name for all parts of the same cell."""
    numbers: dict[str, int] = {}
    first: dict[str, MissingSummary] = {}
    for part in parts:
        name = describe_part(cells, part)
        numbers[name] = numbers.get(name, 0) + 1
        first.setdefault(name, part)
    names = [describe_part(cells, part, numbers[name]) for name, part in first.items()]
    return join_first(names, _MAX_NAMES, "; ")


def _instead(part: MissingSummary) -> str:
    return "left out" if part.is_left_out else "sent in full"


def _warn_of_missing(cells: Sequence[Cell], part: MissingSummary, reason: str) -> Notice:
    name = describe_part(cells, part)
    return Notice(f"{name[:1].upper()}{name[1:]} {reason}", "warning")


async def _call_model(
    part: MissingSummary,
    model: str,
    provider: Provider,
    notify: Callable[[Notice | ModelChosen | SummaryAsked], None],
) -> str:
    texts, size = [], AnswerSize(Limits().answer_limit)
    spent: SummaryAsked | None = None
    request = Request(model, summary_request(part.text))
    try:
        async with aclosing(provider.stream(request)) as events:
            async for whole in events:
                event = size.fit(whole)
                if isinstance(event, TextDelta):
                    texts.append(event.text)
                elif isinstance(event, UsageReported | ModelFinished):
                    usage = event.usage or (spent.usage if spent else None)
                    spent = SummaryAsked(usage, event.model)
                elif isinstance(event, RetryWait):
                    if spent and spent.usage:
                        notify(spent)
                    spent = None
                elif isinstance(event, Notice | ModelChosen):
                    notify(event)
                if size.notice:
                    break
    finally:
        if spent:
            notify(spent)
    return "".join(texts)


# Tool calls that a prompt makes itself with `@[tool{json}]`. They run first; the turn shows them.


class ReferenceCalls:
    """Runs the calls under the rules for a model's calls.

    Args:
        changed: Called after each change of the record.
        now: Monotonic seconds.
        new_token: Returns as many random bytes as hex digits.
    """

    def __init__(
        self,
        runner: CallRunner,
        record: TurnRecord,
        changed: Callable[[], None],
        now: Callable[[], float],
        new_token: Callable[[int], str],
    ) -> None:
        self._runner = runner
        self._record = record
        self._changed = changed
        self._now = now
        self._new_token = new_token

    async def run(self, name: str, arguments: str) -> ReferencedText:
        """Run a call, and return the text of its result.

        Raises:
            SourceError: The call was denied or failed.
        """
        call_id = f"reference_{self._new_token(4)}"
        self._record.apply(ReferenceCalled(call_id, name, arguments), self._now())
        blocks = self._record.step_blocks()
        call = next(block for block in blocks if block["id"] == call_id)
        async with aclosing(self._runner.run([call])) as events:
            async for _ in events:
                self._changed()
        results = TOOL_RESULTS.among(self._record.step_blocks())
        result = next((block for block in results if block["id"] == call_id), None)
        if result is None:
            raise SourceError("it did not run, because the turn has reached its limits")
        text = repair_surrogates(content_text(result["content"]))
        if result["status"] != "success":
            raise SourceError(text)
        return ReferencedText(text, "literal", needed_approval=call.get("approval") != "auto")
