"""A turn as a run of `# %%%` units below its prompt, one for each block, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, Attributes, is_type
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.model import TURN_MIME, TURN_VERSION, turn_of
from msgbook_format.turn.output_cells.blocks import (
    NO_AGENT,
    is_readable,
    read_block,
    read_rest,
    read_seconds,
    write_block,
    write_json_block,
    write_rest,
    write_seconds,
)
from msgbook_format.turn.output_cells.position import BlockPosition

_DERIVED_MIMES = frozenset(("text/markdown", "text/plain"))
"""MIME types beside a turn that follow from it."""

_NONCE = re.compile(r"[0-9a-f]{8}")
_STEPS_END = 10**15
_TEXTS = (
    ("started", "time"),
    ("model", "model"),
    ("provider", "provider"),
    ("finish_reason", "finish_reason"),
)

_READ_TEXTS = (*_TEXTS, ("agent", "agent"), ("status", "turn_status"))


def is_turn_output(output: dict[str, Any]) -> bool:
    """Whether an output is a turn and nothing that units of a turn could not say."""
    return (
        turn_of(output) is not None
        and output.get("output_type") == "display_data"
        and output.keys() == {"output_type", "data", "metadata"}
        and output["data"].keys() <= {TURN_MIME, *_DERIVED_MIMES}
        and isinstance(output["metadata"], dict)
    )


def without_derived(outputs: list[Any]) -> list[Any]:
    """Outputs with turns alone, without the text that follows from them; not in place."""
    return [
        {**output, "data": {TURN_MIME: output["data"][TURN_MIME]}}
        if isinstance(output, dict) and is_turn_output(output)
        else output
        for output in outputs
    ]


def write_turn(output: dict[str, Any], base: str, number: int) -> tuple[list[TextCell], int]:
    """Units for an output that `is_turn_output`, below the prompt with the label `base`.

    `number` is the last one used below that prompt; returned with the units is that after them.
    """
    turn = dict(output["data"][TURN_MIME])
    agent = turn.get("agent")
    named = isinstance(agent, str) and is_type(agent) and agent not in NO_AGENT
    kind = str(agent) if named else "markdown"
    position = BlockPosition(base)
    position.number = number
    output_cells = [
        _write_output_cell(block, position, kind, first=index == 0)
        for index, block in enumerate(turn["blocks"])
    ]
    if not output_cells:
        output_cells = [
            TextCell(type=kind, attributes=[("blocks", "0")], label=position.next_label("text", 1))
        ]
    speaks = named and any(output_cell.type == kind for output_cell in output_cells)
    output_cells[0].attributes += _write_turn_attrs(turn, output["metadata"], speaks)
    return output_cells, position.number


def _write_output_cell(
    block: dict[str, Any], position: BlockPosition, agent: str, first: bool
) -> TextCell:
    if not is_readable(block):
        output_cell = write_json_block(block)
        output_cell.label = position.next_label("", None)
        return output_cell
    output_cell, rest = write_block(block, agent, first)
    kind, expected = block["type"], position.expected_step(block["type"])
    step = rest.get("step")
    if _is_step(step):
        del rest["step"]
        if step != expected:
            output_cell.attributes.append(("step", str(step)))
    else:
        # Not there, or among the keys that no attribute says.
        step = None
        if expected is not None:
            output_cell.attributes.append(("step", "none"))
    position.enter(kind, step)
    if kind == "tool_call":
        output_cell.label = position.call_label(
            position.step, _take_nonce(output_cell, rest, position)
        )
        position.add_call(output_cell.label, block["id"])
    elif kind == "tool_result":
        output_cell.label = position.result_label(rest["id"])
        call = rest.pop("id")
        if position.answered_call(output_cell.label) != call:
            output_cell.attributes.append(("call", call))
    else:
        output_cell.label = position.next_label(kind, position.step)
    write_rest(output_cell, rest)
    return output_cell


def _take_nonce(output_cell: TextCell, rest: dict[str, Any], position: BlockPosition) -> str:
    nonce = rest.get("nonce")
    if isinstance(nonce, str):
        del rest["nonce"]
        if _NONCE.fullmatch(nonce):
            return nonce
        output_cell.attributes.append(("nonce", nonce))
    return f"c{len(position.calls) + 1}"


def _write_turn_attrs(turn: dict[str, Any], metadata: dict[str, Any], speaks: bool) -> Attributes:
    """Attributes for the first unit; `speaks` says that a unit's kind names the agent."""
    attributes: Attributes = []
    del turn["blocks"]
    if speaks:
        del turn["agent"]
    elif isinstance(turn.get("agent"), str):
        attributes.append(("agent", turn.pop("agent")))
    for key, attr in _TEXTS:
        if isinstance(turn.get(key), str):
            attributes.append((attr, turn.pop(key)))
    seconds = write_seconds(turn.get("duration"))
    if seconds is not None:
        del turn["duration"]
        attributes.append(("turn_duration", seconds))
    if isinstance(turn["status"], str):
        status = turn.pop("status")
        if status != "done":
            attributes.append(("turn_status", status))
    for key in ("usage", "context"):
        if isinstance(turn.get(key), dict):
            attributes.append((key, jsontext.dumps(turn.pop(key))))
    if jsontext.is_same(turn["version"], TURN_VERSION):
        del turn["version"]
    if turn:
        attributes.append(("turn", jsontext.dumps(turn)))
    if metadata:
        attributes.append(("output_metadata", jsontext.dumps(metadata)))
    return attributes


