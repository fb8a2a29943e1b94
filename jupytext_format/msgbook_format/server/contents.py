"""A contents manager that reads and writes message files, over Jupytext's of either kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from tornado.web import HTTPError
from traitlets import Set

from msgbook_format import reads
from msgbook_format.errors import NotAMessageFile
from msgbook_format.files import has_section, is_agent_file
from msgbook_format.jupytext_plugin import reading
from msgbook_format.jupytext_plugin.conversion import keep_parts_of_text
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.jupytext_plugin.pairing import (
    find_formats_error,
    is_format_error,
    names_section,
)
from msgbook_format.nodes import as_nodes
from msgbook_format.outputs import keep_lost_data, refresh_derived
from msgbook_format.server import unpaired, whole_files
from msgbook_format.server.received_notebook import (
    build_members,
    can_touch_message_file,
    find_formats,
    find_formats_problem,
    find_os_path,
    find_pair,
    find_problem,
    has_message_section,
    is_message_notebook,
    is_paired,
    is_untitled,
    load_files,
    mark_trusted_pair,
    require_pair_inside,
    require_regular_file,
    spell_own_format,
    with_representation,
)
from msgbook_format.server.unpaired import (
    build_subclass,
    explain_encoding_error,
    require_utf8,
    settle,
)

Function = Callable[..., Any]
Model = dict[str, Any]


def build_contents_manager_class(base: Any) -> type:
    """Return a subclass of Jupytext's contents manager `base` that knows message files."""
    return build_subclass(
        "MessageFileContentsManager",
        base,
        (get, save, new, rename_file, restore_checkpoint, trust_notebook),
        # Message files whose upload has begun and not ended.
        uploads=Set(),
        **build_members(base),
        **whole_files.build_members(base),
    )


async def get(
    manager: Any, parent: Function, path: str, content: bool = True, **options: Any
) -> Model:
    """Return the model of a file; a message file is a notebook unless it is asked for as a file."""
    path = path.strip("/")
    if await unpaired.is_agent_notebook(manager, path, options.get("type")):
        return await unpaired.get_agent_notebook(manager, parent, path, content, options)
    if content and path.endswith(".md"):
        require_regular_file(manager, path)
    with reading(path if path.endswith(".md") else ""), _explaining(path):
        model: Model = await settle(parent(path, content=content, **options))
    if not content or model["type"] != "notebook":
        return model
    require_pair_inside(manager, model["content"], path)
    notebook = model["content"] = await _with_text(manager, model["content"], path)
    if path.endswith(".md"):
        if is_message_notebook(notebook, path) or has_message_section(notebook):
            load_files(manager, notebook, path)
            manager.mark_trusted_cells(notebook, path)
        elif names_section(find_formats(notebook)):
            raise HTTPError(400, str(NotAMessageFile(Path(path))), reason="no section")
    elif text := find_pair(manager, notebook, path):
        if load_files(manager, notebook, text):
            # The signature was checked without the data of the files.
            manager.notary.mark_cells(notebook, False)
        mark_trusted_pair(manager, notebook)
    refresh_derived(notebook)
    return model


async def _with_text(manager: Any, notebook: Any, path: str) -> Any:
    """Return a notebook read for `path` with what only the text of its pair holds."""
    text = path if path.endswith(".md") else find_pair(manager, notebook, path)
    if not text or not is_paired(manager, path):
        return notebook
    present = await require_utf8(manager, text)
    if not present:
        return notebook
    whole_file = is_message_path(text)
    return as_nodes(keep_parts_of_text(notebook, present, whole_file=whole_file, cells=True))


async def save(manager: Any, parent: Function, model: Model, path: str = "") -> Model:
    """Save a model; a file that is not UTF-8 is never overwritten."""
    path = path.strip("/")
    if model.get("type") != "notebook":
        if path.endswith(".md"):
            return await _save_file(manager, parent, model, path)
        other: Model = await settle(parent(model, path))
        return other
    if is_agent_file(path):
        return await unpaired.save_agent_notebook(manager, parent, model, path)
    content: Any = model.get("content")
    if not can_touch_message_file(manager, content, path):
        plain: Model = await settle(parent(model, path))
        return plain
    problem = (find_problem if path.endswith(".md") else find_formats_problem)(content)
    if problem:
        raise HTTPError(400, f"{path}: {problem}. The file is as it was.", reason="bad notebook")
    if is_message_path(path):
        content = spell_own_format(content)
        model = {**model, "content": content}
    formats = find_formats(content)
    error = find_formats_error(path, formats) if formats else None
    if error:
        raise _bad_formats(path, error)
    return await _save_notebook(manager, parent, model, path)


