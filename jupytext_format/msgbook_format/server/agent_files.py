"""Files with an AgentContext (`.mtm`, `.mutsumi-notebook`) as notebooks of a contents manager.

They pass by Jupytext: no pair and no metadata for Jupytext concern them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from tornado.web import HTTPError

from msgbook_format.errors import MessageFileError
from msgbook_format.files import encode_agent_file, is_agent_file, parse_agent_file
from msgbook_format.nodes import as_nodes
from msgbook_format.outputs import refresh_derived
from msgbook_format.server.manager_class import settle
from msgbook_format.server.output_files import find_os_path, require_regular_file
from msgbook_format.server.received_notebook import find_problem

Function = Callable[..., Any]
Model = dict[str, Any]


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
