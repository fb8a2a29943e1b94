"""The rows of a tool result: the sub-agents that its call started, as a reader is shown them.

Rows may come from any file, with values of any type. The page has the same rules (`agentRows.ts`);
tests/format/turn/fixtures/agent_rows.json tests both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

from msgbook_format.typed import Amount, Count, Text, as_dicts, one, read

ROWS_LIMIT = 100
"""Rows of one result that are shown; a turn starts at most 24, but a file may say anything."""

_SIGNS = {
    "pending": "⏸️",
    "running": "⏳",
    "done": "✅",
    "incomplete": "⚠️",
    "error": "❌",
    "interrupted": "⏹️",
    "deleted": "🗑️",
}
_WORDS = {"pending": "waiting", "error": "failed"}
"""Words for a status that does not speak for itself."""

_UNDER_WAY = frozenset(("pending", "running"))

SUBAGENT_FILE = re.compile(
    r"(?:\.\./){0,20}\.msgbook/subagents/(?!\.)[^/\\\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\U000e0000-\U000e007f]{1,200}\\.msg\\.md"
)
"""Path of a sub-agent's conversation, relative to the folder of the conversation that started it.

The project may be a folder above. Only such a path becomes a link. Its name has no separator, no
invisible character, and no dot at its beginning.
"""


@dataclass(frozen=True, slots=True)
class ShownAgent:
    """One row, with text of unknown origin that is to be escaped."""

    name: str
    """Not empty."""
    agent: str
    status: str
    """An `AgentRowStatus`, or an unknown text; `interrupted` for a row that says that it is under
    way although its call is over."""
    facts: tuple[str, ...]
    """Steps, time and tokens, as far as they are known: `3 steps`, `12 s`, `1,200 → 300 tokens`."""
    last: str
    file: str | None
    """A `SUBAGENT_FILE`; None if the conversation cannot be opened."""

    @property
    def is_under_way(self) -> bool:
        """True if the sub-agent runs or will run."""
        return self.status in _UNDER_WAY

    @property
    def sign(self) -> str:
        """One character for the status."""
        return _SIGNS.get(self.status, "❔")

    def texts(self) -> list[str]:
        """Return what stands behind the name: agent, status, facts and last line, if they are known."""
        agent = self.agent if self.agent != self.name else ""
        status = _WORDS.get(self.status, self.status)
        return [text for text in (agent, status, *self.facts, self.last) if text]


def shown_agents(block: Mapping[str, Any], *, live: bool) -> tuple[list[ShownAgent], int]:
    """Return the rows of a tool result that are shown, and the number of further ones.

    Args:
        live: Whether the turn still runs.
    """
    rows = as_dicts(block.get("agents"))
    over = not live or block.get("status") is not None
    shown = [_shown(read(_Row, row), over=over) for row in rows[:ROWS_LIMIT]]
    return shown, len(rows) - len(shown)


@dataclass(frozen=True, slots=True)
class _Usage:
    input_tokens: Count
    output_tokens: Count
    untold_steps: Count


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as a file holds it (`AgentRow`)."""

    uuid: Text
    name: Text
    agent: Text
    file: Text
    status: Text
    steps: Count
    last: Text
    usage: Annotated[_Usage, one(_Usage)]
    duration: Amount


def _shown(row: _Row, *, over: bool) -> ShownAgent:
    status = "interrupted" if over and row.status in _UNDER_WAY else row.status
    is_path = SUBAGENT_FILE.fullmatch(row.file) is not None
    return ShownAgent(
        name=row.name or row.agent or row.uuid or "sub-agent",
        agent=row.agent,
        status=status,
        facts=tuple(_facts(row)),
        last=row.last,
        file=row.file if is_path and status not in ("pending", "deleted") else None,
    )


def _facts(row: _Row) -> list[str]:
    facts = []
    if row.steps:
        facts.append("1 step" if row.steps == 1 else f"{row.steps:,} steps")
    if row.duration is not None:
        facts.append(format_duration(row.duration))
    sent, answered = row.usage.input_tokens, row.usage.output_tokens
    if sent is not None or answered is not None:
        more = "+?" if row.usage.untold_steps else ""
        facts.append(f"{sent or 0:,}{more} → {answered or 0:,}{more} tokens")
    return facts


def format_duration(seconds: float) -> str:
    """Return a duration for reading: `< 0.1 s`, `0.4 s`, `12 s`, `2 min 5 s`."""
    if seconds < 0.1:
        return "< 0.1 s"
    if seconds < 10:
        return f"{Decimal(seconds).quantize(Decimal('0.1'), ROUND_HALF_UP)} s"
    whole = math.floor(seconds + 0.5)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
