"""A tool: a typed function that a model may call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from msgbook.errors import MsgbookError

ToolFunction = Any
"""A function of typed arguments, `async` and returning text; pydantic calls it."""


class ToolError(MsgbookError):
    """A call that failed; the message is the result that the model reads."""


class ApprovalNeededError(MsgbookError):
    """A call that is not free. Raised before anything has been done; the message says why."""


@dataclass(frozen=True)
class Tool:
    """One tool.

    The function's signature, annotations and docstring are what the model is told. It raises
    `ToolError` for what the model should know and `ApprovalNeededError` for what somebody has to allow.
    """

    name: str
    bind: Callable[[bool], ToolFunction]
    """Makes the function; with True the one that runs after somebody has allowed the call."""

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function tool as the chat API spells it."""
        function = self.bind(False)
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": inspect.getdoc(function) or "",
                "parameters": TypeAdapter(function).json_schema(),
            },
        }

    async def call(self, arguments: str, *, approved: bool = False) -> str:
        """Run the tool.

        Args:
            arguments: JSON text, as the model sent it.
            approved: Somebody has allowed exactly this call.

        Raises:
            ToolError: The arguments do not fit, or the tool failed.
            ApprovalNeededError: Somebody has to allow the call first.
        """
        adapter: TypeAdapter[Any] = TypeAdapter(self.bind(approved))
        try:
            running: Awaitable[str] = adapter.validate_json(arguments or "{}")
        except ValidationError as error:
            raise ToolError(f"The arguments do not fit: {_reasons(error.errors())}") from None
        return await running


class ToolSet:
    """The tools of one conversation, by name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}

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
