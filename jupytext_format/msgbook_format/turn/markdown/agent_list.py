"""The sub-agents of a tool result as a Markdown list, with a link to each conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from msgbook_format.turn.agent_rows import ShownAgent, shown_agents
from msgbook_format.turn.markdown.escape import escape_line

_TEXT_LIMIT = 120


def agent_list(block: Mapping[str, Any], *, live: bool) -> str:
    """Return one list item for each sub-agent of a tool result; empty if it has none.

    Args:
        live: Whether the turn still runs.
    """
    rows, further = shown_agents(block, live=live)
    lines = [_line(row) for row in rows]
    if further:
        lines.append(f"- … and {further:,} more")
    return "\n".join(lines)


def _line(row: ShownAgent) -> str:
    name = f"**{escape_line(row.name, _TEXT_LIMIT) or '?'}**"
    if row.file is not None:
        # Only unreserved characters and escapes are left, which all parsers read alike.
        name = f"[{name}]({quote(row.file, safe='/')})"
    texts = (escape_line(text, _TEXT_LIMIT) for text in row.texts())
    return " · ".join([f"- {row.sign} {name}", *filter(None, texts)])
