"""The conversations of sub-agents on a contents manager, although their folder is hidden.

A Jupyter server shows nothing below a folder whose name begins with a dot. Only the files
`.msgbook/subagents/NAME.msg.md` can be read and saved, if the folder that has `.msgbook` is not
hidden itself. No link on the way is followed. Folders are not listed, and nothing is made, renamed
or deleted there. While its sub-agent runs, a file is read-only.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tornado.web import HTTPError
from traitlets import Bool

from msgbook_format.agent_states import read_marks
from msgbook_format.server.manager_class import build_subclass, settle
from msgbook_format.server.output_files import find_os_path
from msgbook_format.turn import SUBAGENT_FILE

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
