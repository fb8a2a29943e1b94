"""The queries that a kernel answers, one module for each subject (docs/protocol.md, `query`).

They are registered when a kernel starts, so a module imports what takes long in its functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgbook.kernel.page.queries import PageQueries
from msgbook.kernel.page_queries import (
    agents,
    approvals,
    context,
    forks,
    models,
    retries,
    setup,
    stale,
    subagents,
    usage,
)

if TYPE_CHECKING:
    from msgbook.kernel.session import Session

SUBAGENTS_CHANGED = {"type": "subagents.changed"}
"""Tells the pages to ask for `subagent.list` again, if they show it."""

_SUBJECTS = [agents, approvals, context, forks, models, retries, setup, stale, subagents, usage]


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer the queries of all subjects with what a session knows."""
    for subject in _SUBJECTS:
        subject.answer_queries(queries, session)
