"""The history of a prompt: messages made from the cells above it. Pure; accepts malformed cells.

Strict servers accept every history: each tool call has exactly one result, and no message is empty.
The messages of a cell stay the same byte for byte until the cell is edited, so a server can use its
prefix cache.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.request.history.cell import CONTINUE_WORDS, cell_text, prompt_text, turns_of
    from msgbook.request.history.prune import (
        ABOVE,
        CONTEXT_KEYS,
        DroppedFile,
        contexts_above,
        contexts_by_cell,
        drop_pruned_files,
        find_late_context,
        known_late_contexts,
        late_key,
        list_dropped_files,
        prompts_without_context,
        prune_positions,
        text_digest,
        with_context,
        with_late_contexts,
    )
    from msgbook.request.history.reader import Reader
    from msgbook.request.history.request import (
        History,
        SentRequest,
        SharedPrefix,
        View,
        has_incomplete_answer,
        history_of,
        kind_of,
        shared_prefix,
    )
    from msgbook.request.history.stale import StaleTurn, ViewOf, stale_turns
    from msgbook.request.history.summary import (
        MissingSummary,
        known_summaries,
        summary_record,
        summary_request,
    )
else:
    __getattr__ = lazy_names(__name__)
