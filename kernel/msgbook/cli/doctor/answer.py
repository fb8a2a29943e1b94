"""One answer of the server, and the findings about it. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from msgbook.cli.doctor.findings import Finding
from msgbook.events import ModelFinished
from msgbook.text import one_line

OTHER_MODEL = "Try another model, or enable tool calling in the server."


@dataclass(slots=True)
class Answer:
    """One completion as it arrived."""

    text: str = ""
    pieces: int = 0
    """Pieces of text and reasoning; a server that does not stream sends one of each."""
    first: float = 0.0
    """Seconds until the first piece."""
    seconds: float = 0.0
    calls: dict[int, list[str]] = field(default_factory=dict)
    """Name and arguments, by position."""
    end: ModelFinished | None = None


def judge_answer(answer: Answer) -> Finding:
    """Judge whether the answer has text, or at least reasoning."""
    end = answer.end
    if answer.text.strip():
        shown = one_line(answer.text, 60)
        if end is None or not end.ended:
            advice = "Every turn will count as cut off. Is there a proxy in between?"
            return Finding("answer", "fail", f"{shown!r}, but without a mark of its end", advice)
        return Finding("answer", "pass", f"{shown!r} in {answer.seconds:.1f} s")
    if answer.pieces:
        words = f"only reasoning, for {answer.seconds:.1f} s; the limit of this check cut off the answer"
        return Finding("answer", "pass", words)
    advice = "Is the base URL right (it usually ends in /v1), and is this a chat model?"
    return Finding("answer", "fail", "the answer was empty", advice)


def judge_stream(answer: Answer) -> Finding:
    """Judge whether the answer came in pieces."""
    if answer.pieces > 2:
        return Finding(
            "stream", "pass", f"{answer.pieces} pieces, the first after {answer.first:.1f} s"
        )
    advice = "Turns work, but show their text only when it is complete. Does a proxy buffer it?"
    return Finding("stream", "fail", "the answer came in one piece", advice)


def judge_tools(answer: Answer) -> Finding:
    """Judge whether the model called the tool, with arguments that can be read."""
    if not answer.calls:
        words = f"the model called no tool and answered {one_line(answer.text, 60)!r}"
        return Finding("tools", "unknown", words, OTHER_MODEL)
    name, arguments = answer.calls[0]
    try:
        is_valid = name == "add" and isinstance(json.loads(arguments), dict)
    except ValueError:
        is_valid = False
    words = f"the model called {one_line(name, 40)} with {one_line(arguments, 60)}"
    return (
        Finding("tools", "pass", words)
        if is_valid
        else Finding("tools", "fail", words, OTHER_MODEL)
    )
