"""A turn as a run of `# %%%` units below its prompt, one for each block, and back."""

from __future__ import annotations

import re
from typing import Any

from msgbook_format.syntax import jsontext
from msgbook_format.syntax.attributes import Attrs, Pairs, is_type
from msgbook_format.syntax.text_cell import Unit
from msgbook_format.turn.model import TURN_MIME, TURN_VERSION, turn_of
from msgbook_format.turn.output_cells.blocks import (
    NO_AGENT,
    is_readable,
    read_block,
    read_rest,
    read_seconds,
    write_block,
    write_rest,
    write_seconds,
    write_whole,
)
from msgbook_format.turn.output_cells.position import Place

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


def write_turn(output: dict[str, Any], base: str, number: int) -> tuple[list[Unit], int]:
    """Units for an output that `is_turn_output`, below the prompt with the label `base`.

    `number` is the last one used below that prompt; returned with the units is that after them.
    """
    turn = dict(output["data"][TURN_MIME])
    agent = turn.get("agent")
    named = isinstance(agent, str) and is_type(agent) and agent not in NO_AGENT
    kind = str(agent) if named else "markdown"
    place = Place(base)
    place.number = number
    units = [
        _write_unit(block, place, kind, first=index == 0)
        for index, block in enumerate(turn["blocks"])
    ]
    if not units:
        units = [Unit(kind=kind, attrs=[("blocks", "0")], label=place.next_label("text", 1))]
    speaks = named and any(unit.kind == kind for unit in units)
    units[0].attrs += _write_turn_attrs(turn, output["metadata"], speaks)
    return units, place.number


def _write_unit(block: dict[str, Any], place: Place, agent: str, first: bool) -> Unit:
    if not is_readable(block):
        unit = write_whole(block)
        unit.label = place.next_label("", None)
        return unit
    unit, rest = write_block(block, agent, first)
    kind, expected = block["type"], place.expected_step(block["type"])
    step = rest.get("step")
    if _is_step(step):
        del rest["step"]
        if step != expected:
            unit.attrs.append(("step", str(step)))
    else:
        # Not there, or among the keys that no attribute says.
        step = None
        if expected is not None:
            unit.attrs.append(("step", "none"))
    place.enter(kind, step)
    if kind == "tool_call":
        unit.label = place.call_label(place.step, _take_nonce(unit, rest, place))
        place.add_call(unit.label, block["id"])
    elif kind == "tool_result":
        unit.label = place.result_label(rest["id"])
        call = rest.pop("id")
        if place.answered_call(unit.label) != call:
            unit.attrs.append(("call", call))
    else:
        unit.label = place.next_label(kind, place.step)
    write_rest(unit, rest)
    return unit


def _take_nonce(unit: Unit, rest: dict[str, Any], place: Place) -> str:
    nonce = rest.get("nonce")
    if isinstance(nonce, str):
        del rest["nonce"]
        if _NONCE.fullmatch(nonce):
            return nonce
        unit.attrs.append(("nonce", nonce))
    return f"c{len(place.calls) + 1}"


def _write_turn_attrs(turn: dict[str, Any], metadata: dict[str, Any], speaks: bool) -> Pairs:
    """Attributes for the first unit; `speaks` says that a unit's kind names the agent."""
    attrs: Pairs = []
    del turn["blocks"]
    if speaks:
        del turn["agent"]
    elif isinstance(turn.get("agent"), str):
        attrs.append(("agent", turn.pop("agent")))
    for key, attr in _TEXTS:
        if isinstance(turn.get(key), str):
            attrs.append((attr, turn.pop(key)))
    seconds = write_seconds(turn.get("duration"))
    if seconds is not None:
        del turn["duration"]
        attrs.append(("turn_duration", seconds))
    if isinstance(turn["status"], str):
        status = turn.pop("status")
        if status != "done":
            attrs.append(("turn_status", status))
    for key in ("usage", "context"):
        if isinstance(turn.get(key), dict):
            attrs.append((key, jsontext.dumps(turn.pop(key))))
    if jsontext.same(turn["version"], TURN_VERSION):
        del turn["version"]
    if turn:
        attrs.append(("turn", jsontext.dumps(turn)))
    if metadata:
        attrs.append(("output_metadata", jsontext.dumps(metadata)))
    return attrs


