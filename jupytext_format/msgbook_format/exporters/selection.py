"""The switches of an export: reasoning, tools, excluded cells and system prompts.

Whatever is left out is counted, so that the export can say so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from msgbook_format.agents import agent_tables
from msgbook_format.cells import is_code
from msgbook_format.exporters.untyped_values import as_text
from msgbook_format.metadata import msgbook_metadata
from msgbook_format.syntax import Dialect, is_excluded, parse_msg_line
from msgbook_format.turn import TURN_MIME, Block, turn_of

Json = dict[str, Any]

_TOOL_BLOCKS = frozenset(("tool_call", "tool_result", "display"))
_WORDS = {
    "reasoning": ("reasoning of {} answer", "reasoning of {} answers"),
    "tools": ("{} tool call", "{} tool calls"),
    "excluded": ("{} excluded cell", "{} excluded cells"),
    "controls": ("{} command to msgbook", "{} commands to msgbook"),
    "system": ("{} system prompt", "{} system prompts"),
}


# fmt: off
CONTROLS = frozenset({
    "%model", "%models", "%agent", "%rules", "%skills", "%macros", "%tool", "%tools", "%mcp", "%approvals",
    "%context", "%compact", "%prune", "%stale", "%cache", "%usage", "%display", "%help",
})
# fmt: on
"""msgbook's line magics: an author steers a conversation with them, and nobody else reads them."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Parts of a conversation that an export shows."""

    reasoning: bool = True
    tools: bool = True
    excluded: bool = False
    """Prompts and code that requests leave out, with their answers. Such notes are for readers,
    and always shown."""
    system: bool = False
    """Notes with the role system, and the system prompts of the file's own agents."""
    controls: bool = True
    """Cells with msgbook's line magics, and what they print."""


@dataclass(slots=True)
class Selected:
    """Cells of an export."""

    cells: list[Json] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of things that were left out, by switch."""

    def notice(self) -> str:
        """Return a sentence that says what was left out; empty if it was nothing."""
        words = [
            _WORDS[name][self.left_out[name] != 1].format(self.left_out[name])
            for name in _WORDS
            if self.left_out[name]
        ]
        return f"Not in this export: {', '.join(words)}." if words else ""


def select_cells(metadata: dict[str, Any], cells: list[Json], selection: Selection) -> Selected:
    """Return new cells with what is to be shown of `cells`, which have typed fields."""
    selected = Selected()
    dialect = Dialect.from_metadata(metadata, None)
    prompts = _agents_prompts(metadata)
    if selection.system:
        selected.cells += prompts
    else:
        selected.left_out["system"] += len(prompts)
    for cell in cells:
        code = cell["cell_type"] == "code"
        note = cell["cell_type"] == "markdown"
        if note and msgbook_metadata(cell).get("role") == "system" and not selection.system:
            selected.left_out["system"] += 1
        elif code and not selection.controls and _is_control(cell["source"], dialect):
            selected.left_out["controls"] += 1
        elif code and not selection.excluded and is_excluded(_history(cell, dialect)):
            selected.left_out["excluded"] += 1
        else:
            selected.cells.append(_shown(cell, selection, selected.left_out) if code else cell)
    return selected


def _is_control(source: str, dialect: Dialect) -> bool:
    """Return whether a cell holds a line magic of msgbook."""
    return is_code(source, dialect) and not CONTROLS.isdisjoint(source.split(maxsplit=1)[:1])


def _history(cell: Json, dialect: Dialect) -> Any:
    value = msgbook_metadata(cell).get("history", "include")
    source = cell["source"]
    msg = None if is_code(source, dialect) else parse_msg_line(source)
    return value if msg is None else msg.attributes.get("history", value)


def _agents_prompts(metadata: dict[str, Any]) -> list[Json]:
    """Return a note for each agent of the frontmatter that has a system prompt."""
    frontmatter = as_text(msgbook_metadata({"metadata": metadata}).get("frontmatter"))
    notes = []
    for name, table in agent_tables(frontmatter).tables.items() if frontmatter else ():
        text = table.get("system_prompt") if isinstance(table, dict) else None
        if isinstance(text, str) and text.strip():
            ours = {"role": "system", "title": f"system prompt of {name}"}
            notes.append({"cell_type": "markdown", "source": text, "metadata": {"msgbook": ours}})
    return notes


def _shown(cell: Json, selection: Selection, left_out: Counter[str]) -> Json:
    shown = {**cell, "outputs": [_output(o, selection, left_out) for o in cell["outputs"]]}
    ours = msgbook_metadata(cell)
    if not selection.reasoning and (ours.get("before") or ours.get("after")):
        left_out["reasoning"] += 1
        kept = {key: value for key, value in ours.items() if key not in ("before", "after")}
        shown["metadata"] = {**cell["metadata"], "msgbook": kept}
    return shown


def _output(output: Json, selection: Selection, left_out: Counter[str]) -> Json:
    turn = turn_of(output)
    if turn is None or (selection.reasoning and selection.tools):
        return output
    kinds = Counter(block["type"] for block in turn["blocks"])
    hidden = set()
    if not selection.reasoning:
        hidden.add("reasoning")
        left_out["reasoning"] += bool(kinds["reasoning"])
    if not selection.tools:
        hidden |= _TOOL_BLOCKS
        left_out["tools"] += kinds["tool_call"]
    blocks = [
        block for block in turn["blocks"] if block["type"] not in hidden or _is_of_model(block)
    ]
    return {**output, "data": {**output["data"], TURN_MIME: {**turn, "blocks": blocks}}}


def _is_of_model(block: Block) -> bool:
    """Return whether a block is an image of the model, not a display of a tool's call."""
    return block["type"] == "display" and "id" not in block
