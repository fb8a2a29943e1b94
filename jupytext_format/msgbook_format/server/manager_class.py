"""One implementation of a contents manager's methods, for managers of either kind."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from tornado.web import HTTPError

Function = Callable[..., Any]

_MARK = "reads_message_files"


def build_subclass(name: str, base: Any, functions: Iterable[Function], **members: Any) -> type:
    """A subclass of `base` with `functions` as methods, and further `members`.

    A function is a coroutine of the manager, the method that it replaces, and its arguments. The
    methods are coroutines if those of `base` are, else plain functions over the same code.
    """
    asynchronous = inspect.iscoroutinefunction(base.get)

    def method(function: Function) -> Function:
        parent = getattr(base, function.__name__)

        @functools.wraps(parent)
        async def wait(self: Any, *args: Any, **kwargs: Any) -> Any:
            return await function(self, functools.partial(parent, self), *args, **kwargs)

        @functools.wraps(parent)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            return _run(function(self, functools.partial(parent, self), *args, **kwargs))

        return wait if asynchronous else run

    methods = {function.__name__: method(function) for function in functions}
    return type(name, (base,), {**methods, **members, _MARK: True})


def is_ours(manager_class: type) -> bool:
    """Whether a class was made by `build_subclass`."""
    return hasattr(manager_class, _MARK)


async def settle(value: Any) -> Any:
    """A value that one kind of manager returns and the other lets wait for."""
    return await value if inspect.isawaitable(value) else value


async def require_utf8(manager: Any, path: str) -> str | None:
    """The text of the file at `path`, None without one.

    Raises:
        HTTPError: 400, the file is not UTF-8.
    """
    if not await settle(manager.file_exists(path)):
        return None
    try:
        model = await settle(manager.get(path, content=True, type="file", format="text"))
    except HTTPError as error:
        raise explain_bytes(error, path) from error
    return str(model["content"])


def explain_bytes(error: HTTPError, path: str) -> HTTPError:
    """The error itself, or a clearer one if the file at `path` is not UTF-8."""
    if error.status_code != 400 or error.reason != "bad format":
        return error
    return HTTPError(
        400,
        f"{path}: expected UTF-8 text, found other bytes. msgbook neither opens nor overwrites "
        "the file. Convert it to UTF-8, or move it away.",
        reason="not UTF-8",
    )


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never waits, as over a manager of plain functions."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("expected a contents manager of plain functions, found one that waits")
