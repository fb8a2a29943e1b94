"""The conversations of a folder, for pages: `GET msgbook/agents?folder=PATH`.

The list is that of `msgbook agents`. It needs no kernel, and the right to read contents.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated
from traitlets import Bool

from msgbook_format.agent_states import SUB_AGENTS, RunningMarks, TreeRow, list_folder, read_marks
from msgbook_format.server.received_notebook import find_os_path
from msgbook_format.server.unpaired import build_subclass, settle
from msgbook_format.turn import SUBAGENT_FILE


class AgentsHandler(APIHandler):
    """Answers with `agents`, in the order of the tree, and `running`, folders in which a conversation runs.

    Each agent has `uuid`, `parentId`, `name`, `fileUri`, `isWindowOpen`, `isRunning`,
    `isTaskFinished` (seed 001), `status`, and as far as known `prompt` and `problem`. Its place:
    `depth` in the tree, `path` of the file on this server (null if it is outside its folder),
    `outside` on its disk (null if it is inside), `changed` in seconds since 1970.
    """

    auth_resource = "contents"

    @authenticated
    @authorized
    async def get(self) -> None:
        """List the conversations of the folder that the query names."""
        folder = self.get_query_argument("folder", "").strip("/")
        manager: Any = self.contents_manager
        sessions: Any = self.session_manager
        if not await _is_listed(manager, folder):
            raise HTTPError(404, f"{folder or 'the root'}: no such folder")
        top, place = find_os_path(manager, ""), find_os_path(manager, folder)
        if top is None or place is None:
            raise HTTPError(404, f"{folder or 'the root'}: the folder is not on this server's disk")
        marks = await asyncio.to_thread(read_marks)
        try:
            rows = await asyncio.to_thread(list_folder, place, _project(place, top), marks)
        except OSError as error:
            raise HTTPError(404, f"{folder or 'the root'}: {error.strerror}") from error
        shown = _shown_paths(await settle(sessions.list_sessions()))
        places = {place.resolve(): folder, top.resolve(): ""}
        agents = [_as_json(row, places, shown) for row in rows]
        folders = _running_folders(marks, top.resolve())
        running = [path for path in folders if await _is_listed(manager, path)]
        self.finish(json.dumps({"agents": agents, "running": running}))


def add_agents_handler(app: Any) -> None:
    """Let the server `app` answer `GET msgbook/agents`."""
    path = url_path_join(app.web_app.settings["base_url"], "msgbook", "agents")
    app.web_app.add_handlers(".*$", [(path, AgentsHandler)])


async def _is_listed(manager: Any, folder: str) -> bool:
    """Return whether a page may see what is in a folder."""
    return bool(await settle(manager.dir_exists(folder))) and not await settle(
        manager.is_hidden(folder)
    )


def _project(folder: Path, top: Path) -> Path:
    """Return the nearest folder from here upwards that has sub-agents, else this one.

    Above the server's own folder, it has to be the project of the server's user.
    """
    inside = [path for path in (folder, *folder.parents) if path.is_relative_to(top)]
    own = next((path for path in inside if (path / SUB_AGENTS).is_dir()), None)
    if own is None and not any((path / SUB_AGENTS.parent).is_dir() for path in inside):
        own = _project_above(top.resolve())
    return own or folder


def _project_above(top: Path) -> Path | None:
    """Return the nearest project above a folder; None if it has no sub-agents or is another user's."""
    for path in top.parents:
        mark, below = path / SUB_AGENTS.parent, path / SUB_AGENTS
        if not _is_ours(path):
            return None
        if mark.is_dir():
            is_real = all(_is_ours(one) and not one.is_symlink() for one in (mark, below))
            return path if is_real and below.is_dir() else None
    return None


def _is_ours(path: Path) -> bool:
    """Return whether a file belongs to the user of this process (POSIX)."""
    try:
        return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def _running_folders(marks: RunningMarks, top: Path) -> list[str]:
    """Return the folders below `top` whose conversations run; of a sub-agent, its project."""
    folders = {Path(file).parent for file in marks.files}
    ends = SUB_AGENTS.parts
    projects = {path.parents[1] if path.parts[-2:] == ends else path for path in folders}
    inside = [path.relative_to(top) for path in projects if path.is_relative_to(top)]
    return sorted("" if path == Path() else path.as_posix() for path in inside)


def _shown_paths(sessions: Iterable[Any]) -> set[str]:
    """Return the paths of the notebooks that a page shows: it is connected with their kernels."""
    return {
        str(session.get("path"))
        for session in sessions
        if (session.get("kernel") or {}).get("connections")
    }


