"""A contents manager that reads and writes message files, over Jupytext's of either kind."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from copy import deepcopy
from typing import Any

import nbformat
from nbformat import NotebookNode
from tornado.web import HTTPError
from traitlets import Set

from msgbook_format import reads
from msgbook_format.jupytext_plugin import FORMAT_NAME, reading
from msgbook_format.jupytext_plugin.names import is_message_path
from msgbook_format.server.notebook import find_problem, has_known_outputs, signable

Function = Callable[..., Any]
Model = dict[str, Any]

_from_dict: Callable[[Any], NotebookNode] = nbformat.from_dict
_MARK = "reads_message_files"


def is_ours(manager_class: type) -> bool:
    """Whether a class was made by `build_contents_manager_class`."""
    return hasattr(manager_class, _MARK)


def build_contents_manager_class(base: Any) -> type:
    """A subclass of Jupytext's contents manager `base` that knows message files.

    Its methods are coroutines if those of `base` are, else plain functions over the same code.
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

    members: dict[str, Any] = {
        # Message files of which the first chunk of an upload was saved, but not the last one.
        "uploads": Set(),
    }
    members |= {
        function.__name__: method(function) for function in (get, save, new, trust_notebook)
    }
    trust = {"mark_trusted_cells": _mark_trusted_cells, "check_and_sign": _check_and_sign}
    return type(
        "MessageFileContentsManager", (base,), {_MARK: True, **members, **trust, "_base": base}
    )


async def get(
    manager: Any, parent: Function, path: str, content: bool = True, **options: Any
) -> Model:
    """The model of a file; a message file is a notebook unless it is asked for as a file."""
    path = path.strip("/")
    if not path.endswith(".md"):
        other: Model = await _settle(parent(path, content=content, **options))
        return other
    with reading(path):
        try:
            model: Model = await _settle(parent(path, content=content, **options))
        except HTTPError as error:
            raise _explained(error, path) from error
    if content and model["type"] == "notebook" and _is_message_notebook(model["content"], path):
        manager.mark_trusted_cells(model["content"], path)
    return model


async def save(manager: Any, parent: Function, model: Model, path: str = "") -> Model:
    """Save a model; what is not UTF-8 is not overwritten, whoever asks."""
    path = path.strip("/")
    if not path.endswith(".md"):
        other: Model = await _settle(parent(model, path))
        return other
    if model.get("type") != "notebook":
        return await _save_file(manager, parent, model, path)
    problem = find_problem(model.get("content"))
    if problem:
        raise HTTPError(400, f"{path}: {problem}. The file is as it was.", reason="bad notebook")
    await _require_utf8(manager, path)
    content = model["content"]
    if not _is_message_notebook(content, path):
        plain: Model = await _settle(parent(model, path))
        return plain
    with reading(path):
        saved: Model = await _settle(parent({**model, "content": _represented(content)}, path))
    manager.check_and_sign(_from_dict(content), path)
    return saved


async def _save_file(manager: Any, parent: Function, model: Model, path: str) -> Model:
    """Save a model as a plain file, perhaps in chunks: 1, 2, ..., and -1 for the last one."""
    if not model.get("type"):
        raise HTTPError(400, f"{path}: expected a `type`, found none", reason="no type")
    chunk = model.get("chunk")
    if is_message_path(path):
        if chunk in (None, 1):
            await _require_utf8(manager, path)
        elif path not in manager.uploads:
            # Later chunks follow a file that may end within a character; only the first can tell.
            message = f"{path}: expected chunk 1 of an upload first, found chunk {chunk}"
            raise HTTPError(400, message, reason="no upload")
    saved: Model = await _settle(parent(model, path))
    if chunk == 1:
        manager.uploads.add(path)
    elif chunk in (None, -1):
        manager.uploads.discard(path)
    return saved


async def new(manager: Any, parent: Function, model: Model | None = None, path: str = "") -> Model:
    """Create a file; a new message file is empty."""
    model = dict(model or {})
    ours = is_message_path(path) and model.get("type") == "notebook"
    if ours and (model.get("content") is None or _is_untitled(model["content"])):
        model.update(content=reads(""), format="json")
    created: Model = await _settle(parent(model, path))
    return created


def _is_untitled(content: Any) -> bool:
    """Whether this is the notebook that Jupytext makes for a new file."""
    if not isinstance(content, dict) or content.get("cells") != []:
        return False
    metadata = content.get("metadata")
    return isinstance(metadata, dict) and metadata.keys() == {"jupytext"}


async def trust_notebook(manager: Any, parent: Function, path: str) -> None:
    """Trust a notebook; Jupytext leaves out the text of a pair."""
    await _settle(parent(path))
    if path.strip("/").endswith(".md") and path.strip("/") in manager.paired_notebooks:
        model = await _settle(manager.get(path))
        manager.notary.mark_cells(model["content"], True)
        manager.check_and_sign(model["content"], path)


def _mark_trusted_cells(self: Any, nb: NotebookNode, path: str = "") -> None:
    if not path.endswith(".md"):
        self._base.mark_trusted_cells(self, nb, path)
        return
    self.notary.mark_cells(nb, self.notary.check_signature(signable(nb)))


def _check_and_sign(self: Any, nb: NotebookNode, path: str = "", **options: Any) -> None:
    if not path.endswith(".md"):
        self._base.check_and_sign(self, nb, path, **options)
    elif has_known_outputs(nb) and self.notary.check_cells(deepcopy(nb)):
        self.notary.sign(signable(nb))
    else:
        self.log.warning("Notebook %s is not trusted", path)


def _is_message_notebook(content: Any, path: str) -> bool:
    """Whether a notebook at `path` is saved in our format."""
    if is_message_path(path):
        return True
    node = content
    for key in ("metadata", "jupytext", "text_representation"):
        node = node.get(key)
        if not isinstance(node, dict):
            return False
    return bool(node.get("format_name") == FORMAT_NAME)


def _represented(content: Model) -> Model:
    """A notebook that tells Jupytext its format; not in place."""
    metadata = dict(content["metadata"])
    jupytext = dict(metadata.get("jupytext", {}))
    jupytext["text_representation"] = {"extension": ".md", "format_name": FORMAT_NAME}
    return {**content, "metadata": {**metadata, "jupytext": jupytext}}


async def _require_utf8(manager: Any, path: str) -> None:
    if await _settle(manager.file_exists(path)):
        await _settle(manager.get(path, content=True, type="file", format="text"))


def _explained(error: HTTPError, path: str) -> HTTPError:
    if error.status_code != 400 or error.reason != "bad format":
        return error
    return HTTPError(
        400,
        f"{path}: expected UTF-8 text, found other bytes. msgbook neither opens nor overwrites "
        "the file. Convert it to UTF-8, or move it away.",
        reason="not UTF-8",
    )


async def _settle(value: Any) -> Any:
    """A value that one kind of manager returns and the other lets wait for."""
    return await value if inspect.isawaitable(value) else value


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never waits, as over a manager of plain functions."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("expected a contents manager of plain functions, found one that waits")
