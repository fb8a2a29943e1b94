"""A turn as output cells below its prompt, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, is_type
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.kinds import TEXTS, TOOL_CALLS, TOOL_RESULTS, UNKNOWN, Kind, kind_of
from msgbook_format.turn.model import TURN_MIME, turn_of
from msgbook_format.turn.output_cells.blocks import (
    NO_AGENT,
    is_readable,
    read_block,
    read_rest,
    write_block,
    write_json_block,
    write_rest,
)
from msgbook_format.turn.output_cells.turn_attributes import (
    read_turn_attributes,
    write_turn_attributes,
)

_DERIVED_MIMES = frozenset(("text/markdown", "text/plain"))
"""MIME types beside a turn whose data follow from it."""

_NONCE = re.compile(r"[0-9a-f]{8}")
_STEP = re.compile(r"-?[0-9]{1,15}")
_STEPS_END = 10**15
"""No step is that large: the page reads no larger integers exactly."""


def is_turn_output(output: dict[str, Any]) -> bool:
    """Return whether an output is a turn that output cells can hold completely."""
    return (
        turn_of(output) is not None
        and output.get("output_type") == "display_data"
        and output.keys() == {"output_type", "data", "metadata"}
        and output["data"].keys() <= {TURN_MIME, *_DERIVED_MIMES}
        and isinstance(output["metadata"], dict)
    )


def without_derived(outputs: list[Any]) -> list[Any]:
    """Return outputs without the text that follows from turns; they are not modified."""
    return [
        {**output, "data": {TURN_MIME: output["data"][TURN_MIME]}}
        if isinstance(output, dict) and is_turn_output(output)
        else output
        for output in outputs
    ]


def write_turn(output: dict[str, Any], base: str, number: int) -> tuple[list[TextCell], int]:
    """Return the output cells of a turn below a prompt, and the last number that they use.

    Args:
        output: An output that `is_turn_output`.
        base: Label of the prompt.
        number: Last number that is used below the prompt so far.
    """
    turn = dict(output["data"][TURN_MIME])
    blocks, agent = turn.pop("blocks"), turn.get("agent")
    can_name = isinstance(agent, str) and is_type(agent) and agent not in NO_AGENT
    type_ = str(agent) if can_name else "markdown"
    position = BlockPosition(base)
    position.number = number
    output_cells = [
        _write_output_cell(block, position, type_, is_first=index == 0)
        for index, block in enumerate(blocks)
    ]
    if not output_cells:
        label = position.next_label(TEXTS, 1)
        output_cells = [TextCell(type=type_, attributes=[("blocks", "0")], label=label)]
    is_agent_named = can_name and any(cell.type == type_ for cell in output_cells)
    output_cells[0].attributes += write_turn_attributes(
        turn, output["metadata"], is_agent_named=is_agent_named
    )
    return output_cells, position.number


def _write_output_cell(
    block: dict[str, Any], position: BlockPosition, agent: str, *, is_first: bool
) -> TextCell:
    if not is_readable(block):
        output_cell = write_json_block(block)
        output_cell.label = position.next_label()
        return output_cell
    output_cell, rest = write_block(block, agent, is_first=is_first)
    kind = kind_of(block)
    expected = position.expected_step(kind)
    step = rest.get("step")
    if _is_step(step):
        del rest["step"]
        if step != expected:
            output_cell.attributes.append(("step", str(step)))
    else:
        # It is missing, or no attribute can hold it.
        step = None
        if expected is not None:
            output_cell.attributes.append(("step", "none"))
    position.move_past(kind, step)
    if kind is TOOL_CALLS:
        nonce = _take_nonce(output_cell, rest, position)
        output_cell.label = position.call_label(position.step, nonce)
        position.add_call(output_cell.label, block["id"])
    elif kind is TOOL_RESULTS:
        output_cell.label = position.result_label(rest["id"])
        call_id = rest.pop("id")
        if position.answered_call(output_cell.label) != call_id:
            output_cell.attributes.append(("call", call_id))
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


class TurnReader:
    """Reader of one turn, given its output cells one by one."""

    def __init__(self, output_cell: TextCell, base: str) -> None:
        """Begin with the first output cell below the prompt with the label `base`."""
        attributes = AttributeReader(output_cell.attributes)
        self.turn, metadata = read_turn_attributes(attributes)
        self.output: dict[str, Any] = {
            "output_type": "display_data",
            "data": {TURN_MIME: self.turn},
            "metadata": metadata,
        }
        """Output that holds the turn."""
        self._position = BlockPosition(base)
        self._add(output_cell, attributes, is_first=True)

    def continues_with(self, output_cell: TextCell) -> bool:
        """Return whether an output cell belongs to this turn, and begins no other."""
        for key, _ in output_cell.attributes:
            if key == "turn":
                return False
        agent = _agent_of(output_cell)
        return agent is None or self.turn.get("agent", agent) == agent

    def add(self, output_cell: TextCell) -> None:
        """Append the block of an output cell."""
        self._add(output_cell, AttributeReader(output_cell.attributes), is_first=False)

    def _add(self, output_cell: TextCell, attributes: AttributeReader, *, is_first: bool) -> None:
        agent = _agent_of(output_cell)
        if agent is not None:
            self.turn.setdefault("agent", agent)
        if ("blocks", "0") in attributes.rest and not output_cell.body:
            return
        block = _read_output_cell(output_cell, attributes, self._position, is_first=is_first)
        self.turn["blocks"].append(block)


def _agent_of(output_cell: TextCell) -> str | None:
    return None if output_cell.type in NO_AGENT else output_cell.type


def _read_output_cell(
    output_cell: TextCell, attributes: AttributeReader, position: BlockPosition, *, is_first: bool
) -> dict[str, Any]:
    if output_cell.type == "nb":
        json_block = jsontext.load_object(output_cell.body)
        if json_block is not None and isinstance(json_block.get("type"), str):
            position.next_label()
            return json_block
    block = read_block(output_cell, attributes, is_first=is_first)
    kind = kind_of(block)
    step = _read_step(attributes, position.expected_step(kind))
    if step is not None:
        block["step"] = step
    position.move_past(kind, step)
    label = output_cell.label or ""
    if kind is TOOL_CALLS:
        suffix = label.rpartition(".")[2]
        nonce = attributes.take("nonce")
        if nonce is None and _NONCE.fullmatch(suffix):
            nonce = suffix
        if nonce is not None:
            block["nonce"] = nonce
        block.setdefault("id", f"call_{suffix}")
        position.add_call(label, block["id"])
    elif kind is TOOL_RESULTS:
        call_id = attributes.take("call")
        block["id"] = position.answered_call(label) if call_id is None else call_id
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
    if _STEP.fullmatch(text):
        return int(text)
    attributes.put_back("step", text)
    return expected


# Position of a block in its turn: step, label and call that follow from the order of blocks.


class BlockPosition:
    """Step, number and answered call of the next block.

    Reader and writer go through the same blocks with it. What follows from the order of the blocks
    is not written.
    """

    __slots__ = (
        "base",
        "calls",
        "is_answered",
        "labels",
        "last_call",
        "number",
        "numbers",
        "results",
        "step",
    )

    def __init__(self, base: str) -> None:
        """Start below the prompt with the label `base`."""
        self.base = base
        self.step = 1
        self.is_answered = False
        """True after a tool result, which ends a step."""
        self.number = 0
        self.numbers: dict[int | None, int] = {}
        self.calls: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.results: dict[str, int] = {}
        self.last_call: str | None = None

    def expected_step(self, kind: Kind) -> int | None:
        """Return the step of the next block if the text names none; None if it has no step."""
        if not kind.is_of_step:
            return None
        return self.step + 1 if self.is_answered and kind is not TOOL_RESULTS else self.step

    def move_past(self, kind: Kind, step: int | None) -> None:
        """Continue after a block with this step."""
        if kind.is_of_step and step is not None:
            self.step = step
            self.is_answered = kind is TOOL_RESULTS

    def next_label(self, kind: Kind = UNKNOWN, step: int | None = None) -> str:
        """Return the label of a block that takes a number of its own."""
        self.number += 1
        if kind.is_numbered:
            self.numbers[step] = self.number
        return f"{self.base}-{self.number}"

    def call_label(self, step: int, nonce: str) -> str:
        """Return the label of a call: the number of its step's latest text or reasoning, or a new one."""
        if step not in self.numbers:
            self.number += 1
            self.numbers[step] = self.number
        return f"{self.base}-{self.numbers[step]}.{nonce}"

    def result_label(self, call_id: str) -> str:
        """Return the label of a further result of a call."""
        label = self.labels.get(call_id, f"{self.base}-{max(self.number, 1)}.r")
        self.results[label] = self.results.get(label, 0) + 1
        return f"{label}.{self.results[label]}"

    def add_call(self, label: str, call_id: str) -> None:
        """Remember the label of a call."""
        self.calls[label] = call_id
        self.labels[call_id] = label
        self.last_call = call_id

    def answered_call(self, label: str) -> str:
        """Return the id of the call that a result answers; without any call, the label itself."""
        call_id = self.calls.get(label.rpartition(".")[0]) or self.last_call
        return label if call_id is None else call_id
