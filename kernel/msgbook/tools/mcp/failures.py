"""Failures of MCP servers."""

from __future__ import annotations

from msgbook.errors import MsgbookError


class McpError(MsgbookError):
    """A server could not be started, or a call of it failed; the message says what is known."""
