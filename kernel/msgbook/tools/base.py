"""A tool: a typed function that a model may call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from msgbook.approval import ApprovalRequest, ApprovalRequiredError
from msgbook.call_arguments import parse_arguments
from msgbook.errors import ToolError

Content = str | list[dict[str, Any]]
"""What a tool gives: text, or content parts (`text`, `image_url` with a `data:` URL; seed 001)."""

ToolFunction = Any
"""A function of typed arguments, `async` and returning `Content`; pydantic calls it."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool knows of the call that it runs."""

    approved: ApprovalRequest | None = None
    """The approval request that was approved for this very call."""
    show: Callable[[str], None] = lambda text: None
    """Shows a further piece of output while the tool runs; belongs to the event loop's thread."""

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

    The function's signature, annotations and docstring are what the model is told. It raises
    `ToolError` for what the model should know, and calls `CallContext.require` before it does what
    somebody has to allow.
    """

    name: str
    bind: Callable[[CallContext], ToolFunction]
    """Makes the function for one call."""
    read_only: bool = False
    """Whether calls may run side by side."""

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function tool as the chat API spells it."""
        return schema_of(self.name, self.bind(CallContext()))

    async def call(self, arguments: str, context: CallContext = CallContext()) -> Content:
        """Run the tool.

        Args:
            arguments: JSON text, as the model sent it.

        Raises:
            ToolError: The arguments do not fit, or the tool failed.
            ApprovalRequiredError: Somebody has to allow the call first.
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
    """A function of typed arguments as a function tool of the chat API."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": inspect.getdoc(function) or "",
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
        """Offer a tool; one with the same name is replaced."""
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        """Offer a tool no longer.

        Raises:
            ToolError: There is none with that name.
        """
        del self._tools[self.find(name).name]

    @property
    def schemas(self) -> list[dict[str, Any]]:
        return [tool.schema for tool in self._tools.values()]

    def find(self, name: str) -> Tool:
        """The tool with that name.

        Raises:
            ToolError: There is none; the message lists those there are.
        """
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            raise ToolError(f"There is no tool named {name!r}. The tools are: {known}.")
        return tool


def _reasons(errors: Iterable[Any]) -> str:
    """What pydantic found wrong, in one line."""
    return "; ".join(
        ".".join(str(part) for part in error["loc"]) + ": " + error["msg"]
        if error["loc"]
        else str(error["msg"])
        for error in errors
    )
