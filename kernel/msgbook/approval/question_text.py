"""A question as text on an input line, and the meaning of what is typed there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgbook.approval.question import Answer
from msgbook.text import repair_surrogates, visible

if TYPE_CHECKING:
    from msgbook.approval.question import Ask, Choice, Question

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