class TurnReader:
    """Collects the units of one turn; `output` is the display that holds it."""

    def __init__(self, output_cell: TextCell, base: str) -> None:
        attributes = AttributeReader(output_cell.attributes)
        self.turn, metadata = _read_turn_attrs(attributes)
        self.output: dict[str, Any] = {
            "output_type": "display_data",
            "data": {TURN_MIME: self.turn},
            "metadata": metadata,
        }
        self._position = BlockPosition(base)
        self._take(output_cell, attributes, first=True)

    def takes(self, output_cell: TextCell) -> bool:
        """Whether `unit` goes on with this turn: it names no other agent and begins no turn."""
        for key, _ in output_cell.attributes:
            if key == "turn":
                return False
        agent = _agent_of(output_cell)
        return agent is None or self.turn.get("agent", agent) == agent

    def add(self, output_cell: TextCell) -> None:
        """Append the block of a unit."""
        self._take(output_cell, AttributeReader(output_cell.attributes), first=False)

    def _take(self, output_cell: TextCell, attributes: AttributeReader, first: bool) -> None:
        agent = _agent_of(output_cell)
        if agent is not None:
            self.turn.setdefault("agent", agent)
        if ("blocks", "0") in attributes.rest and not output_cell.body:
            return
        self.turn["blocks"].append(
            _read_output_cell(output_cell, attributes, self._position, first)
        )


def _agent_of(output_cell: TextCell) -> str | None:
    return None if output_cell.type is None or output_cell.type in NO_AGENT else output_cell.type


def _read_turn_attrs(attributes: AttributeReader) -> tuple[dict[str, Any], dict[str, Any]]:
    turn: dict[str, Any] = {"version": TURN_VERSION, "status": "done", "blocks": []}
    for key, attr in _READ_TEXTS:
        text = attributes.take(attr)
        if text is not None:
            turn[key] = text
    seconds = attributes.take("turn_duration")
    if seconds is not None:
        value = read_seconds(seconds)
        if value is None:
            attributes.put_back("turn_duration", seconds)
        else:
            turn["duration"] = value
    for key in ("usage", "context"):
        value = _take_object(attributes, key)
        if value is not None:
            turn[key] = value
    for key, value in (_take_object(attributes, "turn") or {}).items():
        if key in ("version", "status") or key not in turn:
            turn[key] = value
    return turn, _take_object(attributes, "output_metadata") or {}


def _take_object(attributes: AttributeReader, key: str) -> dict[str, Any] | None:
    text = attributes.take(key)
    if text is None:
        return None
    value = jsontext.load_object(text)
    if value is None:
        attributes.put_back(key, text)
    return value


def _read_output_cell(
    output_cell: TextCell, attributes: AttributeReader, position: BlockPosition, first: bool
) -> dict[str, Any]:
    if output_cell.type == "nb":
        block = jsontext.load_object(output_cell.body)
        if block is not None and isinstance(block.get("type"), str):
            position.next_label("", None)
            return block
    block = read_block(output_cell, attributes, first)
    kind = block["type"]
    expected = position.expected_step(kind)
    step = _read_step(attributes, expected)
    if step is not None:
        block["step"] = step
    position.enter(kind, step)
    label = output_cell.label or ""
    if kind == "tool_call":
        suffix = label.rpartition(".")[2]
        nonce = attributes.take("nonce")
        if nonce is None and _NONCE.fullmatch(suffix):
            nonce = suffix
        if nonce is not None:
            block["nonce"] = nonce
        block.setdefault("id", f"call_{suffix}")
        position.add_call(label, block["id"])
    elif kind == "tool_result":
        call = attributes.take("call")
        block["id"] = position.answered_call(label) if call is None else call
    read_rest(block, attributes)
    return block


def _is_step(value: Any) -> bool:
    return type(value) is int and abs(value) < _STEPS_END


def _read_step(attributes: AttributeReader, expected: int | None) -> int | None:
    text = attributes.take("step")
    if text is None:
        return expected
    if text == "none":
        return None
    if re.fullmatch(r"-?[0-9]{1,15}", text):
        return int(text)
    attributes.put_back("step", text)
    return expected
