"""Content of a block as the body of its output cell, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attribute_reader import AttributeReader
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.output_cells.call_text import read_call_text

BODY_KEYS = {
    "text": "text",
    "reasoning": "text",
    "tool_call": "arguments",
    "tool_result": "content",
    "notice": "text",
    "error": "message",
}
"""Key of the content, by type of the block."""

_ARGUMENTS = re.compile(r"\s*<tool_call>\s*<arguments>([^<]*)</arguments>\s*</tool_call>\s*")
_OF_RESULTS = frozenset(("status", "duration", "encoding"))
_RESULT_LABEL = re.compile(r"\.[0-9]{1,7}$")
"""End of the label of a result. That of a call is a nonce, of eight digits."""


def names_tool(output_cell: TextCell) -> bool:
    """Return whether the body of an output cell without a name is a call that names its tool."""
    keys = dict(output_cell.attributes).keys()
    if not output_cell.body.startswith(("<", "```", "~~~")) or keys & _OF_RESULTS:
        return False
    if _RESULT_LABEL.search(output_cell.label or ""):
        return False
    return bool(read_call_text(output_cell.body, None).name)


def write_body(output_cell: TextCell, block: dict[str, Any], rest: dict[str, Any]) -> None:
    """Write the content of a block into an output cell, in place, and take it from `rest`."""
    kind = block["type"]
    body = rest.pop(BODY_KEYS[kind])
    if kind == "tool_call":
        text = rest.get("xml")
        if isinstance(text, str) and _is_call_text(text, block["name"], body):
            output_cell.body = rest.pop("xml")
            return
        escaped = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = f"<tool_call><arguments>{escaped}</arguments></tool_call>"
    elif isinstance(body, list):
        output_cell.attributes.append(("encoding", "json"))
        body = jsontext.dumps_indented(body)
    output_cell.body = body


def read_body(output_cell: TextCell, attributes: AttributeReader, block: dict[str, Any]) -> None:
    """Add the content of an output cell to its block, in place."""
    kind = block["type"]
    content: Any = output_cell.body
    if kind == "tool_call":
        match = _ARGUMENTS.fullmatch(output_cell.body)
        if match:
            text = match[1].replace("&lt;", "<").replace("&gt;", ">")
            content = text.replace("&amp;", "&")
        elif output_cell.body:
            call = read_call_text(output_cell.body, block.get("name"))
            if call.name is not None:
                block.setdefault("name", call.name)
            block["xml"] = output_cell.body
            content = output_cell.body if call.arguments is None else call.arguments
    elif kind == "tool_result" and ("encoding", "json") in attributes.rest:
        try:
            parts = jsontext.loads(output_cell.body)
        except ValueError:
            parts = None
        if isinstance(parts, list):
            attributes.take("encoding")
            content = parts
    block[BODY_KEYS[kind]] = content


def is_understood(output_cell: TextCell) -> bool:
    """Return whether the body of a call says its arguments, if it says anything."""
    body = output_cell.body
    if not body or _ARGUMENTS.fullmatch(body):
        return True
    name = next((value for key, value in output_cell.attributes if key == "name"), None)
    return read_call_text(body, name if isinstance(name, str) else None).arguments is not None


def _is_call_text(text: str, name: str, arguments: str) -> bool:
    """Return whether a call with these arguments can be written as `text`."""
    if text == "" or _ARGUMENTS.fullmatch(text) or jsontext.needs_json(text):
        return False
    found = read_call_text(text, name).arguments
    return (text if found is None else found) == arguments
