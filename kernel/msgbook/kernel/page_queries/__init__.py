"""The queries that a kernel answers: a row and a function for each (docs/protocol.md, `query`).

The functions are named when a kernel starts, so a module imports what takes long in them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query
from msgbook.kernel.page_queries import agents, approvals, context, setup

if TYPE_CHECKING:
    from msgbook.engine import Conversation
    from msgbook.kernel.page.page_comms import PageComms
    from msgbook.kernel.session import Session

_SUBAGENTS_CHANGED = {"type": "subagents.changed"}
_APPROVALS_USED = {"type": "approvals.used"}

QUERIES: Mapping[str, Callable[[Session, Query], Awaitable[dict[str, Any]]]] = {
    "agents.list": agents.list_agents,
    "agents.choose": agents.choose_agent,
    "models.list": agents.list_models,
    "subagent.list": agents.list_running_subagents,
    "subagent.stop": agents.stop_subagent,
    "conversation.fork": agents.fork,
    "retry.now": agents.end_waits,
    "approvals.list": approvals.list_rules,
    "approvals.add": approvals.add_rule,
    "approvals.change": approvals.change_rule,
    "approvals.delete": approvals.delete_rule,
    "context.request": context.describe_request,
    "context.message": context.message_text,
    "context.body": context.request_body,
    "context.sizes": context.text_sizes,
    "context.picture": context.shown_picture,
    "usage.total": context.total_usage,
    "stale.list": context.list_stale_turns,
    "setup.state": setup.describe_settings,
    "setup.models": setup.list_models,
    "setup.test": setup.test_settings,
    "setup.preview": setup.preview_settings,
    "setup.save": setup.save_settings,
    "setup.tour": setup.tour,
}
"""By name: answers a query with what the session knows."""


def answer_queries(queries: PageQueries, session: Session) -> PageQueries:
    """Answer all queries with what a session knows; return the queries."""
    for name, answer in QUERIES.items():
        queries.on_query(name, partial(answer, session))
    return queries


def tell_changes(conversation: Conversation, pages: PageComms) -> None:
    """Tell the pages when the answer to a query that they show is another one."""
    conversation.services.subagents.changed = partial(pages.send, _SUBAGENTS_CHANGED)
    conversation.approver.rules.used = partial(pages.send, _APPROVALS_USED)
