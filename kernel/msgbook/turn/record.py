"""The record of a turn: its JSON, made from events alone. The same events and times give the same turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, cast

from msgbook.events import (
    REASONING_FIELD,
    Citations,
    ModelChosen,
    ModelDisplay,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDelta,
    ReasoningDetails,
    ReferenceCalled,
    RetryWait,
    StepStarted,
    SummaryAsked,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolEdited,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    ToolUpdated,
    TurnEvent,
    TurnFinished,
    UsageReported,
)
from msgbook.messages import content_size
from msgbook.text import GrowingText
from msgbook.turn.call_results import (
    calls_without_result,
    running_result,
    stopped_call_result,
    with_edit_told,
)
from msgbook.turn.server_data import item_owner, keep_citations, keep_item, keep_reasoning_details
from msgbook.turn.usage import UsageCount, put_answered_model
from msgbook_format.turn import (
    DISPLAYS,
    ERRORS,
    NOTICES,
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    TURN_VERSION,
    Block,
    Kind,
    Turn,
    Usage,
)

REFERENCE_STEP = 0
"""Step of the calls that the prompt itself makes, before the first model call."""


class TurnRecord:
    """The turn while it runs. Only `apply` and `set_head` change it.

    Args:
        head: The keys that are known from the start (`agent`, `model`, `started`, ...).
        nonce: Returns the 8 hex digits for a tool call.
    """

    def __init__(self, head: dict[str, Any], nonce: Callable[[], str]) -> None:
        self._head = dict(head)
        self._nonce = nonce
        self._blocks: list[Block] = []
        self._step = REFERENCE_STEP
        self._text = OpenText()
        self._retries = RetryNotice()
        self._started_at: float | None = None
        self._usage = UsageCount()
        self._calls = StepCalls(self._step)
        self._reasonings: dict[int, Block] = {}
        """Reasoning of the step, by the number of its output item."""
        self.status = "running"
        self.size = 0
        """Characters of text, arguments, results and kept items so far."""
        self.milestones = 0
        """Number of calls, of decisions about them, and of first outputs and results of tools."""
        self.summaries: list[tuple[Usage | None, list[str]]] = []
        """What each request for a summary used, and the names of the model that answered it: each is paid by itself."""

    def apply(self, event: TurnEvent, at: float) -> None:
        """Add an event that happened `at` seconds on a monotonic clock."""
        if self._started_at is None:
            self._started_at = at
        match event:
            case TextDelta():
                self._add_text(TEXTS, event.text, at, refusal=event.refusal)
            case ReasoningDelta():
                self._add_reasoning(event, at)
            case ReasoningDetails():
                keep_reasoning_details(self.step_blocks(), event.details)
            case OutputItem():
                self._add_item(event, at)
            case ModelDisplay():
                self._add_display(event, at)
            case Citations():
                self._blocks += keep_citations(self.step_blocks(), event.citations, self._step)
            case RetryWait():
                self._usage.begin_attempt()
                self._retries.show(event, self._blocks)
            case ReferenceCalled():
                self._add_reference(event)
            case ToolCallDelta():
                self._add_call(event, at)
            case UsageReported():
                self._usage.report(event.usage)
                put_answered_model(self._head, event.model)
            case ModelFinished():
                self._text.close(at)
                self._usage.report(event.usage)
                put_answered_model(self._head, event.model)
            case SummaryAsked():
                self._usage.add(event.usage)
                put_answered_model(self._head, event.model)
                self.summaries.append((event.usage, self.models))
            case StepStarted():
                self._usage.begin_step()
                self._settle_calls(at)
                self._step = event.step
                self._calls = StepCalls(event.step)
                self._reasonings = {}
            case ToolStarted():
                self._calls.start(event.id, at)
                self.milestones += 1
            case ToolApproved():
                self._approve(event.id, event.approval, at)
            case ToolEdited():
                self._approve(event.id, "user", at)
                self._calls.find(event.id)["edited_arguments"] = event.arguments
            case ToolOutput():
                self._add_output(event)
            case ToolUpdated():
                cast("dict[str, Any]", self._open_result(event.call_id)).update(event.changes)
            case ToolFinished():
                self._add_result(event)
            case Notice():
                self._text.close(at)
                self._blocks.append(
                    {"type": NOTICES.name, "level": event.level, "text": event.text}
                )
            case ModelChosen():
                self.set_head(model=event.model)
            case TurnFinished():
                self._finish(event, at)

    def set_head(self, **keys: Any) -> None:
        """Set keys of the turn that were not known when it began (`model`, `context`)."""
        self._head.update(keys)

    def snapshot(self) -> Turn:
        """Return the turn as it is now. Its blocks belong to the record and must not be changed."""
        self._join()
        turn: dict[str, Any] = {"version": TURN_VERSION, "status": self.status, **self._head}
        turn["blocks"] = list(self._blocks)
        usage = self._usage.total()
        if usage is not None:
            turn["usage"] = usage
        return cast("Turn", turn)

    @property
    def models(self) -> list[str]:
        """Names of the model that answered last: as the server named it, and as it was asked for."""
        names = (self._head.get("answered_model"), self._head.get("model"))
        return [name for name in names if isinstance(name, str)]

    @property
    def step(self) -> int:
        """Number of model calls so far."""
        return self._step

    def step_blocks(self) -> list[Block]:
        """Return the blocks of the current step, in order of arrival."""
        self._join()
        return [block for block in self._blocks if block.get("step") == self._step]

    def _add_reasoning(self, event: ReasoningDelta, at: float) -> None:
        if event.item:
            # Two items may grow side by side, each in its own block.
            known = self._reasonings.get(event.item)
            if known is not self._text.block:
                self._text.close(at)
            if known is not None and self._text.block is None:
                self._text.open(known, at)
        self._add_text(REASONINGS, event.text, at)
        block = self._text.block
        if block is not None and event.item:
            self._reasonings[event.item] = block
        if event.text and event.field != REASONING_FIELD and block is not None:
            block.setdefault("extra", {"field": event.field})

    def _add_item(self, event: OutputItem, at: float) -> None:
        """Keep an item. It ends its own block, or the open one if it has none."""
        own = self._reasonings.get(event.number)
        owner = item_owner(self.step_blocks(), event.item, own)
        if owner is None or owner is self._text.block:
            self._text.close(at)
        self._blocks += keep_item(owner, event.item, self._step)
        self.size += content_size([event.item])

    def _add_display(self, event: ModelDisplay, at: float) -> None:
        self._text.close(at)
        self._blocks.append(model_display(event, self._step))
        self.size += sum(map(len, event.data.values()))

    def _add_text(self, kind: Kind, text: str, at: float, *, refusal: bool = False) -> None:
        block = self._text.block
        if block is None or block not in kind or block.get("refusal", False) != refusal:
            block = {"type": kind.name, "step": self._step, "text": ""}
            if refusal:
                block["refusal"] = True
            self._blocks.append(block)
            self._text.open(block, at)
        self._text.add(text)
        self.size += len(text)

    def _add_call(self, event: ToolCallDelta, at: float) -> None:
        if event.index == len(self._calls):
            self._text.close(at)
            self._blocks.append(self._calls.open(event.id, self._nonce()))
        self._calls.grow(event)
        self.size += len(event.arguments)

    def _add_reference(self, event: ReferenceCalled) -> None:
        keys = {"name": event.name, "arguments": event.arguments, "history": "exclude"}
        self._blocks.append(self._calls.open(event.id, self._nonce(), **keys))
        self.size += len(event.arguments)

    def _approve(self, call_id: str, approval: str, at: float) -> None:
        call = self._calls.find(call_id)
        if call.get("approval") == "pending":
            self._calls.start(call_id, at)
        call["approval"] = approval
        self.milestones += 1

    def _add_output(self, event: ToolOutput) -> None:
        block = self._open_result(event.id)
        self.size += max(0, len(event.text) - content_size(block["content"]))
        block["content"] = event.text

    def _add_result(self, event: ToolFinished) -> None:
        block = self._open_result(event.id)
        self.milestones += 1
        block["status"] = event.status
        if event.duration is not None:
            block["duration"] = round(event.duration, 3)
        block["content"] = with_edit_told(self._calls, event)
        self.size += content_size(event.content)
        self._blocks += display_blocks(event, self._step)

    def _open_result(self, call_id: str) -> Block:
        """Return the result of a running tool. It has no status until the tool has finished."""
        block = running_result(self.step_blocks(), call_id)
        if block is None:
            block = {"type": TOOL_RESULTS.name, "step": self._step, "id": call_id, "content": ""}
            self._blocks.append(block)
            self.milestones += 1
        return block

    def _finish(self, event: TurnFinished, at: float) -> None:
        self._text.close(at)
        self._retries.end()
        self._settle_calls(at)
        self._usage.end_step()
        self.status = event.status
        if event.finish_reason:
            self._head["finish_reason"] = event.finish_reason
        if event.error_message is not None:
            name = event.error_name or "Error"
            self._blocks.append({"type": ERRORS.name, "name": name, "message": event.error_message})
        if self._started_at is not None:
            self._head["duration"] = round(at - self._started_at, 3)

    def _settle_calls(self, at: float) -> None:
        """Close all calls: one that was started gets a result, any other is marked as unfinished."""
        for call in calls_without_result(self._calls, self.step_blocks()):
            started = self._calls.started_at(call["id"])
            if started is None:
                call["unfinished"] = True
            else:
                self._settle(call, started, at)

    def _settle(self, call: Block, started: float, at: float) -> None:
        result = running_result(self.step_blocks(), call["id"])
        content = stopped_call_result(call, "" if result is None else str(result["content"]))
        duration: float | None = at - started
        if call.get("approval") == "pending":
            # A turn that has ended waits for nobody, whoever reads it.
            call["approval"], duration = "denied", None
        self._add_result(ToolFinished(call["id"], "interrupted", content, duration))

    def _join(self) -> None:
        self._text.join()
        self._calls.join()


# Displays of a tool and images of a model as blocks of a turn: a page draws them. Pure.


def display_blocks(event: ToolFinished, step: int) -> list[Block]:
    """Return a block for each display of a call that has ended, to stand below its result.

    A notice says what is left out.
    """
    keys = {"type": DISPLAYS.name, "step": step, "id": event.id}
    blocks = [cast("Block", {**keys, "data": data}) for data in event.displays]
    if event.notice:
        blocks.append({"type": NOTICES.name, "level": "info", "text": event.notice})
    return blocks


def model_display(event: ModelDisplay, step: int) -> Block:
    """Return the block of an image of the answer. Without an `id`, it is of no call."""
    block = {"type": DISPLAYS.name, "step": step, "data": event.data}
    if event.item is not None:
        block["extra"] = {"item": event.item}
    return cast("Block", block)


# The block of text or reasoning that grows. Pure.


class OpenText:
    """The open block, if there is one. Its thousands of pieces stay beside it until `join` is called."""

    def __init__(self) -> None:
        self.block: Block | None = None
        self._pieces = GrowingText()
        self._opened_at = 0.0

    def open(self, block: Block, at: float) -> None:
        """Begin a block, or go on with it, at a time in seconds; the one before is closed."""
        self.close(at)
        self.block, self._opened_at = block, at

    def add(self, text: str) -> None:
        self._pieces.add(text)

    def join(self) -> None:
        """Move the pieces into the block."""
        if self._pieces.size and self.block is not None:
            self.block["text"] += self._pieces.take()

    def close(self, at: float) -> None:
        """End the block; what follows becomes a new one."""
        self.join()
        if self.block is not None and self.block in REASONINGS:
            before = self.block.get("duration", 0.0)
            self.block["duration"] = round(before + at - self._opened_at, 3)
        self.block = None


# The notice about the waits of a model call. Pure.


class RetryNotice:
    """Shows all waits of a model call in one notice, which counts down and then remains.

    While the server is waited for, the notice has `retry_in`, the whole seconds that are left.
    """

    def __init__(self) -> None:
        self._block: Block | None = None

    def show(self, wait: RetryWait, blocks: list[Block]) -> None:
        """Show a wait, or its end, in the last block or in a new one."""
        last = blocks[-1] if blocks else None
        if last is None or last is not self._block:
            self.end()
            last = self._block = {"type": NOTICES.name, "level": "warning"}
            blocks.append(last)
        last["text"] = wait.text
        last["retry_in"] = math.ceil(wait.seconds)
        if not wait.seconds:
            self.end()

    def end(self) -> None:
        """Note that nobody waits any more."""
        if self._block is not None:
            self._block.pop("retry_in", None)


# The tool calls of one step while they arrive and run. Pure.


class StepCalls:
    """The calls of a step. Their blocks belong to the turn's record.

    Arguments arrive in pieces, which stay beside their blocks until `join` is called.
    """

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: list[tuple[Block, GrowingText]] = []
        self._started: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Block]:
        return (block for block, _ in self._calls)

    def open(self, call_id: str, nonce: str, **keys: str) -> Block:
        """Add and return a new call. Its name and arguments are empty unless given as `keys`."""
        block = {
            "type": TOOL_CALLS.name,
            "step": self._step,
            "id": call_id,
            "nonce": nonce,
            "name": "",
            "arguments": "",
            **keys,
        }
        self._calls.append((cast("Block", block), GrowingText()))
        return self._calls[-1][0]

    def grow(self, event: ToolCallDelta) -> None:
        """Add a piece to its call."""
        block, pieces = self._calls[event.index]
        block["name"] += event.name
        if event.extra:
            block["extra"] = {"call": {**block.get("extra", {}).get("call", {}), **event.extra}}
        pieces.add(event.arguments)

    def join(self) -> None:
        """Move the pieces into the blocks."""
        for block, pieces in self._calls:
            if pieces.size:
                block["arguments"] += pieces.take()

    def find(self, call_id: str) -> Block:
        """Return the call with this id.

        Raises:
            KeyError: The step has no such call.
        """
        for block in self:
            if block["id"] == call_id:
                return block
        raise KeyError(f"expected a call of step {self._step}, found the id {call_id!r}")

    def start(self, call_id: str, at: float) -> None:
        """Note when the call starts: when it is made, and again when it is approved."""
        self._started[call_id] = at

    def started_at(self, call_id: str) -> float | None:
        """Return when the call started; None if it has not started and nobody was asked about it."""
        return self._started.get(call_id)
