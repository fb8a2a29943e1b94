"""Cells and blocks to make histories of, odd ones too, and what strict servers ask of a request."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

from msgbook_format.turn import TURN_MIME


def prompt(
    source: str, *blocks: dict[str, Any], status: str = "done", **metadata: Any
) -> dict[str, Any]:
    turn = {"version": 1, "status": status, "agent": "assistant", "blocks": list(blocks)}
    outputs = [{"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}]
    return {
        "cell_type": "code",
        "source": source,
        "metadata": {"msgbook": metadata},
        "outputs": outputs if blocks else [],
    }


def note(source: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {"msgbook": metadata}}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "source": source,
        "metadata": {},
        "outputs": list(outputs),
    }


def says(text: str, step: int = 1) -> dict[str, Any]:
    return {"type": "text", "step": step, "text": text}


def calls(call_id: str, step: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "step": step,
        "id": call_id,
        "name": "read",
        "arguments": "{}",
        **more,
    }


def answers(call_id: str, content: str = "done", step: int = 1) -> dict[str, Any]:
    result = {"type": "tool_result", "step": step, "id": call_id, "status": "success"}
    return {**result, "content": content}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just("\ud83d"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
part = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url"])},
    optional={"text": json_values, "image_url": json_values},
)
block_types = ["text", "reasoning", "tool_call", "tool_result", "notice", "new"]
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(block_types)},
    optional={
        "step": st.integers(1, 3) | json_values,
        "id": st.sampled_from(["a", "b", ""]) | json_values,
        "text": st.text(max_size=5) | json_values,
        "name": st.text(max_size=3) | json_values,
        "arguments": st.sampled_from(["{}", "{", '{"a": 1}']) | json_values,
        "content": st.text(max_size=5) | st.lists(part) | json_values,
        "unfinished": st.booleans(),
        "approval": st.sampled_from(["auto", "pending", "denied"]),
        "status": st.sampled_from(["success", "denied"]),
        "history": st.sampled_from(["exclude", "summary", "include"]) | json_values,
        "summary": st.just({"text": "S"}) | json_values,
        "extra": json_values,
    },
)
turns = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "status": st.sampled_from(["done", "running", "error"]) | json_values,
        "blocks": st.lists(blocks, max_size=6),
    },
    optional={
        "agent": st.sampled_from(["assistant", "reviewer", ""]) | json_values,
        "context": st.fixed_dictionaries(
            {}, optional={"summaries": st.dictionaries(st.text(max_size=3), json_values)}
        )
        | json_values,
    },
)
bundles = st.fixed_dictionaries({TURN_MIME: turns}) | st.dictionaries(
    st.sampled_from(["text/plain", "text/html", "image/png", "image/jpeg", "application/json"]),
    json_values,
    max_size=3,
)
outputs = st.fixed_dictionaries(
    {"output_type": st.sampled_from(["stream", "error", "display_data", "execute_result"])},
    optional={"text": json_values, "traceback": json_values, "data": bundles | json_values},
)
ours = st.fixed_dictionaries(
    {},
    optional={
        "history": st.sampled_from(["exclude", "summary", "include"]) | json_values,
        "role": st.sampled_from(["system", "assistant", "user"]) | json_values,
        "summary": st.just({"text": "S"}) | json_values,
    },
)
sources = ["%model", "!", "\\", "%%msg model=x", "%%msg", "Q", "%%python\n1", "%continue", " "]
odd_cells = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b"]) | json_values,
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | json_values,
        "source": st.sampled_from(sources) | json_values,
        "metadata": st.fixed_dictionaries({}, optional={"msgbook": ours | json_values})
        | json_values,
        "outputs": st.lists(outputs, max_size=3) | json_values,
    },
)
"""What a file or a page may say that a cell is."""


def check_valid(messages: list[dict[str, Any]]) -> None:
    """What strict servers ask of a request."""
    waiting: list[str] = []
    for position, message in enumerate(messages):
        role, content = message["role"], message["content"]
        assert role != "system" or position == 0
        if role == "tool":
            assert waiting
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            assert role in ("system", "user", "assistant")
            assert has_content(content) or message.get("tool_calls")
        if isinstance(content, list):
            assert role != "system"
            assert all(is_part(part) for part in content)
        calls = message.get("tool_calls", [])
        waiting += [call["id"] for call in calls]
        assert len(set(waiting)) == len(waiting)
        for call in calls:
            assert role == "assistant"
            assert call["id"]
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert re.fullmatch("[A-Za-z0-9_-]{1,64}", call["function"]["name"])
    assert waiting == []
    json.dumps(messages, ensure_ascii=False).encode("utf-8")


def has_content(content: Any) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)


def is_part(part: dict[str, Any]) -> bool:
    if part["type"] == "text":
        return isinstance(part["text"], str)
    return isinstance(part["image_url"]["url"], str)


def turn_cell(source, usage=None, model="m", provider="p", **keys):
    turn = {"version": 1, "status": "done", "model": model, "provider": provider, **keys}
    turn["blocks"] = [{"type": "text", "step": 1, "text": "Yes."}]
    if usage is not None:
        turn["usage"] = usage
    data = {"application/vnd.msgbook.turn+json": turn}
    outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": outputs}
