"""A connection to one server: an owner task opens, holds and closes it; calls come from other tasks. A server's mistake costs only what is mistaken."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import Any

import httpx2
import mcp_types as types
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import TypeAdapter, ValidationError

from msgbook.config import McpServerSettings
from msgbook.network import NetworkProblem
from msgbook.text import counted, one_line, visible
from msgbook.tools.mcp.listing import TOOL_LIMIT, Listing, read_listing
from msgbook.tools.mcp.server_process import ServerProcess, StartError
from msgbook.tools.mcp.tool import McpError, Progress
from msgbook.tools.mcp.transports import TransportErrorInfo, http_streams, process_streams
from msgbook_format.typed import as_list

_GRACE = 1.0
"""Seconds in which the SDK can tell a server that a call is cancelled, or a session ends."""
_HTTP_REFUSAL = "Server returned an error response"
"""What the SDK says of an HTTP status."""
_SHOWN = 500
"""Characters of a server's own words in a message."""
_PYDANTIC = re.compile(r"Failed to parse .*: \d+ validation errors? for ")
"""The SDK's words for an answer that is not a message, before many lines about each type of message."""
_RAW: Any = TypeAdapter(dict[str, Any])

for _name in ("mcp", "client"):  # the SDK's loggers, which may repeat what a server sent
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


class Connection:
    """A server that runs, or that has ended.

    Args:
        environment: The complete environment of its process.
        on_changed: Called when the server says that its tools have changed.
    """

    def __init__(
        self,
        server: McpServerSettings,
        environment: Mapping[str, str],
        on_changed: Callable[[], None],
    ) -> None:
        self._server = server
        self._environment = environment
        self._on_changed = on_changed
        self._trouble = TransportErrorInfo()
        self._process: ServerProcess | None = None
        self._session: ClientSession | None = None
        self._leave = asyncio.Event()
        self._opened: asyncio.Future[Listing] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own())
        self.ended = ""
        """Why it has ended; empty while it runs."""

    async def open(self) -> Listing:
        """Wait until the server has listed its tools, and return them.

        Raises:
            McpError: It did not within its time limit.
        """
        limit = self._server.startup_timeout
        await asyncio.wait([self._opened], timeout=limit)
        if not self._opened.done():
            await self.close()
            raise McpError(
                f"it did not answer within {limit:g} s (startup_timeout_sec){self._last_words()}"
            )
        return self._opened.result()

    async def call(
        self, tool: str, arguments: Mapping[str, Any], on_progress: Progress
    ) -> dict[str, Any]:
        """Call a tool, and return the server's result.

        Raises:
            McpError: The call failed; the message says what is known of it.
        """
        work = asyncio.create_task(self._request(tool, arguments, on_progress))
        limit = self._server.tool_timeout
        try:
            done, _ = await asyncio.wait([work], timeout=limit + _GRACE)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if not done:
            # It reads no more. Writing that the call is cancelled would wait, too.
            work.cancel()
            self._leave.set()
            raise McpError(
                f"{_timed_out(limit)}. The server has stopped reading, so the connection was closed."
            )
        return work.result()

    async def close(self) -> None:
        """End the connection and what it started."""
        self._leave.set()
        if self._process is not None:
            self._process.stop_input()
        if not self._opened.done():
            self._owner.cancel()  # it waits for an answer
        await asyncio.wait([self._owner])

    async def _request(
        self, tool: str, arguments: Mapping[str, Any], on_progress: Progress
    ) -> dict[str, Any]:
        assert self._session is not None  # noqa: S101 - it has been opened
        params = types.CallToolRequestParams(name=tool, arguments={**arguments})
        limit = self._server.tool_timeout
        try:
            result = await ask_raw(
                self._session,
                types.CallToolRequest(params=params),
                request_read_timeout_seconds=limit,
                progress_callback=on_progress,
            )
            return _with_said_limit(result)
        except MCPError as error:
            if error.code == types.REQUEST_TIMEOUT:
                raise McpError(f"{_timed_out(limit)}.") from None
            if error.code == types.CONNECTION_CLOSED or error.message == "Session terminated":
                if error.message != "Connection closed":
                    self._trouble.message = self._trouble.message or _words(error)
                self._leave.set()
                await asyncio.wait([self._owner])
                raise McpError(
                    f"The server ended during the call: {self.ended}. "
                    "It may or may not have taken effect."
                ) from None
            words = self._trouble.message if error.message == _HTTP_REFUSAL else ""
            raise McpError(f"The server refuses the call: {words or _words(error)}") from None

    async def _own(self) -> None:
        """Open the connection, hold it until it is to end, and close it, all in one task."""
        why = "it was closed"
        try:
            async with AsyncExitStack() as stack:
                streams = await stack.enter_async_context(self._streams())
                session = ClientSession(
                    dispatcher=RawResults(*streams),
                    message_handler=self._hear,
                    client_info=types.Implementation(name="msgbook", version=version("msgbook")),
                )
                await stack.enter_async_context(session)
                await negotiate(session, over_http=self._server.url is not None)
                listing = await list_tools(session)
                self._session = session
                self._opened.set_result(listing)
                await self._leave.wait()
        except BaseException as error:  # the SDK's groups of errors, and its cancellations
            why = _reason(error, self._trouble)
        finally:
            self.ended = self._why_ended(why)
            if not self._opened.done():
                self._opened.set_exception(McpError(self.ended))
                self._opened.exception()  # nobody need wait for it

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        server, trouble = self._server, self._trouble
        if server.url is not None:
            async with http_streams(server.url, server.headers, trouble) as streams:
                yield streams
                # Leaving asks the server to end the session; it may never answer.
                asyncio.get_running_loop().call_later(_GRACE, self._owner.cancel)
            return
        process = self._process = await ServerProcess.start(server, self._environment)
        process.on_end = self._leave.set
        try:
            async with process_streams(process, trouble) as streams:
                yield streams
        finally:
            await process.close()

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._on_changed()

    def _why_ended(self, why: str) -> str:
        process, trouble = self._process, self._trouble
        if trouble.message:
            return f"{trouble.message}{self._last_words()}"
        code = process.exit_code if process is not None else None
        if code is not None and code < 128:
            return f"it ended with exit code {code}{self._last_words()}"
        if code is not None and why == "it was closed":
            return f"it was ended by signal {code - 128}{self._last_words()}"
        return f"{why}{self._last_words()}"

    def _last_words(self) -> str:
        """Return what the server said that may explain a failure."""
        if self._process is not None and self._process.stderr:
            return f": {_shown(self._process.stderr[-_SHOWN:])}"
        if self._trouble.first_bad_line:
            return f"; its output is not JSON-RPC: '{_shown(self._trouble.first_bad_line)}'"
        return ""


