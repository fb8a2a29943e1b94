"""Cells to messages: the conversation as a model reads it. Pure, and total on odd cells.

Every list of messages that leaves here is one that strict servers accept: each tool call has
exactly one result, no message is empty. What has been sent for a cell is sent again byte for byte
as long as the cell is not edited, so that a server's prefix cache holds.
"""

from __future__ import annotations

from msgbook.request.history.cell import CONTINUE_WORDS, Replay, cell_text, replay_text
from msgbook.request.history.continuing import has_incomplete_answer
from msgbook.request.history.kind import is_continue
from msgbook.request.history.prune import (
    CONTEXT_KEYS,
    DroppedFile,
    contexts_above,
    drop_pruned_files,
    list_dropped_files,
)
from msgbook.request.history.reader import Reader
from msgbook.request.history.request import History, View
from msgbook.request.history.summary import (
    MissingSummary,
    known_summaries,
    summary_record,
    summary_request,
)

__all__ = [
    "CONTEXT_KEYS",
    "CONTINUE_WORDS",
    "DroppedFile",
    "History",
    "MissingSummary",
    "Reader",
    "Replay",
    "View",
    "cell_text",
    "contexts_above",
    "drop_pruned_files",
    "has_incomplete_answer",
    "is_continue",
    "known_summaries",
    "list_dropped_files",
    "replay_text",
    "summary_record",
    "summary_request",
]
