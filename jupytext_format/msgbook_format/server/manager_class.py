"""Classes of contents managers, with methods written once for synchronous and asynchronous ones."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from tornado.web import HTTPError

Function = Callable[..., Any]

_MARKER = "reads_message_files"


def build_subclass(name: str, base: Any, functions: Iterable[Function], **members: Any) -> type:
    """Return a subclass of `base` with `functions` as methods, and further `members`.

    Each function is a coroutine function that takes the manager, the replaced method and its
    arguments. The methods are coroutine functions if those of `base` are, else plain functions.
    """
    asynchronous = inspect.iscoroutinefunction(base.get)

    def method(function: Function) -> Function:
        parent = getattr(base, function.__name__)

        @functools.wraps(parent)
        async def wait(self: Any, *args: Any, **kwargs: Any) -> Any:
            return await function(self, functools.partial(parent, self), *args, **kwargs)

        @functools.wraps(parent)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            return _run_without_waiting(
                function(self, functools.partial(parent, self), *args, **kwargs)
            )

        return wait if asynchronous else run

    methods = {function.__name__: method(function) for function in functions}
    return type(name, (base,), {**methods, **members, _MARKER: True})


def is_ours(manager_class: type) -> bool:
    """Return whether a class was made by `build_subclass`."""
    return hasattr(manager_class, _MARKER)


async def settle(value: Any) -> Any:
    """Return what a method of either kind of manager returned, awaited if need be."""
    return await value if inspect.isawaitable(value) else value


async def require_utf8(manager: Any, path: str) -> str | None:
    """Return the text of the file at `path`, None if there is none.

    Raises:
        HTTPError: 400, the file is not UTF-8.
    """
    if not await settle(manager.file_exists(path)):
        return None
    try:
        model = await settle(manager.get(path, content=True, type="file", format="text"))
    except HTTPError as error:
        raise explain_encoding_error(error, path) from error
    return str(model["content"])


def explain_encoding_error(error: HTTPError, path: str) -> HTTPError:
    """Return the error itself, or a clearer one if the file at `path` is not UTF-8."""
    if error.status_code != 400 or error.reason != "bad format":
        return error
    return HTTPError(
        400,
        f"{path}: expected UTF-8 text, found other bytes. msgbook neither opens nor overwrites "
        "the file. Convert it to UTF-8, or move it away.",
        reason="not UTF-8",
    )


def _run_without_waiting(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine that never waits, as over a manager of plain functions."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("expected a contents manager of plain functions, found one that waits")
