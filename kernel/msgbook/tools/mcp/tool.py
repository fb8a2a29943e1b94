"""A tool of an MCP server, as one that a model can call: its name, its result, its failures."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from msgbook.approval import MCP_PREFIX, ApprovalRequest
from msgbook.errors import MsgbookError, ToolError
from msgbook.images import MAX_IMAGES, data_url, image_type
from msgbook.text import counted, one_line, repair_surrogates, visible
from msgbook.tool_calls import parse_arguments
from msgbook.tools.base import CallContext, Content, Tool
from msgbook.tools.mcp.listing import ListedTool
from msgbook_format.typed import as_list, as_texts

# A server's answer to a call, as the model reads it. Pure: a server may send anything.


_SHOWN_RESULT = 300
"""Characters of a name or an address."""
_SHOWN_ANSWER = 100
"""Characters of an answer that is not a result."""

Part = dict[str, Any]


def read_result(result: Mapping[str, Any]) -> Content:
    """Return the result of a call: text, or content parts if there are images.

    Structured content counts only if there is no text, because servers repeat it as text.

    Raises:
        ToolError: The server says that the call failed, or its answer is not a result.
    """
    if "inputRequests" in result or result.get("resultType") == "input_required":
        raise ToolError("The tool asks for input that msgbook does not give.")
    entries, structured = result.get("content"), result.get("structuredContent")
    if not isinstance(entries, list) and structured is None:
        shown = json.dumps(result, ensure_ascii=False)[:_SHOWN_ANSWER]
        raise ToolError(
            f"The server's answer is not a result of a tool: {repair_surrogates(shown)}"
        )
    entries = as_list(entries)
    parts = [part for entry in entries for part in _read_entry(entry)]
    if structured is not None and not any(part["type"] == "text" for part in parts):
        parts.append(_text(json.dumps(structured, ensure_ascii=False, indent=1)))
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    if result.get("isError") is True:
        raise ToolError(text or "The tool failed, and its server does not say why.")
    if any(part["type"] != "text" for part in parts):
        return list(_few(parts))
    return text or "(no content)"


def _few(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield no more images than a model is sent, and neighbouring texts as one."""
    lines: list[str] = []
    images = 0
    for part in parts:
        if part["type"] == "text":
            lines.append(part["text"])
            continue
        images += 1
        if images > MAX_IMAGES:
            continue
        if lines:
            yield _text("\n".join(lines))
            lines = []
        yield part
    if images > MAX_IMAGES:
        more = counted(images - MAX_IMAGES, "more image")
        lines.append(f"[{more} left out; the limit of a result is {MAX_IMAGES}]")
    if lines:
        yield _text("\n".join(lines))


def _read_entry(entry: Any) -> Iterator[Part]:
    """Yield the parts of one piece of content; a line in place of what a model cannot take."""
    if not isinstance(entry, dict):
        yield _text("[content that cannot be read was left out]")
        return
    match entry:
        case {"type": "text", "text": str(text)}:
            yield _text(text)
        case {"type": "image", "data": str(data)}:
            yield _image(data, entry.get("mimeType"))
        case {"type": "audio"}:
            yield _text(f"[{_kind(entry, 'audio')}: a model is not sent sound]")
        case {"type": "resource_link", "uri": str(uri)}:
            yield _text(_link(uri, entry))
        case {"type": "resource", "resource": {"uri": str(uri), **resource}}:
            yield _text(f"[resource {_line(uri)}]")
            yield _resource(resource)
        case _:
            kind = _line(str(entry.get("type")))
            yield _text(f"[content of the type {kind} was left out]")


def _resource(resource: Mapping[Any, Any]) -> Part:
    match resource:
        case {"text": str(text)}:
            return _text(text)
        case {"blob": str(data)}:
            return _image(data, resource.get("mimeType"))
        case _:
            return _text("[it has no content]")


def _image(data: str, mime: Any) -> Part:
    """Return an image whose data are one; otherwise a line, since a broken image spoils each later request."""
    kind = _line(mime) if isinstance(mime, str) else "data"
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return _text(f"[{kind}: its base64 cannot be read]")
    real = image_type(raw)
    if real is None:
        return _text(f"[{kind}, {len(raw)} bytes: a model cannot be sent it]")
    return {"type": "image_url", "image_url": {"url": data_url(real, raw)}}


def _link(uri: str, entry: Mapping[str, Any]) -> str:
    said = [entry.get(key) for key in ("name", "mimeType", "description")]
    words = ", ".join(map(_line, filter(None, as_texts(said))))
    return f"[resource {_line(uri)}{f': {words}' if words else ''}]"


