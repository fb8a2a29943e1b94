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
from typing import Any

ROWS_LIMIT = 100
"""Rows of one result that are shown."""

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
    value = block.get("agents")
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    over = not live or block.get("status") is not None
    shown = [_shown(row, over=over) for row in rows[:ROWS_LIMIT]]
    return shown, len(rows) - len(shown)


def _shown(row: Mapping[str, Any], *, over: bool) -> ShownAgent:
    status = _text(row.get("status"))
    if over and status in _UNDER_WAY:
        status = "interrupted"
    file = _text(row.get("file"))
    can_open = SUBAGENT_FILE.fullmatch(file) is not None and status not in ("pending", "deleted")
    agent = _text(row.get("agent"))
    return ShownAgent(
        name=_text(row.get("name")) or agent or _text(row.get("uuid")) or "sub-agent",
        agent=agent,
        status=status,
        facts=tuple(_facts(row)),
        last=_text(row.get("last")),
        file=file if can_open else None,
    )


def _facts(row: Mapping[str, Any]) -> list[str]:
    facts = []
    steps = as_count(row.get("steps"))
    if steps:
        facts.append("1 step" if steps == 1 else f"{steps:,} steps")
    duration = _amount(row.get("duration"))
    if duration is not None:
        facts.append(format_duration(duration))
    usage = row.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    sent, answered = as_count(counts.get("input_tokens")), as_count(counts.get("output_tokens"))
    if sent is not None or answered is not None:
        more = "+?" if as_count(counts.get("untold_steps")) else ""
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


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _amount(value: Any) -> float | None:
    """Return a finite number that is not negative; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def as_count(value: Any) -> int | None:
    """Return a whole number that is not negative; None for anything else."""
    number = _amount(value)
    return int(number) if number is not None and number < 10**15 and number.is_integer() else None
