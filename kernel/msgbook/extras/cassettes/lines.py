"""The lines of a cassette, and what each may hold. What is not listed here is ignored.

A cassette is JSON Lines. The first line is the head; each other line belongs to a lane (`msgbook.ids`) and is of
one kind, which its keys show. Lines of a lane stand in the order in which they happened.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1
"""Version of the format that is written; all versions up to it are read."""

LaneName = Annotated[str, Field(pattern=r"^0(\.[1-9][0-9]{0,5}){0,8}$")]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Number = Annotated[int, Field(ge=0, le=10**9)]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)


class Head(_Line):
    """The first line."""

    cassette: int
    """Version of the format."""
    msgbook: str = ""
    """Version of msgbook that recorded it."""
    file: str = ""
    """Name of the conversation's file, for readers alone."""
    started: str = ""
    settings: dict[str, Any]


class LaneLine(_Line):
    """Any line but the first."""

    lane: LaneName


class SentRequest(_Line):
    """A request, as what is new in it."""

    method: str
    server: str = ""
    path: str = ""
    sha256: Digest | None = None
    """Digest of the complete body; None for a request without one."""
    kept: Number = 0
    """Messages, or items of `input`, that are as in the request before."""
    new: list[dict[str, Any]] = []
    key: Literal["messages", "input"] = "messages"
    """Key of the list in the body."""
    rest: dict[str, Any] | None = None
    """All else of the body; None for the same as before."""


class RequestLine(LaneLine):
    """A request was sent."""

    n: Number
    request: SentRequest


class Failure(_Line):
    """A connection that could not be made, or broke."""

    type: str
    message: str


class FailedLine(LaneLine):
    """A request got no answer."""

    n: Number
    failed: Failure


class AnswerLine(LaneLine):
    """An answer has ended."""

    n: Number
    status: Annotated[int, Field(ge=100, le=599)]
    headers: dict[str, str] = {}
    events: list[tuple[Seconds, str]]
    """Seconds since the request, and a part of the body."""
    end: Literal["eof", "cut", "closed"]
    failed: Failure | None = None


class Asks(_Line):
    """An approval request."""

    reason: str
    preview: str = ""
    always_asks: bool = False
    path: str = ""


class CallLine(LaneLine):
    """An attempt to run a tool call: it asks for approval, or has a result."""

    call: str
    tool: str
    sha256: Digest
    """Digest of the arguments."""
    asks: Asks | None = None
    status: Literal["success", "error", "denied", "interrupted"] = "denied"
    result: str | list[dict[str, Any]] = ""
    duration: Seconds = 0.0
    displays: list[dict[str, Any]] = []


class MadeDecision(_Line):
    """A decision about a call."""

    approval: Literal["user", "rule", "policy", "denied", "edited"]
    reason: str = ""
    arguments: str = ""


class DecisionLine(LaneLine):
    """A call was approved or denied."""

    call: str
    decision: MadeDecision


class IdsLine(LaneLine):
    """Ids and times in the order in which they were made."""

    ids: list[Annotated[str, Field(pattern=r"^[0-9a-fA-F:.+TZ-]{1,64}$")]]


class TurnLine(LaneLine):
    """A turn has ended."""

    turn: str
    """Its status."""
    reason: str | None = None
    """Its `finish_reason`."""
    times: list[Seconds]


class RanCell(_Line):
    """The cell of a turn of the conversation itself."""

    number: Number
    id: str | None = None
    kept: bool = False
    """Whether it kept its former answer, since the turn failed."""


class MetadataChange(_Line):
    """A change that a turn made in the metadata."""

    cell: Number | None = None
    key: Literal["macros", "summary", "agent_metadata"]
    before: Any = None


class CellEdit(_Line):
    """A change that a tool made in another cell."""

    position: Number
    cell_id: str | None = None
    before: dict[str, Any] | None = None
    """The cell before; None for a new one."""


class CellLine(LaneLine):
    """A cell was answered, and written into the file."""

    cell: RanCell
    changed: list[MetadataChange] = []
    edits: list[CellEdit] = []


class McpLine(LaneLine):
    """The tools that an MCP server offered when a turn began."""

    mcp: str
    """Name of the server."""
    tools: list[Any] | None = None
    """As the server describes them; None if it could not be started."""
    problems: list[str] = []
    failure: str = ""
    missing: str = ""
    learned: bool = False
    """Whether it had to be started to list them."""


KINDS: dict[str, type[LaneLine]] = {
    "request": RequestLine,
    "tool": CallLine,
    "decision": DecisionLine,
    "status": AnswerLine,
    "failed": FailedLine,
    "ids": IdsLine,
    "mcp": McpLine,
    "times": TurnLine,
    "cell": CellLine,
}
"""The kind of a line by a key that it has; the first that fits."""
