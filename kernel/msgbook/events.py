"""What happens in a turn, in order. Events carry no clock of their own: `at` is given to them.

A provider yields `StreamEvent`s while one model call streams; the turn loop adds the others.
`output.record.TurnRecord` reduces them to the turn JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from msgbook_format.turn import Usage

TurnEnd = Literal["done", "incomplete", "interrupted", "error"]

REASONING_FIELD = "reasoning_content"
"""The commonest name of reasoning in messages (DeepSeek, Qwen, Kimi, vLLM)."""


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str
    field: str = REASONING_FIELD
    """Name under which the server wants it back within the turn; empty: it does not."""


@dataclass(frozen=True, slots=True)
class ReasoningDetails:
    """Reasoning as the server wants it back within the turn: signed, encrypted (OpenRouter)."""

    details: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    index: int
    """Position of the call within its step, from 0 in order of arrival; not the server's index."""
    id: str
    """The call's id, the same in each of its deltas. The server's, or one made up."""
    name: str
    """Piece of the name; nearly all servers send it whole in the first delta."""
    arguments: str
    """Piece of the JSON text."""
    extra: dict[str, Any] | None = None
    """Keys that the server wants back with the call (thought signatures)."""


@dataclass(frozen=True, slots=True)
class ModelFinished:
    """The last event of one model call."""

    finish_reason: str | None
    """As the server said it; None when it said none."""
    ended: bool
    """Whether the server marked the end, by a finish reason or `[DONE]`."""
    usage: Usage | None = None
    unreadable: int = 0
    """Events in mid-stream that could not be read; their content is missing."""


@dataclass(frozen=True, slots=True)
class RetryWait:
    """The server could not answer yet and will be asked again."""

    attempt: int
    """Which retry, from 1."""
    attempts: int
    """How many there are at most."""
    seconds: float
    """Until then; 0 when the wait is over."""
    reason: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A word to the reader that is never sent to a model."""

    text: str
    level: Literal["info", "warning"] = "info"


StreamEvent = (
    ReasoningDelta
    | ReasoningDetails
    | TextDelta
    | ToolCallDelta
    | RetryWait
    | Notice
    | ModelFinished
)


@dataclass(frozen=True, slots=True)
class ReferenceCalled:
    """The prompt itself calls a tool, by `@[tool{json}]`, before the first step.

    The result becomes part of the prompt, so that neither is ever sent as a message.
    """

    id: str
    """The call's id, another one for each reference; later events name it."""
    name: str
    arguments: str
    """The JSON text."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    step: int
    """Number of the model call, from 1."""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call is being made; it may still turn out that somebody has to allow it."""

    id: str


@dataclass(frozen=True, slots=True)
class ToolApproved:
    """What was decided about a call: `auto` once it has turned out to be free."""

    id: str
    approval: str


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool that still runs has put out."""

    id: str
    text: str
    """All of it, or the last of it; takes the place of what was told before."""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    id: str
    status: str
    content: str | list[dict[str, Any]]
    duration: float | None
    """Seconds; None for a call that was not run."""


@dataclass(frozen=True, slots=True)
class TurnFinished:
    status: TurnEnd
    finish_reason: str | None = None
    error_name: str | None = None
    error_message: str | None = None


TurnEvent = (
    StreamEvent
    | ReferenceCalled
    | StepStarted
    | ToolStarted
    | ToolApproved
    | ToolOutput
    | ToolFinished
    | TurnFinished
)
