"""One answer of the server, and the findings about it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast

from msgbook.events import ModelFinished, ReasoningDelta, TextDelta
from msgbook.provider import REASONING_PARSERS, TOOL_PARSERS
from msgbook.text import counted, one_line
from msgbook.turn import find_text_call

OTHER_MODEL = "Try another model, or enable tool calling in the server."
ONLY_CHAT = "Without tools the model can only chat."

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two whole numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        },
    }
]
"""The tool that the model is asked to call."""


_HIDDEN = (
    "Short reasoning may have no summary. OpenAI shows summaries over the Responses API, and only to a "
    "verified organization."
)

_AT_ONCE = 0.02
"""Seconds; pieces that arrive in less time came at once."""

_LONG_WAIT = 2.0
"""Seconds to the first piece; a shorter wait says nothing about what comes at once."""


@dataclass(slots=True)
class Answer:
    """One completion as it arrived."""

    text: str = ""
    text_pieces: int = 0
    reasoning_pieces: int = 0
    has_reasoning: bool = False
    """Whether there is reasoning to read."""
    has_encrypted_reasoning: bool = False
    is_refusal: bool = False
    is_event_stream: bool | None = None
    """Whether the server said that it streams the answer; None if it is not known."""
    first: float = 0.0
    """Seconds until the first piece."""
    last: float = 0.0
    """Seconds until the last piece."""
    seconds: float = 0.0
    calls: dict[int, list[str]] = field(default_factory=dict)
    """Name and arguments, by position."""
    end: ModelFinished | None = None
    refused: list[str] = field(default_factory=list)
    """What the request was sent without, because the server refuses it."""
    notices: list[str] = field(default_factory=list)
    """Other lines about the answer."""

    @property
    def pieces(self) -> int:
        """Number of pieces of text and reasoning."""
        return self.text_pieces + self.reasoning_pieces

    @property
    def is_cut(self) -> bool:
        """True if the limit of the check cut off the answer."""
        return self.end is not None and self.end.finish_reason == "length"

    @property
    def has_valid_call(self) -> bool:
        """True if the first call is one of the tool, with arguments that can be read."""
        name, arguments = self.calls.get(0, ("", ""))
        try:
            return name == "add" and isinstance(json.loads(arguments), dict)
        except (ValueError, RecursionError):
            return False

    def add_piece(self, piece: TextDelta | ReasoningDelta, seconds: float) -> None:
        """Add a piece of text or reasoning.

        Args:
            seconds: Time since the request was sent.
        """
        self.first = self.first if self.pieces else seconds
        self.last = seconds
        if isinstance(piece, ReasoningDelta):
            self.reasoning_pieces += 1
            self.has_reasoning = self.has_reasoning or bool(piece.text.strip())
        else:
            self.text += piece.text
            self.text_pieces += 1
            self.is_refusal = self.is_refusal or piece.refusal


def judge_answer(answer: Answer) -> Finding:
    """Judge whether the answer has text, or at least reasoning."""
    end = answer.end
    shown = one_line(answer.text, 60)
    if answer.pieces and (end is None or not end.ended):
        what = repr(shown) if shown.strip() else "only reasoning"
        words = (
            f"{what}, but the stream had no end marker; msgbook will treat every answer as cut off"
        )
        return Finding("answer", "fail", words, "Is there a proxy in between?")
    if answer.text.strip():
        words = f"the model refused: {shown!r}" if answer.is_refusal else repr(shown)
        return Finding("answer", "pass", f"{words} in {answer.seconds:.1f} s")
    return _judge_silence(answer)


def _judge_silence(answer: Answer) -> Finding:
    """Judge an answer without text."""
    reason = answer.end.finish_reason if answer.end else None
    if answer.is_cut:
        begun = "only reasoning" if answer.reasoning_pieces else "no visible output"
        words = f"{begun}; this check's token limit cut off the answer after {answer.seconds:.1f} s"
        return Finding("answer", "pass" if answer.reasoning_pieces else "unknown", words)
    if reason == "content_filter":
        return Finding("answer", "unknown", "the server's content filter withheld the answer")
    if answer.reasoning_pieces:
        words = (
            f"only reasoning, although the answer is complete (finish reason: {reason or 'none'})"
        )
        advice = (
            "The server probably treats the answer as reasoning because its reasoning parser does not match the "
            f"model. Set {REASONING_PARSERS}."
        )
        return Finding("answer", "fail", words, advice)
    advice = "Is the base URL right (it usually ends in /v1), and is this a chat model?"
    return Finding("answer", "fail", "the answer was empty", advice)


def judge_stream(answer: Answer) -> Finding:
    """Judge whether the answer came in pieces, as far as its length can show that."""
    advice = (
        "If long answers appear only when they are complete, the server or a proxy buffers them "
        "(nginx: proxy_buffering off)."
    )
    if max(answer.text_pieces, answer.reasoning_pieces) < 2:
        if answer.is_event_stream is False:
            words = "the answer was not streamed. Does a proxy buffer it?"
            late = "Turns work, but show their text only when it is complete."
            return Finding("stream", "fail", words, late)
        size = f"{len(answer.text)}-character answer" if answer.text else "answer"
        words = f"the {size} came in one piece, too short to show whether the server streams"
        return Finding("stream", "unknown", words, advice)
    if answer.last - answer.first >= _AT_ONCE:
        words = f"{answer.pieces} chunks, the first after {answer.first:.1f} s"
        return Finding("stream", "pass", words)
    words = f"{answer.pieces} chunks, all at once after {answer.first:.1f} s"
    if answer.first < _LONG_WAIT:
        return Finding("stream", "pass", words)
    return Finding("stream", "unknown", words, advice)


def judge_usage(answer: Answer) -> Finding:
    """Judge whether the server reports the tokens of the answer."""
    if answer.end and answer.end.usage:
        counts = ", ".join(f"{n} {key}" for key, n in cast("Any", answer.end.usage).items())
        return Finding("usage", "pass", counts.replace("_", " "))
    words = "the server reports no token usage; %usage shows ? for these turns"
    return Finding("usage", "note", words, "token_budget counts estimated tokens.")


def judge_reasoning(answer: Answer) -> Finding | None:
    """Judge whether the server shows the model's reasoning; None if the model did not reason, as far as is known."""
    if answer.has_reasoning:
        return Finding("reasoning", "pass", "the server returns it")
    usage = answer.end.usage if answer.end else None
    tokens = (usage or {}).get("reasoning_tokens")
    if not tokens and not answer.has_encrypted_reasoning:
        return None
    counts = counted(tokens, "reasoning token") if tokens else "encrypted reasoning"
    return Finding("reasoning", "note", f"{counts}, but no readable reasoning", _HIDDEN)


