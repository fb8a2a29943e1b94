"""The events of a turn, in order. They carry no time; whoever records an event adds it.

A provider yields `StreamEvent`s during one model call, and the turn's loop adds the others.
`msgbook.turn.record.TurnRecord` makes the turn's JSON from them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from msgbook_format.turn import Usage

TurnEnd = Literal["done", "incomplete", "interrupted", "error"]

REASONING_FIELD = "reasoning_content"
"""Most common name of reasoning in messages (DeepSeek, Qwen, Kimi, vLLM)."""


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str
    field: str = REASONING_FIELD
    """Key under which the server wants the reasoning back within the turn; empty if it does not.

    On the Responses API it is `summary` or `content`, keys of the reasoning item that follows."""
    item: int = dataclasses.field(default=0, compare=False)
    """Number of its output item in the answer, from 1; 0 where there are no items."""


@dataclass(frozen=True, slots=True)
class ReasoningDetails:
    """Signed or encrypted reasoning, which the server wants back within the turn (OpenRouter)."""

    details: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class OutputItem:
    """A complete output item of the Responses API, with what no other event says.

    The server wants it back within the turn. It ends the block that is open.
    """

    item: dict[str, Any]
    """The item without what its block says: `summary` and `content` of `reasoning`, the content and
    the status of a `message`, name and arguments of a `function_call`. Any other item is whole."""
    number: int = dataclasses.field(default=0, compare=False)
    """Number of the item in the answer, from 1; 0 if it is not known."""


@dataclass(frozen=True, slots=True)
class ModelDisplay:
    """An image of the answer, for the reader: no later request has it."""

    data: dict[str, str]
    """MIME bundle: the image in base64 under its type, or a link to it as `text/markdown`."""
    item: dict[str, Any] | None = None
    """The output item of the Responses API that the image is of, without the image. The server wants both
    back within the turn."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Citations for the text before: the step's last text. They come in any number of events."""

    citations: list[dict[str, Any]]
    """Each has a `url`, a `title`, or both if the server names them, and whatever else it sent."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    index: int
    """Position of the call in its step, from 0 in order of arrival. It is not the server's index."""
    id: str
    """Id of the call, the same in each of its deltas: the server's, or a new one."""
    name: str
    """Piece of the name. Nearly all servers send the whole name in the first delta."""
    arguments: str
    """Piece of the JSON text."""
    extra: dict[str, Any] | None = None
    """Keys that the server wants back with the call (thought signatures)."""


@dataclass(frozen=True, slots=True)
class ModelFinished:
    """The last event of one model call."""

    finish_reason: str | None
    """Finish reason as the server sent it, if it sent one."""
    ended: bool
    """Whether the server marked the end with a finish reason or `[DONE]`."""
    usage: Usage | None = None
    unreadable: int = 0
    """Number of events in mid-stream that could not be read. Their content is missing."""
    model: str | None = None
    """The model that answered, as the server names it; None if it does not say."""


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Usage and model of a call that has not ended: it may not end as it should."""

    usage: Usage | None
    """It replaces what the same call reported before."""
    model: str | None = None
    """As in `ModelFinished`."""


@dataclass(frozen=True, slots=True)
class RetryWait:
    """A wait before the server, which could not answer yet, is asked again."""

    attempt: int
    """Number of the retry, from 1."""
    attempts: int
    """Greatest number of retries; 0 if the time is limited instead."""
    seconds: float
    """Seconds left: of this wait, or of all waits if the time is limited; 0 when this wait is over."""
    reason: str

    @property
    def text(self) -> str:
        """The wait as a line for the reader."""
        if not self.attempts:
            left = math.ceil(self.seconds)
            state = f"Waiting up to {left} s" if left else f"Retried ({self.attempt})"
            return f"{state}: {self.reason}"
        state = f"Retrying in {math.ceil(self.seconds)} s" if self.seconds else "Retried"
        return f"{state} ({self.attempt}/{self.attempts}): {self.reason}"


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the reader that is never sent to a model."""

    text: str
    level: Literal["info", "warning"] = "info"


@dataclass(frozen=True, slots=True)
class AdaptationNotice(Notice):
    """Says what a request was sent without, or with a replacement, because its server refuses it."""


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """A model other than the requested one answers."""

    model: str


StreamEvent = (
    ReasoningDelta
    | ReasoningDetails
    | OutputItem
    | ModelDisplay
    | Citations
    | TextDelta
    | ToolCallDelta
    | UsageReported
    | RetryWait
    | Notice
    | ModelChosen
    | ModelFinished
)


@dataclass(frozen=True, slots=True)
class ReferenceCalled:
    """A tool call that the prompt makes itself, with `@[tool{json}]`, before the first step.

    The result becomes part of the prompt. Neither is ever sent as a message.
    """

    id: str
    """Id of the call, different for each reference. Later events name it."""
    name: str
    arguments: str
    """The JSON text."""


@dataclass(frozen=True, slots=True)
class SummaryAsked:
    """A model was asked for a summary of earlier cells, also if it failed. Several may be asked side by side."""

    usage: Usage | None
    model: str | None
    """As in `ModelFinished`."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    step: int
    """Number of the model call, from 1."""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The start of a call. It may still turn out that the call needs approval."""

    id: str


@dataclass(frozen=True, slots=True)
class ToolApproved:
    """The decision about a call; `auto` if the call ran without approval."""

    id: str
    approval: str


@dataclass(frozen=True, slots=True)
class ToolEdited:
    """A person put other arguments in place of the model's. The call does not run before it is approved."""

    id: str
    arguments: str
    """The JSON text."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Output of a tool that still runs."""

    id: str
    text: str
    """All of the output, or the end of it. It replaces the text of earlier events."""


@dataclass(frozen=True, slots=True)
class ToolUpdated:
    """New values of keys of a running tool's result, such as the rows of its sub-agents."""

    call_id: str
    changes: dict[str, Any]
    """Values by key. They replace those of earlier events, and belong to the event from now on."""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    id: str
    status: str
    content: str | list[dict[str, Any]]
    duration: float | None
    """Seconds; None for a call that did not run."""
    displays: Sequence[dict[str, Any]] = ()
    """MIME bundles that the tool displays to the reader, and not to the model."""
    notice: str = ""
    """What of its displays is left out, for the reader; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class TurnFinished:
    status: TurnEnd
    finish_reason: str | None = None
    error_name: str | None = None
    error_message: str | None = None


TurnEvent = (
    StreamEvent
    | ReferenceCalled
    | SummaryAsked
    | StepStarted
    | ToolStarted
    | ToolApproved
    | ToolEdited
    | ToolOutput
    | ToolUpdated
    | ToolFinished
    | TurnFinished
)