class TurnReader:
    """Collects the units of one turn; `output` is the display that holds it."""

    def __init__(self, unit: Unit, base: str) -> None:
        attrs = Attrs(unit.attrs)
        self.turn, metadata = _read_turn_attrs(attrs)
        self.output: dict[str, Any] = {
            "output_type": "display_data",
            "data": {TURN_MIME: self.turn},
            "metadata": metadata,
        }
        self._place = Place(base)
        self._take(unit, attrs, first=True)

    def takes(self, unit: Unit) -> bool:
        """Whether `unit` goes on with this turn: it names no other agent and begins no turn."""
        for key, _ in unit.attrs:
            if key == "turn":
                return False
        agent = _agent_of(unit)
        return agent is None or self.turn.get("agent", agent) == agent

    def add(self, unit: Unit) -> None:
        """Append the block of a unit."""
        self._take(unit, Attrs(unit.attrs), first=False)

    def _take(self, unit: Unit, attrs: Attrs, first: bool) -> None:
        agent = _agent_of(unit)
        if agent is not None:
            self.turn.setdefault("agent", agent)
        if ("blocks", "0") in attrs.rest and not unit.body:
            return
        self.turn["blocks"].append(_read_unit(unit, attrs, self._place, first))


def _agent_of(unit: Unit) -> str | None:
    return None if unit.kind is None or unit.kind in NO_AGENT else unit.kind


def _read_turn_attrs(attrs: Attrs) -> tuple[dict[str, Any], dict[str, Any]]:
    turn: dict[str, Any] = {"version": TURN_VERSION, "status": "done", "blocks": []}
    for key, attr in _READ_TEXTS:
        text = attrs.take(attr)
        if text is not None:
            turn[key] = text
    seconds = attrs.take("turn_duration")
    if seconds is not None:
        value = read_seconds(seconds)
        if value is None:
            attrs.put_back("turn_duration", seconds)
        else:
            turn["duration"] = value
    for key in ("usage", "context"):
        value = _take_object(attrs, key)
        if value is not None:
            turn[key] = value
    for key, value in (_take_object(attrs, "turn") or {}).items():
        if key in ("version", "status") or key not in turn:
            turn[key] = value
    return turn, _take_object(attrs, "output_metadata") or {}


def _take_object(attrs: Attrs, key: str) -> dict[str, Any] | None:
    text = attrs.take(key)
    if text is None:
        return None
    value = jsontext.load_object(text)
    if value is None:
        attrs.put_back(key, text)
    return value


def _read_unit(unit: Unit, attrs: Attrs, place: Place, first: bool) -> dict[str, Any]:
    if unit.kind == "nb":
        block = jsontext.load_object(unit.body)
        if block is not None and isinstance(block.get("type"), str):
            place.next_label("", None)
            return block
    block = read_block(unit, attrs, first)
    kind = block["type"]
    expected = place.expected_step(kind)
    step = _read_step(attrs, expected)
    if step is not None:
        block["step"] = step
    place.enter(kind, step)
    label = unit.label or ""
    if kind == "tool_call":
        suffix = label.rpartition(".")[2]
        nonce = attrs.take("nonce")
        if nonce is None and _NONCE.fullmatch(suffix):
            nonce = suffix
        if nonce is not None:
            block["nonce"] = nonce
        block.setdefault("id", f"call_{suffix}")
        place.add_call(label, block["id"])
    elif kind == "tool_result":
        call = attrs.take("call")
        block["id"] = place.answered_call(label) if call is None else call
    read_rest(block, attrs)
    return block


def _is_step(value: Any) -> bool:
    return type(value) is int and abs(value) < _STEPS_END


def _read_step(attrs: Attrs, expected: int | None) -> int | None:
    text = attrs.take("step")
    if text is None:
        return expected
    if text == "none":
        return None
    if re.fullmatch(r"-?[0-9]{1,15}", text):
        return int(text)
    attrs.put_back("step", text)
    return expected
