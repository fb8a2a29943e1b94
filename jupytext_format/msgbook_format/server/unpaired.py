"""A contents manager for message files without Jupytext and without pairs, and what all of ours have in common.

A server uses it if Jupytext is missing or has an unknown version.
"""

from __future__ import annotations

import base64
import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import nbformat
from nbformat import NotebookNode
from tornado.web import HTTPError

from msgbook_format import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.files import encode, encode_agent_file, is_agent_file, parse_agent_file
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.nodes import as_nodes
from msgbook_format.outputs import refresh_derived
from msgbook_format.server import whole_files
from msgbook_format.server.received_notebook import (
    build_members,
    find_os_path,
    find_problem,
    require_regular_file,
)

Function = Callable[..., Any]
Model = dict[str, Any]

_from_dict: Callable[[Any], NotebookNode] = nbformat.from_dict


def build_unpaired_class(base: Any) -> type:
    """Return a subclass of the contents manager `base`, for files named like message files or agents' files only."""
    members = {**build_members(base), **whole_files.build_members(base)}
    return build_subclass("UnpairedContentsManager", base, (get, save, new), **members)


async def get(
    manager: Any, parent: Function, path: str, content: bool = True, **options: Any
) -> Model:
    """Return the model of a file; a message file is a notebook unless it is asked for as a file."""
    path = path.strip("/")
    if await is_agent_notebook(manager, path, options.get("type")):
        return await get_agent_notebook(manager, parent, path, content, options)
    if content and is_message_path(path):
        require_regular_file(manager, path)
    ours = is_message_path(path) and options.get("type") in (None, "notebook")
    if not ours or not await settle(manager.file_exists(path)):
        other: Model = await settle(parent(path, content=content, **options))
        if content and other["type"] == "notebook":
            refresh_derived(other["content"])
        return other
    options.update(type="file", format="text")
    try:
        model: Model = await settle(parent(path, content=content, **options))
    except HTTPError as error:
        raise explain_encoding_error(error, path) from error
    model["type"] = "notebook"
    if content:
        model.update(content=reads(model["content"]), format="json", mimetype=None)
        manager.mark_trusted_cells(model["content"], path)
    return model


async def save(manager: Any, parent: Function, model: Model, path: str = "") -> Model:
    """Save a model; a notebook never overwrites a file that is not UTF-8."""
    path = path.strip("/")
    if is_agent_file(path) and model.get("type") == "notebook":
        return await save_agent_notebook(manager, parent, model, path)
    if not is_message_path(path) or model.get("type") != "notebook":
        other: Model = await settle(parent(model, path))
        return other
    problem = find_problem(model.get("content"))
    if problem:
        raise HTTPError(400, f"{path}: {problem}. The file is as it was.", reason="bad notebook")
    await require_utf8(manager, path)
    notebook = _from_dict(model["content"])
    text = encode(notebook).decode("utf-8")
    saved: Model = await settle(parent({"type": "file", "format": "text", "content": text}, path))
    manager.check_and_sign(notebook, path)
    return {**saved, "type": "notebook"}


async def new(manager: Any, parent: Function, model: Model | None = None, path: str = "") -> Model:
    """Create a file; a new message file is empty."""
    model = dict(model or {})
    ours = is_message_path(path) or is_agent_file(path)
    if ours and model.get("type") == "notebook" and model.get("content") is None:
        model.update(content=reads(""), format="json")
    created: Model = await settle(parent(model, path))
    return created


# Files with an AgentContext (`.mtm`, `.mutsumi-notebook`) as notebooks of a contents manager.
#
# They pass by Jupytext: no pair and no metadata for Jupytext concern them.


async def is_agent_notebook(manager: Any, path: str, kind: str | None) -> bool:
    """Return whether a request for `path` asks for the notebook of such a file that exists.

    Args:
        kind: The type that the request names; as a `file` it is JSON text.
    """
    if not is_agent_file(path) or kind not in (None, "notebook"):
        return False
    return bool(await settle(manager.file_exists(path)))


async def get_agent_notebook(
    manager: Any, parent: Function, path: str, content: bool, options: dict[str, Any]
) -> Model:
    """Return the model of a file as a notebook.

    Raises:
        HTTPError: 400, the file holds no AgentContext.
    """
    options = {**options, "type": "file", "format": "base64"}
    if content:
        require_regular_file(manager, path)
    model: Model = await settle(parent(path, content=content, **options))
    model["type"] = "notebook"
    if content:
        notebook = as_nodes(_explained(parse_agent_file, _bytes_of(model), path))
        manager.mark_trusted_cells(notebook, path)
        refresh_derived(notebook)
        model.update(content=notebook, format="json", mimetype=None)
    return model


async def save_agent_notebook(manager: Any, parent: Function, model: Model, path: str) -> Model:
    """Save a notebook in the form of its file.

    Raises:
        HTTPError: 400, the notebook cannot be saved, or what is there now holds no AgentContext.
    """
    problem = find_problem(model.get("content"))
    if problem:
        raise HTTPError(400, f"{path}: {problem}. The file is as it was.", reason="bad notebook")
    notebook = as_nodes(model["content"])
    present = None
    if await settle(manager.file_exists(path)):
        require_regular_file(manager, path)
        present = _bytes_of(await settle(manager.get(path, type="file", format="base64")))
    found = find_os_path(manager, path)
    data = _explained(
        encode_agent_file,
        notebook,
        path,
        present=present,
        folder=found.parent if found is not None else None,
    )
    text = base64.b64encode(data).decode("ascii")
    saved: Model = await settle(parent({"type": "file", "format": "base64", "content": text}, path))
    manager.check_and_sign(notebook, path)
    return {**saved, "type": "notebook", "format": None, "mimetype": None}


def _bytes_of(model: Model) -> bytes:
    return base64.b64decode(model["content"])


def _explained(function: Function, *args: Any, **options: Any) -> Any:
    try:
        return function(*args, **options)
    except MessageFileError as error:
        raise HTTPError(400, str(error), reason="bad file") from error


# Classes of contents managers, with methods written once for synchronous and asynchronous ones.


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
