"""The history of a prompt: messages made from the cells above it. Pure, and total on odd cells.

Strict servers accept every history: each tool call has exactly one result, and no message is empty.
The messages of a cell stay the same byte for byte until the cell is edited, so a server can use its
prefix cache.
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
