"""A contents manager that reads and writes message files without Jupytext, and knows no pairs.

A server uses it if Jupytext is missing or has an unknown version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbformat
from nbformat import NotebookNode
from tornado.web import HTTPError

from msgbook_format import reads
from msgbook_format.files import encode, is_agent_file
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.outputs import refresh_derived
from msgbook_format.server import agent_files, whole_files
from msgbook_format.server.manager_class import (
    build_subclass,
    explain_encoding_error,
    require_utf8,
    settle,
)
from msgbook_format.server.output_files import require_regular_file
from msgbook_format.server.received_notebook import find_problem
from msgbook_format.server.signatures import build_members

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
    if await agent_files.is_agent_notebook(manager, path, options.get("type")):
        return await agent_files.get_agent_notebook(manager, parent, path, content, options)
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
        return await agent_files.save_agent_notebook(manager, parent, model, path)
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
