"""The tools of plug-ins, and what their authors need: docs/plugins.md."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import json
import re
import threading
import typing
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from msgbook.approval import ApprovalRequest
from msgbook.plugins import TOOLS, Entry, PluginError, find_entries, how_to_turn_off
from msgbook.tool_calls import OWN_NAMES as OWN_NAMES
from msgbook.tools.base import CallContext, Content, Tool, ToolFunction
from msgbook.tools.functions import Called, as_content, bind_function
from msgbook.tools.tool_schemas import UnfitSchemaError, fit_schema

_NAME = re.compile(r"(?!mcp__)[A-Za-z0-9_-]{1,64}")
"""Names that servers accept, without those of MCP servers' tools."""


@dataclass(frozen=True, slots=True)
class ToolHost:
    """The conversation for which tools of plug-ins are made."""

    folder: Path
    """The notebook's folder."""


class ToolFactory(Protocol):
    """Makes the tool of an entry point, once for each conversation."""

    def __call__(self, host: ToolHost) -> Tool:
        """Return the tool, named like the entry point."""
        ...


def make_tool(
    function: Callable[..., Any], *, name: str | None = None, read_only: bool = False
) -> Tool:
    """Return the tool of a function, which may be async; any other runs in a thread of its own.

    Args:
        name: By default the function's name.
        read_only: Whether calls need no approval and may run side by side.

    Raises:
        ToolError: A model cannot call the function; the message says why.
    """
    name = name or function.__name__

    def bind(context: CallContext) -> ToolFunction:
        return bind_function(name, function, _call)

    bind(CallContext())
    return Tool(name, bind, read_only=read_only)


async def import_tools(off: Collection[str] = ()) -> None:
    """Import what `load_tools` uses in a thread, so that one that hangs can be interrupted."""

    def import_all() -> None:
        for entry in find_entries(TOOLS, off)[0]:
            # The one who makes the tools says what cannot be imported.
            with suppress(PluginError):
                entry.load()

    await _in_thread(import_all)


def load_tools(host: ToolHost, off: Collection[str] = ()) -> tuple[list[Tool], list[str]]:
    """Return the tools of the installed plug-ins, sorted by name, and a line for each that cannot be used.

    Args:
        off: Plug-ins that are turned off.
    """
    entries, problems = find_entries(TOOLS, off)
    tools = []
    for entry in sorted(entries, key=lambda entry: entry.name):
        try:
            tools.append(_load_tool(entry, host))
        except PluginError as error:
            problems.append(str(error))
    return tools, problems


def _load_tool(entry: Entry, host: ToolHost) -> Tool:
    if entry.name in OWN_NAMES:
        raise PluginError(
            f"{entry} is not used: {entry.name} is the name of one of msgbook's own tools (msgbook.tools). "
            f"{how_to_turn_off(entry)}"
        )
    if not _NAME.fullmatch(entry.name):
        raise PluginError(
            f"{entry} is not used: its name cannot be that of a tool. Expected 1 to 64 of A-Z, a-z, 0-9, _ "
            "and -, not beginning with mcp__."
        )
    found = entry.load()
    with entry.running("is not used"):
        tool = _make(found, entry, host)
        # A request with it must be JSON in UTF-8.
        json.dumps(tool.schema, allow_nan=False, ensure_ascii=False).encode()
        try:
            fit_schema(tool.schema["function"].get("parameters") or {})
        except UnfitSchemaError as error:
            raise PluginError(
                f"{entry} is not used, since model servers would refuse it: the schema of its arguments {error}. "
                f"{how_to_turn_off(entry)}"
            ) from None
    return tool


def _make(found: Any, entry: Entry, host: ToolHost) -> Tool:
    """Return the tool that an entry point names: a tool, a factory of one, or a function."""
    if callable(found) and _is_factory(found):
        found = found(host)
    elif callable(found) and not isinstance(found, Tool):
        found = make_tool(found, name=entry.name)
    if not isinstance(found, Tool):
        raise PluginError(
            f"{entry} is not used: expected a function, a Tool or a function that makes one of a ToolHost, "
            f"but got {type(found).__name__}."
        )
    if found.name != entry.name:
        raise PluginError(
            f"{entry} is not used: the tool is named {found.name!r}, but its entry point {entry.name!r}."
        )
    return replace(found, bind=_asking(found, entry), origin=entry.origin)


def _is_factory(found: Callable[..., Any]) -> bool:
    """Return whether a function takes exactly one argument, a `ToolHost`."""
    try:
        parameters = [*inspect.signature(found).parameters]
        hints = typing.get_type_hints(found)
    except (TypeError, ValueError, NameError):
        return False
    return len(parameters) == 1 and hints.get(parameters[0]) is ToolHost


def _asking(tool: Tool, entry: Entry) -> Callable[[CallContext], ToolFunction]:
    """Return the `bind` of a tool whose calls need approval, unless the tool says otherwise."""
    asks = not (tool.read_only or tool.asks_itself)
    request = ApprovalRequest(f"it runs code of {entry.origin}")

    def bind(context: CallContext) -> ToolFunction:
        function = tool.bind(context)

        @functools.wraps(function)
        async def call(*arguments: Any, **named: Any) -> Content:
            # Another request that is approved comes from the tool itself, after this one.
            if asks and context.approved is None:
                context.require(request)
            found = function(*arguments, **named)
            return _content(await found if inspect.isawaitable(found) else found)

        # From 3.14 on `wraps` copies only annotations that were written with `def`.
        call.__annotations__ = getattr(function, "__annotations__", {})
        return call

    return bind


def _content(value: Any) -> Content:
    """Return what a tool returned as its result: parts that a turn can hold as they are."""
    is_parts = isinstance(value, list) and bool(value) and all(map(_is_part, value))
    return value if is_parts else as_content(value)


def _is_part(value: Any) -> bool:
    """Return whether a value is a text or an image with its data; an address would be a leak."""
    match value:
        case {"type": "text", "text": str(), **others}:
            return not others
        case {"type": "image_url", "image_url": {"url": str(url), **more}, **others}:
            is_told = more.keys() <= {"detail"} and isinstance(more.get("detail", ""), str)
            return url.startswith("data:image/") and is_told and not others
    return False


async def _call(function: Callable[[], Any]) -> Called:
    """Call a function, async or not, and return its result or its error."""
    try:
        found = function() if inspect.iscoroutinefunction(function) else await _in_thread(function)
        return Called("", as_content(await found if inspect.isawaitable(found) else found))
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return Called("", error=error)


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Call a function in a thread that nothing waits for when the process ends."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    outcome: list[Any] = [None, None]

    def run() -> None:
        try:
            outcome[0] = function()
        except BaseException as error:  # handed to whoever waits
            outcome[1] = error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(done.set)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), name="msgbook-plug-in", daemon=True).start()
    await done.wait()
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
