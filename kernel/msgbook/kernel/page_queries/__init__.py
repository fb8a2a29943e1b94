"""The queries that a kernel answers, one module for each subject (docs/protocol.md, `query`).

They are registered when a kernel starts, so a module imports what takes long in its functions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgbook.kernel.page.queries import PageQueries
from msgbook.kernel.page_queries import (
    agents,
    approvals,
    brought,
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
    from msgbook.engine import Engine
    from msgbook.kernel.page.page_comms import PageComms
    from msgbook.kernel.session import Session

_SUBAGENTS_CHANGED = {"type": "subagents.changed"}
_APPROVALS_USED = {"type": "approvals.used"}

_SUBJECTS = [
    agents,
    approvals,
    brought,
    context,
    forks,
    models,
    retries,
    setup,
    stale,
    subagents,
    usage,
]


def answer_queries(queries: PageQueries, session: Session) -> PageQueries:
    """Answer the queries of all subjects with what a session knows; return the queries."""
    for subject in _SUBJECTS:
        subject.answer_queries(queries, session)
    return queries


def tell_changes(engine: Engine, pages: PageComms) -> None:
    """Tell the pages when the answer to a query that they show is another one."""
    engine.subagents.changed = partial(pages.send, _SUBAGENTS_CHANGED)
    engine.approver.used = partial(pages.send, _APPROVALS_USED)
