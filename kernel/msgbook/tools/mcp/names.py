"""The names under which models see the tools of MCP servers. Pure."""

from __future__ import annotations

import hashlib
import re

from msgbook.approval import MCP_PREFIX

_LIMIT = 64
_KEPT = 55
"""Characters of a name that is cut, before `_` and 8 hexadecimal digits."""
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")


def tool_name(server: str, tool: str) -> str:
    """Return the name of a server's tool: `mcp__SERVER__TOOL`.

    Model servers refuse a request with a name that is longer than 64 characters or has others than letters,
    digits, `_` and `-`. Such a name is cleaned, cut, and ends with a digest of both names; so it does not
    depend on what else is offered.
    """
    plain = f"{MCP_PREFIX}{server}__{tool}"
    clean = _REFUSED.sub("_", plain)
    if clean == plain and len(plain) <= _LIMIT:
        return plain
    both = f"{server}\0{tool}".encode("utf-8", "surrogatepass")
    return f"{clean[:_KEPT]}_{hashlib.sha256(both).hexdigest()[:8]}"
