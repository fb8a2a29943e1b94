"""A scripted server that plays a team: an agent that starts sub-agents, and the sub-agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from responses_as_chat import chat_messages
from scripted_server import Answer, call, text

from msgbook_format import read
from msgbook_format.turn import Turn, turn_of

Play = Callable[[dict[str, Any]], Answer]
"""Returns the answer to a request, given its body."""


def dispatch(*tasks: str | Mapping[str, Any], broadcast: str = "") -> Answer:
    """An answer that starts sub-agents; a text is a prompt."""
    sub_agents = [{"prompt": task} if isinstance(task, str) else dict(task) for task in tasks]
    arguments = {"context_broadcast": broadcast, "sub_agents": sub_agents}
    return call("dispatch_subagents", arguments, "dispatch")


def report(summary: str) -> Answer:
    """An answer of a sub-agent that reports."""
    return call("task_finish", {"context_summary": summary}, "finish")


def costing(answer: Answer, tokens: int) -> Answer:
    """The answer, for which the server reports so many tokens."""
    *chunks, end = answer.chunks
    usage = {"prompt_tokens": tokens, "completion_tokens": 0}
    return replace(answer, chunks=[*chunks, {**end, "usage": usage}])


def play(
    parent: Sequence[Answer] = (),
    subagents: Mapping[str, Sequence[Answer] | Answer] | None = None,
) -> Play:
    """Return a play in which each conversation has answers of its own, the last again and again.

    Args:
        parent: Answers to the conversation without a sub-agent's message.
        subagents: Answers to the sub-agents, by a part of their first messages.
    """
    given: dict[str, int] = {}

    def choose(request: dict[str, Any]) -> Answer:
        messages = chat_messages(request) if "input" in request else request["messages"]
        first = next(said(m) for m in messages if m["role"] == "user")
        for part, answers in (subagents or {}).items():
            if part in first:
                listed = [answers] if isinstance(answers, Answer) else answers
                return _next(given, part, listed)
        return _next(given, "", parent)

    return choose


def said(message: Mapping[str, Any]) -> str:
    """The text of a message."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def _next(given: dict[str, int], key: str, answers: Sequence[Answer]) -> Answer:
    given[key] = given.get(key, 0) + 1
    return answers[min(given[key], len(answers)) - 1]


def subagent_files(folder: Path) -> list[Path]:
    """The files of the sub-agents of a project."""
    return sorted((folder / ".msgbook" / "subagents").glob("*.msg.md"))


def turns_in(path: Path) -> list[Turn]:
    """The turns in a conversation's file."""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    return [turn for turn in map(turn_of, outputs) if turn]


def dispatch_result(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The first result of a turn that has rows of sub-agents."""
    return next(block for block in turn["blocks"] if "agents" in block)


def metadata_in(path: Path) -> dict[str, Any]:
    """The AgentMetadata of a conversation's file."""
    return json.loads(json.dumps(read(path).metadata["msgbook"]["agent_metadata"]))


SAID = text("All is well.")
