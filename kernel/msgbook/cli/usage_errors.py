"""Errors of wrong usage."""

from __future__ import annotations

from msgbook.errors import MsgbookError


class CommandError(MsgbookError):
    """A verb was used incorrectly; exit code 2."""
