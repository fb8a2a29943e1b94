"""The lines `%%msg KEY=VALUE ...`, `%agent new NAME KEY=VALUE ...` and `%agent default NAME`.

Their attributes are written as in a footnote. This is the only place that reads them: the kernel,
`check` and the text format see the same attributes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from msgbook_format.syntax.attributes import parse_attributes
from msgbook_format.syntax.dialect import MSG_MAGIC

MSG_KEYS = frozenset(
    (
        "agent",
        "history",
        "model",
        "answer_limit",
        "max_steps",
        "time_budget",
        "token_budget",
        "warn_tokens",
        "max_subagents",
        "subagent_depth",
        "subagents_at_once",
    )
)
"""Attributes that a `%%msg` line has."""

_MSG = re.compile(rf"\s*{MSG_MAGIC}(?!\S)")
_AGENT = re.compile(r"\s*%agent[^\S\n]+(new|default)[^\S\n]+([^\s=]+)(?!\S)")
_QUOTES = frozenset("\"'")


@dataclass(frozen=True, slots=True)
class MsgLine:
    """The line `%%msg KEY=VALUE ...` that a prompt begins with."""

    attributes: dict[str, str]
    """First value of each key."""
    problem: str | None
    """Description of the first word that cannot be read."""
    end: int
    """Index in the source of the first character after the line and its newline."""


@dataclass(frozen=True, slots=True)
class AgentLine:
    """A cell `%agent new NAME KEY=VALUE ...` or `%agent default NAME`."""

    verb: Literal["new", "default"]
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    """First value of each key."""
    problem: str | None = None
    """Description of the first word that cannot be read."""


def parse_msg_line(source: str) -> MsgLine | None:
    """Return the `%%msg` line that a cell's source begins with; None if there is none."""
    match = _MSG.match(source)
    if match is None:
        return None
    line, end = _line_at(source, match.end())
    column = match.end() - (end - len(line))
    attributes, problem = parse_attributes(line, column)
    return MsgLine(attributes, problem, min(end + 1, len(source)))


def parse_agent_line(source: str) -> AgentLine | None:
    """Return the `%agent` line that is all of a cell's source; None for any other source."""
    match = _AGENT.match(source)
    if match is None:
        return None
    line, end = _line_at(source, match.end())
    if source[end:].strip():
        return None
    column, name = match.end() - (end - len(line)), match[2]
    quoted = f"expected a name without quotes, found {name[:40]!r}" if _QUOTES & {*name} else None
    if match[1] == "new":
        attributes, problem = parse_attributes(line, column)
        return AgentLine("new", name, attributes, quoted or problem)
    rest = line[column:].strip()
    extra = f"expected nothing after the name, found {rest[:40]!r}" if rest else None
    return AgentLine("default", name, problem=quoted or extra)


def _line_at(source: str, position: int) -> tuple[str, int]:
    """Return the line that holds a position, and the index of its end."""
    start = source.rfind("\n", 0, position) + 1
    end = source.find("\n", position)
    end = len(source) if end < 0 else end
    return source[start:end], end