async def _save_notebook(manager: Any, parent: Function, model: Model, path: str) -> Model:
    content = model["content"]
    require_pair_inside(manager, content, path)
    ours = path.endswith(".md") and is_message_notebook(content, path)
    text = path if path.endswith(".md") else find_pair(manager, content, path)
    if text:
        present = await require_utf8(manager, text)
        if present and text != path and not (is_message_path(text) or has_section(present)):
            # The key was taken out: the whole text would become one note.
            raise HTTPError(400, str(NotAMessageFile(Path(text))), reason="no section")
        if present:
            whole_file = is_message_path(text)
            content = keep_parts_of_text(content, present, whole_file=whole_file, cells=False)
        content = keep_lost_data(content, find_os_path(manager, text))
        model = {**model, "content": content}
    if ours:
        model = {**model, "content": with_representation(content)}
    with reading(path if ours else ""):
        saved: Model = await settle(parent(model, path))
    if text and (ours or text != path):
        manager.check_and_sign(NotebookNode(content), text)
    return saved


async def _save_file(manager: Any, parent: Function, model: Model, path: str) -> Model:
    """Save a model as a plain file, whole or as chunk 1, 2, ... and -1 for the last."""
    if not model.get("type"):
        raise HTTPError(400, f"{path}: expected a `type`, found none", reason="no type")
    chunk = model.get("chunk")
    if is_message_path(path):
        if chunk in (None, 1):
            await require_utf8(manager, path)
        elif path not in manager.uploads:
            # Only the first chunk can check the encoding: a later one may begin within a character.
            message = f"{path}: expected chunk 1 of an upload first, found chunk {chunk}"
            raise HTTPError(400, message, reason="no upload")
    saved: Model = await settle(parent(model, path))
    if chunk == 1:
        manager.uploads.add(path)
    elif chunk in (None, -1):
        manager.uploads.discard(path)
    return saved


async def new(manager: Any, parent: Function, model: Model | None = None, path: str = "") -> Model:
    """Create a file; a new message file is empty."""
    model = dict(model or {})
    ours = (is_message_path(path) or is_agent_file(path)) and model.get("type") == "notebook"
    if ours and (model.get("content") is None or is_untitled(model["content"])):
        model.update(content=reads(""), format="json")
    created: Model = await settle(parent(model, path))
    return created


async def rename_file(manager: Any, parent: Function, old_path: str, new_path: str) -> None:
    """Rename a file and the other file of its pair."""
    with _explaining(old_path):
        await settle(parent(old_path, new_path))


async def restore_checkpoint(manager: Any, parent: Function, checkpoint_id: str, path: str) -> None:
    """Restore a file, and write the restored content to the other file of its pair."""
    await settle(parent(checkpoint_id, path))
    path = path.strip("/")
    if not path.endswith((".md", ".ipynb")):
        return
    # The restored file is as old as the checkpoint; the other one would win at the next opening.
    try:
        model = await settle(manager.get(path, load_alternative_format=False))
    except HTTPError:
        # It is restored, but cannot be opened. Whoever opens it gets the reason.
        return
    if model["type"] != "notebook":
        return
    text = path.endswith(".md") and is_message_notebook(model["content"], path)
    if text or find_pair(manager, model["content"], path):
        saved = {"type": "notebook", "format": "json", "content": model["content"]}
        await settle(manager.save(saved, path))


async def trust_notebook(manager: Any, parent: Function, path: str) -> None:
    """Trust a notebook and the text of its pair, which Jupytext leaves out."""
    await settle(parent(path))
    if path.strip("/").endswith(".md") and is_paired(manager, path.strip("/")):
        model = await settle(manager.get(path))
        manager.notary.mark_cells(model["content"], True)
        manager.check_and_sign(model["content"], path)


@contextmanager
def _explaining(path: str) -> Iterator[None]:
    """Raise 400 with an explanation where the file or the request is to blame."""
    try:
        yield
    except HTTPError as error:
        if error.status_code == 500 and is_format_error(error.__context__):
            raise _bad_formats(path, error.__context__) from error
        if is_message_path(path):
            raise explain_encoding_error(error, path) from error
        raise
    except ValueError as error:
        if is_format_error(error):
            raise _bad_formats(path, error) from error
        raise


def _bad_formats(path: str, error: BaseException | None) -> HTTPError:
    message = (
        f"{path}: expected formats of Jupytext such as `ipynb,.msg.md:msg` in "
        f"`metadata.jupytext.formats`, and a name that fits them. {str(error)[:500]}"
    )
    return HTTPError(400, message, reason="bad formats")
