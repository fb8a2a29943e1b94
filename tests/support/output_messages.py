"""What tests of `tests/kernel/test_code_outputs.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from typing import Any

from msgbook.kernel.code_outputs import (
    OutputRecorder,
)


def message(kind: str, content: dict[str, Any], request: str = "one") -> dict[str, Any]:
    return {
        "msg_type": kind,
        "header": {"msg_type": kind},
        "parent_header": {"msg_id": request},
        "content": content,
    }


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return message("stream", {"name": name, "text": text})


def shown(kind: str, data: dict[str, Any], display_id: str | None = None) -> dict[str, Any]:
    transient = {"display_id": display_id} if display_id else {}
    return message(kind, {"data": data, "metadata": {}, "transient": transient})


def kept(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    recorder = OutputRecorder()
    cell = recorder.start("one")
    for one in messages:
        recorder.record(one)
    return cell.outputs
