"""The question whether a tool call may run, or a message be sent; its answer and the decision. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msgbook_format.turn import Block

if TYPE_CHECKING:
    from msgbook.approval.request import ApprovalRequest

Choice = Literal["once", "session", "rule", "edit", "no"]

CHOICES: tuple[Choice, ...] = ("once", "session", "rule", "no")

QUESTION_LIMIT = 2_000_000
"""Bytes of a question that reach a page: servers and gateways close a connection on a message of several
megabytes, and the turn would wait for an answer to a question that nobody has seen."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call that needs approval, or a message that may not be what its author meant."""

    call: Block
    approval_request: ApprovalRequest
    asker: tuple[str, ...] = ()
    """Names of the sub-agents on the way to the one that made the call, from the conversation's own
    sub-agent downwards; empty for a call of the conversation itself."""
    can_edit: bool = False
    """Whether a person may write other arguments. Then the call is asked about again."""
    is_edited: bool = False
    """Whether the arguments are a person's. Then no rule and no session approves the call: what runs
    was shown in the question about it."""
    problem: str = ""
    """Why the arguments in `draft` do not fit; empty unless a person has just written them."""
    draft: str = ""
    subject: Literal["call", "message"] = "call"
    """`message`: whether the prompt is sent as it is. No rule answers that, and no policy."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Possible answers, apart from other arguments."""
        return ("once", "no") if self.approval_request.always_asks else CHOICES

    @property
    def size(self) -> int:
        """Bytes of the arguments, the preview and the draft."""
        texts = (self.call.get("arguments", ""), self.approval_request.preview, self.draft)
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer."""

    choice: Choice
    reason: str = ""
    arguments: str = ""
    """With `edit`: the JSON text that the person wrote."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision about one call."""

    approval: Literal["user", "rule", "policy", "denied", "edited"]
    """`user`: a person saw this very call and approved it. `rule`: an earlier decision covers it: a
    rule, or an approval for the session. `policy`: MSGBOOK_APPROVAL=allow allows all. `edited`:
    nothing is decided yet, since the person wants other arguments."""
    reason: str = ""
    """The tool result that the model gets if the call is denied."""
    arguments: str = ""
    """With `edited`: the JSON text of these."""


Ask = Callable[[Question], Awaitable[Answer | None]]
"""Asks a person and waits for the answer; None if nobody can be asked."""

Approve = Callable[[Question], Awaitable[Decision]]
"""Decides about one call."""
