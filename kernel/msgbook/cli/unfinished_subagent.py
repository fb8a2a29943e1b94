"""The conversation of a sub-agent that did not finish: a run goes on with it."""

from __future__ import annotations

from msgbook.cli.incomplete_answers import append_continue
from msgbook.notebook import Document
from msgbook_format.agents import AgentMetadata, agent_metadata_of


def go_on_as_subagent(document: Document) -> int | None:
    """Append `%continue` to the conversation of a sub-agent whose last answer is incomplete.

    Returns:
        The number of the new cell; None if the conversation is another one.
    """
    agent = AgentMetadata.read(agent_metadata_of(document.notebook["metadata"]))
    if agent.parent_id is None or agent.is_task_finished:
        return None
    return append_continue(document)
