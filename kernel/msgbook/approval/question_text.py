"""Asking about a tool call on a line of text: the question, and what the answer means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgbook.approval.question import Answer
from msgbook.text import repair_surrogates, visible

if TYPE_CHECKING:
    from msgbook.approval.question import Choice, Question

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
    """Ask until the answer is one of those there are; an empty one is no."""
    prompt = prompt_of(question)
    while True:
        answer = answer_of(await read_line(prompt))
        if answer is not None:
            return answer
        prompt = f"The answer is one of the letters below.\n{prompt_of(question)}"


def prompt_of(question: Question) -> str:
    """The question as text: nothing in it that is not seen, and nothing that looks like ours."""
    call, need = question.call, question.need
    lines = [
        f"{visible(call['name'])} asks for leave, since {visible(need.reason)}.",
        f"    {visible(call['arguments'])}",
        *(f"    {visible(line, keep=_TAB)}" for line in need.preview.split("\n") if need.preview),
        "  ".join(_KEYS[choice] for choice in question.choices) + ": ",
    ]
    return "\n".join(lines)


def answer_of(line: str) -> Answer | None:
    """What the user typed; None for a word that means nothing."""
    word, _, reason = repair_surrogates(line).strip().partition(" ")
    choice = _WORDS.get(word.lower())
    if choice is None or (reason and choice != "no"):
        return None
    return Answer(choice, reason.strip())
