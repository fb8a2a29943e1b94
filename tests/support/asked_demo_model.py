"""Asks the demo model, as a turn does."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from msgbook.events import ModelFinished, TextDelta, ToolCallDelta
from msgbook.messages import assistant, tool_call
from msgbook.provider import Request
from msgbook.provider.base import Wire
from msgbook.provider.demo_model import demo_provider


def ask(*messages: dict[str, Any], tools: tuple[str, ...] = ()) -> tuple[str, str, Any, str]:
    """Return text, name and arguments of the call, and finish reason of an answer."""
    offered = [{"type": "function", "function": {"name": name}} for name in tools]

    async def events() -> list[Any]:
        provider = demo_provider(Wire())
        try:
            return [e async for e in provider.stream(Request("demo", [*messages], offered))]
        finally:
            await provider.close()

    found = asyncio.run(events())
    calls = [event for event in found if isinstance(event, ToolCallDelta)]
    arguments = "".join(call.arguments for call in calls)
    return (
        "".join(event.text for event in found if isinstance(event, TextDelta)),
        "".join(call.name for call in calls),
        json.loads(arguments) if arguments else None,
        next(str(event.finish_reason) for event in found if isinstance(event, ModelFinished)),
    )


def called(name: str, result: str) -> list[dict[str, Any]]:
    calls = [tool_call("c", name, "{}")]
    return [assistant(None, calls), {"role": "tool", "tool_call_id": "c", "content": result}]