def judge_tools(answer: Answer) -> Finding:
    """Judge whether the model called the tool, with arguments that can be read."""
    if not answer.calls and answer.refused:
        return Finding("tools", "fail", " ".join(answer.refused), f"{OTHER_MODEL} {ONLY_CHAT}")
    if not answer.calls and (written := find_text_call(answer.text, TOOLS)):
        words = (
            f"the model wrote a tool call as plain text ({written}); the server did not parse it"
        )
        return Finding("tools", "fail", words, f"Set {TOOL_PARSERS}. {ONLY_CHAT}")
    if answer.is_cut and not answer.has_valid_call:
        return Finding("tools", "unknown", "this check's token limit cut off the answer")
    if not answer.calls:
        said = repr(one_line(answer.text, 60)) if answer.text.strip() else "nothing"
        words = f"the model called no tool and answered {said}"
        return Finding("tools", "unknown", words, OTHER_MODEL)
    name, arguments = answer.calls[0]
    words = f"the model called {one_line(name, 40)} with {one_line(arguments, 60)}"
    if answer.has_valid_call:
        return Finding("tools", "pass", words)
    return Finding("tools", "fail", words, OTHER_MODEL)


# Findings of the doctor.


_ADVICE = "Read it, "
"""Beginning of the advice in a warning about a project that is not trusted."""

Status = Literal["pass", "fail", "unknown", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    """Name for programs: `server`, `stream`, ..."""
    status: Status
    words: str
    """Description of what was found."""
    advice: str = ""
    """Next thing to try; empty if there is nothing to do."""


def split_advice(message: str) -> tuple[str, str]:
    """Split a warning into its description and the advice at its end."""
    words, begins, advice = message.partition(f" {_ADVICE}")
    return words, _ADVICE + advice if begins else ""


def as_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the findings as JSON objects."""
    return [asdict(finding) for finding in findings]


def exit_code(findings: Iterable[Finding]) -> int:
    """Return 1 if a check failed, or else 0: an unknown result or a note is not a failure."""
    return int(any(finding.status == "fail" for finding in findings))
