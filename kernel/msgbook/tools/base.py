"""A tool, which is a typed function that a model may call."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from msgbook.approval import ApprovalRequest, ApprovalRequiredError
from msgbook.errors import ToolError
from msgbook.tool_calls import OWN_NAMES, parse_arguments
from msgbook.tools.displays import Display, ignore_display
from msgbook.tools.tool_schemas import UnfitSchemaError, fit_schema

Content = str | list[dict[str, Any]]
"""A tool's result: text, or content parts (`text`, `image_url` with a `data:` URL; seed 001)."""

ToolFunction = Any
"""An async function with typed arguments that returns `Content`; pydantic calls it."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Approval, id and display of the call that a tool runs."""

    approved: ApprovalRequest | None = None
    """The approval request that was approved for this very call."""
    show: Callable[[str], None] = lambda text: None
    """Shows another piece of output while the tool runs. Call it in the event loop's thread."""
    call_id: str = ""
    """Id of the call in its step; empty for a call outside a turn."""
    update: Callable[[dict[str, Any]], None] = lambda changes: None
    """Replaces keys of the call's `tool_result` block while the tool runs, in the event loop's
    thread. They are shown and saved as they are, and never sent to a model."""

    display: Display = ignore_display
    """Shows a MIME bundle to the reader, below the result, once the call has ended."""

    def require(self, approval_request: ApprovalRequest) -> None:
        """Continue only if exactly this was approved.

        So a call does what the person saw: if a file or a link has changed since, the request is a
        different one and is asked about again.

        Raises:
            ApprovalRequiredError: It was not approved.
        """
        if approval_request != self.approved:
            raise ApprovalRequiredError(approval_request)


@dataclass(frozen=True)
class Tool:
    """One tool.

    The model is sent the function's signature, annotations and docstring. The function raises
    `ToolError` for a failure that the model should read, and calls `CallContext.require` before it
    does anything that needs approval.
    """

    name: str
    bind: Callable[[CallContext], ToolFunction]
    """Returns the function for one call."""
    read_only: bool = False
    """True if calls of the tool may run at the same time."""
    asks_itself: bool = False
    """True if the tool of a plug-in calls `CallContext.require` itself. Otherwise each of its calls
    needs approval, unless the tool is `read_only`."""
    origin: str = ""
    """What added the tool, in words for a person; empty for msgbook's own."""
    recorded: bool = True
    """False if a replay runs the tool again, since all that it starts is in the cassette itself."""
    ends_turn: bool = False
    """True if a call that succeeds ends the turn: the model is not called again."""
    keeps_time: bool = False
    """True if the tool itself ends once the turn's time budget is used up; it is not stopped then."""

    def is_recorded(self, arguments: str) -> bool:
        """Return whether a cassette keeps the result of a call with these arguments."""
        return self.recorded

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function tool in the form of the chat API."""
        return schema_of(self.name, self.bind(CallContext()))

    @cached_property
    def sent_schema(self) -> dict[str, Any]:
        """The schema as model servers take it; as it is if no other one says the same."""
        if self.name in OWN_NAMES:  # no other tool has such a name, and our schemas fit
            return self.schema
        function = self.schema["function"]
        try:
            parameters = fit_schema(function.get("parameters") or {})
        except UnfitSchemaError:
            return self.schema
        return {**self.schema, "function": {**function, "parameters": parameters}}

    async def call(self, arguments: str, context: CallContext = CallContext()) -> Content:
        """Run the tool.

        Args:
            arguments: JSON text, as the model sent it.

        Raises:
            ToolError: The arguments do not fit, or the tool failed.
            ApprovalRequiredError: The call needs approval first.
        """
        adapter: TypeAdapter[Any] = TypeAdapter(self.bind(context))
        try:
            parse_arguments(arguments)
            running: Awaitable[Content] = adapter.validate_json(arguments or "{}")
        except ValidationError as error:
            raise ToolError(f"The arguments do not fit: {_reasons(error.errors())}") from None
        except ValueError as error:
            raise ToolError(f"The arguments do not fit: {error}.") from None
        return await running


def schema_of(name: str, function: ToolFunction) -> dict[str, Any]:
    """Return a function with typed arguments as a function tool of the chat API."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": docstring_of(function),
            "parameters": TypeAdapter(function).json_schema(),
        },
    }


class ToolSet:
    """The tools of one conversation, by name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __iter__(self) -> Iterator[Tool]:
        return iter(list(self._tools.values()))

    def add(self, tool: Tool) -> None:
        """Add a tool; it replaces one with the same name."""
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        """Remove a tool.

        Raises:
            ToolError: There is no tool with that name.
        """
        del self._tools[self.find(name).name]

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The function tools in the form of the chat API."""
        return [tool.sent_schema for tool in self._tools.values()]

    def find(self, name: str) -> Tool:
        """Return the tool with that name.

        Raises:
            ToolError: There is no such tool; the message lists the tools.
        """
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            raise ToolError(f"There is no tool named {name!r}. The tools are: {known}.")
        return tool


def _reasons(errors: Iterable[Any]) -> str:
    """Return pydantic's errors on one line."""
    return "; ".join(
        ".".join(str(part) for part in error["loc"]) + ": " + error["msg"]
        if error["loc"]
        else str(error["msg"])
        for error in errors
    )


# Docstrings of tools, which a model reads, whether the interpreter keeps them or not.


_REMOVED = 2
"""Level of optimization (`-OO`) from which the interpreter keeps no docstrings."""


def docstring_of(function: Callable[..., Any]) -> str:
    """Return a function's docstring; empty if it has none."""
    found = inspect.getdoc(function)
    if found or sys.flags.optimize < _REMOVED:
        return found or ""
    try:
        defined = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):  # it has no source that can be found
        return ""
    if not isinstance(defined, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return ast.get_docstring(defined) or ""
