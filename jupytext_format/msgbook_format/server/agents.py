"""The agents of a folder's conversations, for pages: `GET msgbook/agents?folder=PATH`.

The list is that of `msgbook agents`. It needs no kernel, and the right to read contents.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

from msgbook_format.agent_states import SUB_AGENTS, RunningMarks, TreeRow, list_folder, read_marks
from msgbook_format.server.manager_class import settle
from msgbook_format.server.output_files import find_os_path


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
        """List the agents of the folder that the query names."""
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