def _kind(entry: Mapping[str, Any], otherwise: str) -> str:
    mime = entry.get("mimeType")
    return _line(mime) if isinstance(mime, str) else otherwise


def _line(text: str) -> str:
    return one_line(text, _SHOWN_RESULT)


def _text(text: str) -> Part:
    return {"type": "text", "text": repair_surrogates(text)}


# The callback that takes the progress of a call.


class Progress(Protocol):
    """Takes what a server says of the progress of a call; it may go backwards."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


CallServer = Callable[[str, Mapping[str, Any], Progress], Awaitable[dict[str, Any]]]
"""Calls a tool by the server's own name for it; raises `McpError`."""

_UNASKED = CallContext()
_PROGRESS_INTERVAL = 0.25
"""Seconds between two lines of progress. A server may send thousands a second, and a page shows the last."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_SHOWN = 200
"""Characters of a server's words about its progress."""


@dataclass(frozen=True, kw_only=True)
class McpTool(Tool):
    """A tool of an MCP server. Each call needs approval, unless the user trusts the server's hints."""

    bind: Any = None
    """None: the model is sent the server's schema, not that of a function."""
    server: str
    """Name of the server in the user's configuration."""
    listed: ListedTool
    digest: str
    """Digest of the server's table, for which approval rules hold."""
    call_server: CallServer = field(repr=False)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function tool in the form of the chat API, with the server's own words."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.listed.description,
                "parameters": self.listed.parameters,
            },
        }

    async def call(self, arguments: str, context: CallContext = _UNASKED) -> Content:
        """Call the server.

        Raises:
            ToolError: The arguments are not a JSON object, or the call failed.
            ApprovalRequiredError: The call needs approval first.
        """
        try:
            given = parse_arguments(arguments)
            # Before anybody is asked: half characters and NaN reach no server.
            json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
        except ValueError as error:
            raise ToolError(f"The arguments do not fit: {error}.") from None
        if not self.read_only:
            context.require(self._approval_request())
        shown = _ShownProgress(context.show)
        try:
            result = await self.call_server(self.listed.name, given, shown.add)
        except McpError as error:
            raise ToolError(f"MCP server {self.server}: {error}") from None
        finally:
            shown.stop()
        return read_result(result)

    def _approval_request(self) -> ApprovalRequest:
        tool, server = visible(one_line(self.listed.name, _SHOWN)), visible(self.server)
        if not _PLAIN_NAME.fullmatch(tool):
            tool = repr(tool)  # a name may be a sentence about the approval
        return ApprovalRequest(
            f"it calls {tool} of the MCP server {server}, which is a separate program",
            server=self.digest,
        )


class _ShownProgress:
    """Shows a server's progress, at most four lines a second.

    Make it in the loop where the call waits; the server's words come from another thread.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._last = float("-inf")
        self._stopped = False

    async def add(self, progress: float, total: float | None, message: str | None) -> None:
        now = time.monotonic()
        if now - self._last < _PROGRESS_INTERVAL:
            return
        self._last = now
        done = f"{progress:g}/{total:g}" if total is not None else f"{progress:g}"
        line = f"{done} {one_line(message or '', _SHOWN)}".strip()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._show_unless_stopped, f"{line}\n")

    def stop(self) -> None:
        """Show no more."""
        self._stopped = True

    def _show_unless_stopped(self, line: str) -> None:
        if not self._stopped:
            self._show(line)


# Failures of MCP servers.


class McpError(MsgbookError):
    """A server could not be started, or a call of it failed; the message says what is known."""


# The names under which models see the tools of MCP servers. Pure.


_LIMIT = 64
"""Characters of a tool's name: OpenAI and Anthropic take no longer one."""
_KEPT = 55
"""Characters of a name that is cut, before `_` and 8 hexadecimal digits."""
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")


def tool_name(server: str, tool: str) -> str:
    """Return the name of a server's tool: `mcp__SERVER__TOOL`.

    Model servers refuse a request with a name that is longer than 64 characters or has others than letters,
    digits, `_` and `-`. Such a name is cleaned, cut, and ends with a digest of both names; so it does not
    depend on what else is offered.
    """
    plain = f"{MCP_PREFIX}{server}__{tool}"
    clean = _REFUSED.sub("_", plain)
    if clean == plain and len(plain) <= _LIMIT:
        return plain
    both = f"{server}\0{tool}".encode("utf-8", "surrogatepass")
    return f"{clean[:_KEPT]}_{hashlib.sha256(both).hexdigest()[:8]}"
