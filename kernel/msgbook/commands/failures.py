"""What a verb says when it was not used as it has to be."""

from __future__ import annotations

from msgbook.errors import MsgbookError


class CommandError(MsgbookError):
    """A verb was not used as it has to be; exit code 2."""