def _timed_out(limit: float) -> str:
    return (
        f"The call took longer than {limit:g} s (tool_timeout_sec). "
        "It may or may not have taken effect"
    )


def _reason(error: BaseException, trouble: TransportErrorInfo) -> str:
    """Return an error of a connection in words; of a group, its first one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case asyncio.CancelledError():
            return "it was closed"
        case MCPError():
            return _words(error)
        case StartError() | McpError() | NetworkProblem():
            return str(error)
        case httpx2.ConnectError() | httpx2.ProxyError():
            why = str(error)
            return f"nothing answers at its url ({_shown(why)}){trouble.way_advice(why)}"
    return _shown(f"{type(error).__name__}: {error}")


def _words(error: MCPError) -> str:
    if _PYDANTIC.match(error.message):
        return "its answer is not JSON-RPC"
    return _shown(error.message)


def _shown(text: str) -> str:
    # No controls, no text that runs backwards.
    return visible(one_line(text, _SHOWN))


# The results of tools, as a server sends them.


_AS_SENT = "msgbook/as-sent"


class RawResults(JSONRPCDispatcher[Any]):
    """Hands the results of `tools/list` and `tools/call` on unchecked, in one that fits each version of the protocol.

    The SDK refuses a whole list of tools for one that does not fit, and a whole result for one piece of
    content of an unknown type. `read_listing` and `read_result` take what can be used.
    """

    async def send_raw_request(self, *args: Any, **named: Any) -> dict[str, Any]:
        result = await super().send_raw_request(*args, **named)
        if args[0] not in ("tools/list", "tools/call"):
            return result
        lists = {"tools": [], "content": [], "ttlMs": 0, "cacheScope": "private"}
        return {**lists, "resultType": "complete", "_meta": {_AS_SENT: result}}


async def ask_raw(session: ClientSession, request: Any, **named: Any) -> dict[str, Any]:
    """Send `tools/list` or `tools/call`, and return what the server sent."""
    result = await session.send_request(request, _RAW, **named)
    sent: dict[str, Any] = result["_meta"][_AS_SENT]
    return sent


PIECES = 2000
"""Pieces of content of one result that are read; each is a part of the message."""


def _with_said_limit(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result whose content is not longer than the limit, and says how much is left out."""
    content = result.get("content")
    if not isinstance(content, list) or len(content) <= PIECES:
        return result
    words = f"[{counted(len(content) - PIECES + 1, 'more piece')} of content left out]"
    return {**result, "content": [*content[: PIECES - 1], {"type": "text", "text": words}]}


# The first exchange with a server: a version of the protocol, and the list of tools.


_PAGES = 100
"""Pages of a list of tools that are read: a server may say that there is one more each time."""
_LENGTH = 20_000_000
"""Characters of a list of tools that are read: 1,000 tools of full size would be five times as many."""
_SHOWN_NAME = 100
"""Characters of a tool's name in a message; a server may send any."""


async def negotiate(session: ClientSession, *, over_http: bool) -> None:
    """Agree on a version of the protocol.

    Old programs do not answer `server/discover` at all, so over pipes the handshake comes first.
    """
    if over_http:
        try:
            await session.discover()
        except (MCPError, RuntimeError, ValidationError):
            await session.initialize()
        return
    try:
        await session.initialize()
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            raise
        await session.discover()


async def list_tools(session: ClientSession) -> Listing:
    """Return the tools of all pages. A server may give pages without end."""
    tools: list[Any] = []
    cursor: Any = None
    seen: list[Any] = []
    left = _LENGTH
    while cursor not in seen and len(seen) < _PAGES and len(tools) <= TOOL_LIMIT and left > 0:
        seen.append(cursor)
        params = types.PaginatedRequestParams(cursor=cursor)
        page = await ask_raw(session, types.ListToolsRequest(params=params))
        left -= len(json.dumps(page))
        found = page.get("tools")
        tools += as_list(found)
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str):
            return _read_fitting(tools)
    return _read_fitting(tools, "its list of tools has no end")


def _read_fitting(tools: list[Any], *problems: str) -> Listing:
    """Return the tools, those without a schema left out."""
    fitting, said = [], [*problems]
    for tool in tools[: TOOL_LIMIT + 1]:
        if isinstance(tool, dict) and not isinstance(tool.get("inputSchema"), dict):
            name = repr(one_line(str(tool.get("name")), _SHOWN_NAME))
            said.append(f"{name} does not fit the protocol and is left out")
        else:
            fitting.append(tool)
    return read_listing(fitting, said)
