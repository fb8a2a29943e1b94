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

from msgbook_format.agent_states import SUB_AGENTS, TreeRow, list_folder
from msgbook_format.server.manager_class import settle
from msgbook_format.server.output_files import find_os_path


class AgentsHandler(APIHandler):
    """Answers with `{"agents": [...]}`: AgentStateInfo of each, in the order of the tree.

    Beside the keys of seed 001: `depth` in the tree, `path` of the file on this server (null if it
    is outside its folder), `changed` in seconds since 1970.
    """

    auth_resource = "contents"

    @authenticated
    @authorized
    async def get(self) -> None:
        """List the agents of the folder that the query names."""
        folder = self.get_query_argument("folder", "").strip("/")
        manager: Any = self.contents_manager
        sessions: Any = self.session_manager
        if not await settle(manager.dir_exists(folder)) or await settle(manager.is_hidden(folder)):
            raise HTTPError(404, f"{folder or 'the root'}: no such folder")
        top, place = find_os_path(manager, ""), find_os_path(manager, folder)
        if top is None or place is None:
            raise HTTPError(404, f"{folder or 'the root'}: the folder is not on this server's disk")
        try:
            rows = await asyncio.to_thread(list_folder, place, _project(place, top))
        except OSError as error:
            raise HTTPError(404, f"{folder or 'the root'}: {error.strerror}") from error
        shown = _shown_paths(await settle(sessions.list_sessions()))
        agents = [_as_json(row, place.resolve(), folder, shown) for row in rows]
        self.finish(json.dumps({"agents": agents}))


def add_agents_handler(app: Any) -> None:
    """Let the server `app` answer `GET msgbook/agents`."""
    path = url_path_join(app.web_app.settings["base_url"], "msgbook", "agents")
    app.web_app.add_handlers(".*$", [(path, AgentsHandler)])


def _project(folder: Path, top: Path) -> Path:
    """Return the nearest folder from here upwards that has sub-agents, inside the server's own."""
    inside = [path for path in (folder, *folder.parents) if path.is_relative_to(top)]
    return next((path for path in inside if (path / SUB_AGENTS).is_dir()), folder)


def _shown_paths(sessions: Iterable[Any]) -> set[str]:
    """Return the paths of the notebooks that a page shows: it is connected with their kernels."""
    return {
        str(session.get("path"))
        for session in sessions
        if (session.get("kernel") or {}).get("connections")
    }


def _as_json(row: TreeRow, place: Path, folder: str, shown: set[str]) -> dict[str, Any]:
    """Return a row as the page gets it.

    Args:
        place: Real path of the folder that is listed.
        folder: Its path on the server.
        shown: Paths of the notebooks that a page shows.
    """
    below = Path(os.path.normpath(Path(folder, os.path.relpath(row.state.path, place))))
    path = None if below.parts[:1] == ("..",) else below.as_posix()
    row = row._replace(state=replace(row.state, is_window_open=path in shown))
    return {**row.to_json(), "depth": row.depth, "path": path, "changed": row.state.changed}
