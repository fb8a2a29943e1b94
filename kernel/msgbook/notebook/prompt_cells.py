"""Prompts in a notebook that no page shows: new ones, and the turns of answered ones. Pure."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from msgbook_format.agents import AGENT_METADATA_KEY, finished_agent
from msgbook_format.turn import Turn, bundle


def new_prompt(source: str, cell_id: str, msgbook_metadata: dict[str, Any]) -> dict[str, Any]:
    """Return a code cell as in nbformat."""
    return {
        "cell_type": "code",
        "id": cell_id,
        "source": source,
        "metadata": {"msgbook": msgbook_metadata} if msgbook_metadata else {},
        "execution_count": None,
        "outputs": [],
    }


def put_turn(
    notebook: dict[str, Any], number: int, turn: Turn, error: dict[str, Any] | None = None
) -> None:
    """Replace the outputs of a prompt with a turn.

    Macros and summaries of the turn are written into the metadata, as a page would do.

    Args:
        number: Position of the cell, from 0.
        error: `ename`, `evalue` and `traceback` of a failed turn.
    """
    outputs = [{"output_type": "display_data", "data": bundle(turn), "metadata": {}}]
    if error is not None:
        outputs.append({"output_type": "error", **error})
    cell = notebook["cells"][number]
    cell["outputs"] = outputs
    # No kernel counted this run.
    cell["execution_count"] = None
    _copy_to_metadata(notebook, turn.get("context"))
    finished = finished_agent(turn, notebook["metadata"])
    if finished is not None:
        put_agent(notebook, finished)


def put_agent(notebook: dict[str, Any], agent_metadata: dict[str, Any]) -> None:
    """Set the AgentMetadata of a notebook."""
    _msgbook_metadata(notebook)[AGENT_METADATA_KEY] = deepcopy(agent_metadata)


def _copy_to_metadata(notebook: dict[str, Any], context: Any) -> None:
    """Copy the macros and summaries of a turn's context into the metadata."""
    if not isinstance(context, dict):
        return
    if isinstance(context.get("macros"), dict):
        _msgbook_metadata(notebook)["macros"] = deepcopy(context["macros"])
        if not context["macros"]:
            _drop_metadata(notebook, "macros")
    recorded = context.get("summaries")
    summaries = recorded if isinstance(recorded, dict) else {}
    for cell in notebook["cells"]:
        summary = summaries.get(str(cell.get("id")))
        if isinstance(summary, dict):
            _msgbook_metadata(cell)["summary"] = deepcopy(summary)


def _msgbook_metadata(node: dict[str, Any]) -> dict[str, Any]:
    """Return `metadata.msgbook` of a notebook or cell, which is added if necessary."""
    metadata = node["metadata"]
    if not isinstance(metadata.get("msgbook"), dict):
        metadata["msgbook"] = {}
    found: dict[str, Any] = metadata["msgbook"]
    return found


def _drop_metadata(node: dict[str, Any], key: str) -> None:
    """Remove a key from `metadata.msgbook`, and `metadata.msgbook` itself if it is then empty."""
    found = _msgbook_metadata(node)
    found.pop(key, None)
    if not found:
        del node["metadata"]["msgbook"]
