"""The conversation of a sub-agent that did not finish: a run goes on with it."""

from __future__ import annotations

import secrets

from msgbook.cli.file_prompts import is_prompt_cell
from msgbook.notebook import Document, metadata_of, new_prompt
from msgbook.notebook.magics_table import CONTINUE_MAGIC
from msgbook.request.history import has_incomplete_answer
from msgbook_format.agents import AgentMetadata, agent_metadata_of


def append_continue(document: Document) -> int | None:
    """Append `%continue` to the conversation of a sub-agent whose last answer is incomplete.

    Returns:
        The number of the new cell; None if the conversation is another one.
    """
    agent = AgentMetadata.read(agent_metadata_of(document.notebook["metadata"]))
    cells = document.cells
    if agent.parent_id is None or agent.is_task_finished or not has_incomplete_answer(cells):
        return None
    last = next(cell for cell in reversed(cells) if is_prompt_cell(cell))
    chosen = {key: metadata_of(last)[key] for key in ("agent", "model") if key in metadata_of(last)}
    cells.append(new_prompt(CONTINUE_MAGIC, secrets.token_hex(4), chosen))
    return len(cells) - 1
