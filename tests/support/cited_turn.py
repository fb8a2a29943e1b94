"""What tests of `tests/format/turn/test_sources.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from typing import Any


def cited(*annotations: Any, text: str = "Paris.", **keys: Any) -> Any:
    block = {"type": "text", "step": 1, "text": text, "extra": {"annotations": list(annotations)}}
    return {"version": 1, "status": "done", "blocks": [block], **keys}
