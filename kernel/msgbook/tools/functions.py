"""The tool `python` and the functions of `%tool`, which run in the notebook's namespace."""

from __future__ import annotations

import functools
import inspect
import re
import traceback
import types
import typing
import warnings
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_json

from msgbook.approval import ApprovalRequest
from msgbook.errors import ToolError
from msgbook.images import OUTPUT_IMAGE_TYPES, data_url, image_type
from msgbook.messages import content_parts, content_text
from msgbook.tools.base import CallContext, Content, Tool, ToolFunction, docstring_of, schema_of
from msgbook.tools.cell_tools import RUN_CELL
from msgbook.tools.displays import Display, ignore_display

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""Tool names that servers accept."""

Show = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Called:
    """Result of a function call."""

    printed: Content
    """Printed and displayed output; empty text for none."""
    returned: Content | None = None
    """Returned value, unless it is None or was displayed."""
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class RanCell:
    """A cell that was run."""

    content: Content
    """Its output, as a model gets it; empty text for none."""
    outputs: list[dict[str, Any]]
    """As in nbformat."""
    count: int
    """Its execution count."""
    failed: bool


class Namespace(Protocol):
    """The Python of a notebook."""

    def lookup(self, name: str) -> Any:
        """Return the value of a name; raises `KeyError`."""

    async def run(self, code: str, show: Show, display: Display = ignore_display) -> Content:
        """Run code and return its output; raises `ToolError` with the traceback."""

    async def run_cell(self, code: str, show: Show, display: Display = ignore_display) -> RanCell:
        """Run the code of a cell, which gets an execution count."""

    async def call(
        self,
        function: Callable[[], Any],
        show: Show,
        spell: Callable[[Any], Content],
        display: Display = ignore_display,
    ) -> Called:
        """Call a function, sync or async; `spell` turns the returned value into a result."""

    async def describe(self, name: str) -> str:
        """Return a short description of a variable; raises `MsgbookError` if there is none."""


class AbsentPython:
    """Stands for the Python of a kernel that does not run: its tool is offered and never called."""

    def lookup(self, name: str) -> Any:
        raise KeyError(name)

    async def run(self, code: str, show: Show, display: Display = ignore_display) -> Content:
        raise ToolError(_NO_KERNEL)

    async def run_cell(self, code: str, show: Show, display: Display = ignore_display) -> RanCell:
        raise ToolError(_NO_KERNEL)

    async def call(
        self,
        function: Callable[[], Any],
        show: Show,
        spell: Callable[[Any], Content],
        display: Display = ignore_display,
    ) -> Called:
        raise ToolError(_NO_KERNEL)

    async def describe(self, name: str) -> str:
        raise ToolError(_NO_KERNEL)


_NO_KERNEL = "No kernel runs here, so there is no Python."

Code = Annotated[str, Field(description="Python, as in a cell; `await` works at top level.")]


_PYTHON = "python"


def runs_in_kernel(tool: Tool) -> bool:
    """Return whether a tool runs code in the kernel, with the variables of the notebook."""
    return tool.name in (_PYTHON, RUN_CELL) or isinstance(tool, FunctionTool)


def python_tool(namespace: Namespace) -> Tool:
    """Return the tool `python`, which needs approval for each call."""

    def bind(context: CallContext) -> ToolFunction:
        async def python(code: Code) -> Content:
            """Run Python in the notebook's kernel, where the variables of its cells are. The result
            is what it prints and displays and the value of the last expression, images included.
            It cannot ask for input.
            """
            context.require(
                ApprovalRequest("it runs Python with all rights of the notebook", always_asks=True)
            )
            return await namespace.run(code, context.show, context.display) or "(no output)"

        return python

    return Tool(_PYTHON, bind)


class FunctionTool(Tool):
    """A function of the notebook, looked up by name at each call, so that a redefinition counts."""

    @property
    def schema(self) -> dict[str, Any]:
        """The function as it is defined now. Not cached, since it may be redefined."""
        try:
            function = self.bind(CallContext())
        except ToolError as error:
            return schema_of(self.name, _broken(str(error)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a default that JSON cannot represent is left out
            return schema_of(self.name, function)


def function_tool(name: str, namespace: Namespace) -> FunctionTool:
    """Return the tool of a notebook's function; each call needs approval.

    Raises:
        ToolError: There is no such function, or a model cannot call it; the message says why.
    """
    if not _NAME.fullmatch(name):
        raise ToolError(
            f"{name!r} cannot be the name of a tool. Expected a function's name: at most 64 of a-z, A-Z, 0-9, _."
        )

    def bind(context: CallContext) -> ToolFunction:
        def run(ready: Callable[[], Any]) -> Awaitable[Called]:
            context.require(ApprovalRequest(f"it runs the notebook's function {name}"))
            return namespace.call(ready, context.show, as_content, context.display)

        return bind_function(name, _function(name, namespace), run)

    bind(CallContext())
    return FunctionTool(name, bind)


def bind_function(
    name: str, function: Callable[..., Any], run: Callable[[Callable[[], Any]], Awaitable[Called]]
) -> ToolFunction:
    """Return a function of any author as that of a tool, for one call.

    Args:
        run: Calls the function, which has its arguments by then.

    Raises:
        ToolError: A model cannot call it; the message says why.
    """
    signature = typed_signature(name, function)

    async def call(*arguments: Any, **named: Any) -> Content:
        called = await run(functools.partial(function, *arguments, **named))
        if called.error is not None:
            raise ToolError(_text(called.printed) + _failure(called.error))
        return _joined(called.printed, called.returned)

    call.__doc__ = docstring_of(function)
    call.__signature__ = signature  # type: ignore[attr-defined]  # pydantic reads it
    call.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return call


def _function(name: str, namespace: Namespace) -> Callable[..., Any]:
    try:
        function = namespace.lookup(name)
    except KeyError:
        raise ToolError(
            f"{name} is not defined in the notebook. Run the cell that defines it."
        ) from None
    if not callable(function):
        kind = type(function).__name__
        raise ToolError(f"{name} is not a function; its type is {kind}.")
    return function  # type: ignore[no-any-return]  # it is callable


def _broken(words: str) -> ToolFunction:
    async def call() -> None: ...

    call.__doc__ = words
    return call


def _failure(error: BaseException) -> str:
    """Return an exception in words for the model: what it is, and where in the notebook."""
    if isinstance(error, ToolError):
        return str(error)
    words = "".join(traceback.format_exception_only(error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    # The file name of a cell is one that does not exist.
    cells = [f for f in frames if not f.filename.startswith("<") and not Path(f.filename).exists()]
    if not cells:
        return words
    frame = cells[-1]
    return f"{words}\n  in {frame.name}, line {frame.lineno}: {frame.line}"


def _joined(printed: Content, returned: Content | None) -> Content:
    """Return the printed output followed by the returned value."""
    if returned is None:
        return printed or "null"
    if isinstance(printed, str) and isinstance(returned, str):
        return printed.removesuffix("\n") + "\n" + returned if printed else returned
    return [*_parts(printed), *_parts(returned)]


def _text(printed: Content) -> str:
    """Return the printed text, ending with a line end."""
    text = content_text(printed)
    return text and text.removesuffix("\n") + "\n"


def _parts(content: Content) -> list[dict[str, Any]]:
    return content_parts(content) if content else []


def as_content(value: Any) -> Content:
    """Return a value as a result: text and images as they are, else JSON, else Python's `repr`.

    This runs code of the value, which may do anything.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        mime = image_type(value)
        if mime in OUTPUT_IMAGE_TYPES:
            return [{"type": "image_url", "image_url": {"url": data_url(mime, value)}}]
    try:
        if not isinstance(value, Iterator):
            return to_json(value).decode()
    except (PydanticSerializationError, ValueError, RecursionError):
        pass
    return repr(value)


# The signature of a function of any author, with types that a model can pass.


def typed_signature(name: str, function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature with resolved annotations.

    Raises:
        ToolError: A model cannot provide a parameter, or not by name.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise ToolError(f"{name} has no readable signature. Write a function around it.") from None
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ToolError(
                f"{name} has the parameter {parameter}, but a model passes arguments by name."
            )
        annotation = parameter.annotation
        if annotation is not parameter.empty:
            annotation = resolve_annotation(f"{name}({parameter.name})", annotation, scope)
        parameters.append(parameter.replace(annotation=annotation))
    return inspect.Signature(parameters)


def resolve_annotation(where: str, annotation: Any, scope: dict[str, Any]) -> Any:
    """Return an annotation as a type, also if it was written as a string."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        found = typing.get_type_hints(holder, scope, scope, include_extras=True)["it"]
    except Exception as error:
        raise ToolError(
            f"{where}: the annotation {annotation!r} cannot be evaluated: {error}"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TypeAdapter(found).json_schema()
    except PydanticUserError:
        word = getattr(found, "__name__", str(found))
        raise ToolError(
            f"{where}: a model cannot pass a {word}. It can pass text, numbers, lists, dicts, "
            "dataclasses and pydantic models."
        ) from None
    return found
