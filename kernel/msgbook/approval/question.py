"""The question whether a tool call may run, or a message be sent; its answer and the decision, also as text on an input line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msgbook.text import repair_surrogates, visible
from msgbook_format.turn import Block

if TYPE_CHECKING:
    from msgbook.approval.roots import ApprovalRequest


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


# A question as text on an input line, and the meaning of what is typed there.


_TAB = "\t"

ReadLine = Callable[[str], Awaitable[str]]
"""Shows a prompt and waits for the line that the user types."""

_WORDS: dict[str, Choice] = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "r": "rule",
    "n": "no",
    "no": "no",
    "": "no",
}

_KEYS: dict[Choice, str] = {
    "once": "[y] once",
    "session": "[s] this tool, this session",
    "rule": "[r] a rule for exactly this call",
    "no": "[n reason] no",
}


async def ask_by_line(question: Question, read_line: ReadLine) -> Answer:
    """Ask until the line is a valid answer. An empty line means no."""
    prompt = format_question(question)
    while True:
        answer = parse_answer(await read_line(prompt))
        if answer is not None:
            return answer
        prompt = f"Please answer with one of the letters below.\n{format_question(question)}"


class InputLine:
    """An input line that several turns may ask on; one question waits for another.

    A question that is withdrawn, such as that of a sub-agent whose file was deleted, stays until it is
    answered or its turn has ended: what is typed below it never answers the next one.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    def asker(self, read_line: ReadLine | None) -> Ask | None:
        """Return a function that asks on this line; None if there is nobody to read it.

        Call it in the task of the turn.
        """
        if read_line is None:
            return None
        turn = asyncio.current_task()

        async def ask(question: Question) -> Answer | None:
            await self._lock.acquire()
            reading = asyncio.ensure_future(ask_by_line(question, read_line))
            reading.add_done_callback(lambda _: self._lock.release())
            try:
                return await asyncio.shield(reading)
            except asyncio.CancelledError:
                if turn is None or turn.cancelling():
                    reading.cancel()
                else:
                    turn.add_done_callback(lambda _: reading.cancel())
                raise

        return ask


def format_question(question: Question) -> str:
    """Return a question as text: invisible characters are written out, and no text from the model or a
    file begins a line.
    """
    call, wanted = question.call, question.approval_request
    preview = wanted.preview.split("\n") if wanted.preview else []
    asker = " › ".join(visible(name) for name in question.asker)
    lines = [
        *([f"A call of the sub-agent {asker}:"] if asker else []),
        f"{visible(call['name'])} needs your approval, since {visible(wanted.reason)}.",
        f"    {visible(call['arguments'])}",
        *(f"    {visible(line, keep=_TAB)}" for line in preview),
        "  ".join(_KEYS[choice] for choice in question.choices) + ": ",
    ]
    return "\n".join(lines)


def parse_answer(line: str) -> Answer | None:
    """Return the answer that a line gives; None if it is not a valid answer."""
    word, _, reason = repair_surrogates(line).strip().partition(" ")
    choice = _WORDS.get(word.lower())
    if choice is None or (reason and choice != "no"):
        return None
    return Answer(choice, reason.strip())
