"""Signs of a page: drawings in place of the emoji of the derived Markdown, which not every system can show."""

from __future__ import annotations

import re

_NAMES = {"💭": "thought", "🔧": "call", "📝": "result"}
_MARKED = re.compile(rf"(<summary>|<blockquote>\s*<p>)({'|'.join(_NAMES)}) ")


def with_signs(page: str) -> str:
    """Return a page with signs, which its style sheet draws, where the Markdown of a turn has emoji."""
    return _MARKED.sub(_sign, page)


def _sign(match: re.Match[str]) -> str:
    name = _NAMES[match[2]]
    return f'{match[1]}<span class="msg-Sign msg-Sign-{name}"></span>'
