"""A dispatcher to which a server's mistake costs only what is mistaken.

The SDK refuses a whole list of tools for one that does not fit the protocol, and a whole result for one
piece of content of an unknown type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import methods
from pydantic import ValidationError

from msgbook.text import counted, one_line

ENTRY_LIMIT = 2000
"""Tools of one page, or pieces of content of one result, that are looked at."""

_SHOWN = 100


class TolerantDispatcher(JSONRPCDispatcher[Any]):
    """Makes the results of `tools/list` and `tools/call` fit the protocol.

    Attributes:
        version: Returns the version of the protocol that both sides speak.
        left_out: Tools that were left out; a line each.
    """

    version: Callable[[], str | None]
    left_out: list[str]

    async def send_raw_request(self, *args: Any, **named: Any) -> dict[str, Any]:
        method = args[0]
        result = await super().send_raw_request(*args, **named)
        if method == "tools/list":
            return self._with_fitting(method, result, "tools", self._leave_out)
        if method == "tools/call":
            complete = _with_said_limit(_as_complete(result))
            return self._with_fitting(method, complete, "content", _in_words)
        return result

    def _with_fitting(
        self,
        method: str,
        result: Mapping[str, Any],
        key: str,
        replace: Callable[[Any], list[Any]],
    ) -> dict[str, Any]:
        """Return a result whose list holds only entries that fit, or what replaces them."""
        entries = result.get(key)
        entries = entries[:ENTRY_LIMIT] if isinstance(entries, list) else []
        whole = {**result, key: entries}
        if self._fits(method, whole):
            return whole
        frame = self._fitting_frame(method, result, key)
        # Without what may be long: it would be checked once more for each entry.
        light = {name: value for name, value in frame.items() if name != "structuredContent"}
        fitting: list[Any] = []
        for entry in entries:
            fits = self._fits(method, {**light, key: [entry]})
            fitting += [entry] if fits else replace(entry)
        return {**frame, key: fitting}

    def _fitting_frame(self, method: str, result: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Return what fits of a result whose list is empty."""
        frame = {**result, key: []}
        if self._fits(method, frame):
            return frame
        kept = ("nextCursor", "isError", "resultType", "ttlMs", "cacheScope", "structuredContent")
        frame = {name: frame[name] for name in (*kept, key) if name in frame}
        while not self._fits(method, frame) and len(frame) > 1:
            frame.pop(next(iter(frame)))
        return frame

    def _fits(self, method: str, result: Mapping[str, Any]) -> bool:
        try:
            methods.validate_server_result(method, self.version() or "2025-11-25", result)
        except KeyError:
            return True
        except ValidationError:
            return False
        return True

    def _leave_out(self, tool: Any) -> list[Any]:
        name = tool.get("name") if isinstance(tool, dict) else None
        which = repr(one_line(name, _SHOWN)) if isinstance(name, str) else "a tool without a name"
        self.left_out.append(f"{which} does not fit the protocol and is left out")
        return []


def _in_words(entry: Any) -> list[Any]:
    kind = entry.get("type") if isinstance(entry, dict) else entry
    words = f"[content that does not fit the protocol was left out: {one_line(str(kind), _SHOWN)}]"
    return [{"type": "text", "text": words}]


def _with_said_limit(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result whose content is not longer than the limit, and says how much is left out."""
    content = result.get("content")
    left_out = len(content) - ENTRY_LIMIT if isinstance(content, list) else 0
    if not isinstance(content, list) or left_out <= 0:
        return result
    words = f"[{counted(left_out + 1, 'more piece')} of content left out]"
    return {**result, "content": [*content[: ENTRY_LIMIT - 1], {"type": "text", "text": words}]}


def _as_complete(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a call with a list of content, whatever the server sent."""
    if "inputRequests" in result or result.get("resultType") == "input_required":
        words = "The tool asks for input that msgbook does not give."
        return {"content": [{"type": "text", "text": words}], "isError": True}
    structured, content = result.get("structuredContent"), result.get("content")
    if structured is not None and not isinstance(structured, dict) and not content:
        # The protocol knows objects alone; nothing else would repeat the result.
        text = {"type": "text", "text": json.dumps(structured, ensure_ascii=False)}
        return {**result, "content": [text], "structuredContent": None}
    if isinstance(content, list) or structured is not None:
        return {**result}
    shown = json.dumps(result, ensure_ascii=False)[:_SHOWN]
    words = f"The server's answer is no result of a tool: {shown}"
    return {"content": [{"type": "text", "text": words}], "isError": True}