def _as_json(row: TreeRow, places: dict[Path, str], shown: set[str]) -> dict[str, Any]:
    """Return a row as the page gets it.

    Args:
        places: Paths on the server of folders with their real paths: the listed one, then the top.
        shown: Paths of the notebooks that a page shows.
    """
    file = row.state.path
    folders = (folder for folder in places if file.is_relative_to(folder))
    inside = next(folders, None)
    path = inside and Path(places[inside], file.relative_to(inside)).as_posix()
    row = row._replace(state=replace(row.state, is_window_open=path in shown))
    more = {"depth": row.depth, "path": path, "changed": row.state.changed}
    return {**row.to_json(), **more, "outside": str(file) if path is None else None}


# The conversations of sub-agents on a contents manager, although their folder is hidden.
#
# A Jupyter server shows nothing below a folder whose name begins with a dot. Only the files
# `.msgbook/subagents/NAME.msg.md` can be read and saved, if the folder that has `.msgbook` is not
# hidden itself. No link on the way is followed. Folders are not listed, and nothing is made, renamed
# or deleted there. While its sub-agent runs, a file is read-only.


Function = Callable[..., Any]
Model = dict[str, Any]

_LEVELS = 3
"""Names of a path that are below the folder of the conversation that started the sub-agent."""

_showing: ContextVar[bool] = ContextVar("msgbook_showing_subagent", default=False)


class _AllowHidden(Bool):  # type: ignore[type-arg]  # traitlets takes no argument at run time
    """The manager's own setting, and true while a sub-agent's file is read or saved."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        return _showing.get() or super().get(obj, cls)


def show_subagent_files(base: Any) -> type:
    """Return a subclass of the contents manager `base` that reads and saves files of sub-agents."""
    if not hasattr(base, "allow_hidden") or not hasattr(base, "_get_os_path"):
        return base  # type: ignore[no-any-return]  # a class that has no files, or hides none
    allow_hidden = _AllowHidden(False, config=True, help="Allow access to hidden files")
    functions = (get, save, restore_checkpoint, is_hidden)
    name = "SubagentFilesContentsManager"
    return build_subclass(name, base, functions, allow_hidden=allow_hidden)


async def get(manager: Any, parent: Function, path: str, *args: Any, **options: Any) -> Model:
    """Return the model of a file. That of a running sub-agent is not writable."""
    if not await _is_shown(manager, path):
        with _shown(False):
            plain: Model = await settle(parent(path, *args, **options))
        return plain
    with _shown(True):
        model: Model = await settle(parent(path, *args, **options))
    if _is_running(manager, path):
        model["writable"] = False
    return model


async def save(manager: Any, parent: Function, model: Model, path: str = "") -> Model:
    """Save a model, unless a sub-agent writes the file."""
    if not await _is_shown(manager, path):
        with _shown(False):
            plain: Model = await settle(parent(model, path))
        return plain
    _require_ended(manager, path)
    with _shown(True):
        saved: Model = await settle(parent(model, path))
    return saved


async def restore_checkpoint(manager: Any, parent: Function, checkpoint_id: str, path: str) -> None:
    """Restore a file, unless a sub-agent writes it."""
    _require_ended(manager, path)
    await settle(parent(checkpoint_id, path))


async def is_hidden(manager: Any, parent: Function, path: str) -> bool:
    """Return whether a path is hidden."""
    hidden = bool(await settle(parent(path)))
    return hidden and not (SUBAGENT_FILE.search(path) and await _is_shown(manager, path))


async def _is_shown(manager: Any, path: str) -> bool:
    """Return whether a path is that of a sub-agent's conversation, an existing file without links."""
    names = path.strip("/").split("/")
    if SUBAGENT_FILE.fullmatch("/".join(names[-_LEVELS:])) is None:
        return False
    folder = names[:-_LEVELS]
    if {"", ".", ".."} & set(folder):
        return False
    home = find_os_path(manager, "/".join(folder))
    if home is None or (folder and await settle(manager.is_hidden("/".join(folder)))):
        return False
    try:
        first, second, last = (
            os.lstat(home.joinpath(*names[len(folder) : len(folder) + depth])).st_mode
            for depth in range(1, _LEVELS + 1)
        )
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(first) and stat.S_ISDIR(second) and stat.S_ISREG(last)


def _require_ended(manager: Any, path: str) -> None:
    """Raise 409 if a sub-agent writes the file."""
    if _is_running(manager, path):
        message = (
            f"{path}: the sub-agent runs, and saves what it does in this file. The file is as it was. "
            "Save again when the sub-agent has ended, or stop it where it was started."
        )
        raise HTTPError(409, message, reason="sub-agent runs")


def _is_running(manager: Any, path: str) -> bool:
    found = find_os_path(manager, path)
    return found is not None and read_marks().is_written(found)


@contextmanager
def _shown(shown: bool) -> Iterator[None]:
    # What a manager above reads on the way to a file is as hidden as ever.
    token = _showing.set(shown)
    try:
        yield
    finally:
        _showing.reset(token)
