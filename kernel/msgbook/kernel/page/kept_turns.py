"""Turns on disk that no page has saved yet, so that no answer is lost with a kernel or a server.

A Jupyter server that is killed takes its kernels with it, and a browser that crashes takes the page. So
a kernel writes what arrives, in Jupyter's data directory. The next kernel of the same notebook finds it.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, cast

from msgbook_format.files import open_regular, own_folder
from msgbook_format.turn import TOOL_CALLS, TOOL_RESULTS, TURN_MIME, Turn, turn_of

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    flock = None  # type: ignore[assignment]

_log = logging.getLogger(__name__)

_FOLDER = "turns"
_LOCK = "lock"
_LIMIT = 200_000_000
"""Bytes of a file that is read: a turn with all its pictures is smaller."""

_DAYS = 30
"""Age of what is removed, whatever notebook it belongs to: nobody has opened that notebook since."""


def turns_folder() -> Path:
    """Return the folder of kept turns, msgbook's own in Jupyter's data directory."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "msgbook"


class KeptTurns:
    """The turns of one kernel, each in a file of its own until it is dropped.

    The system drops a lock when the process that holds it ends, however it ends. So a folder that nobody
    has locked was left behind. Where files cannot be locked (Windows), nothing is kept.

    Any thread may call the methods. What they write is written later, in order, by a thread.

    Args:
        notebook: Its file; None keeps nothing.
        base: Folder of msgbook's own in Jupyter's data directory, which need not exist.
    """

    def __init__(self, notebook: Path | None, base: Path) -> None:
        self._base = base
        self._notebook = notebook or Path()
        self._key = None if notebook is None or flock is None else _key(notebook)
        """None once nothing can be kept."""
        self._name = f"{self._key}-{token_hex(8)}"
        self._lock: int | None = None
        self._kept: set[str] = set()
        """Ids of the cells whose turns have a file, or will have one."""
        self._writer = ThreadPoolExecutor(1, "msgbook-turns")

    def put(self, cell_id: str, turn: Turn) -> None:
        """Keep a turn, in place of an earlier state and of an earlier turn of its cell."""
        if self._key is not None:
            self._kept.add(cell_id)
            self._writer.submit(self._write, cell_id, turn)

    def drop(self, cell_id: str) -> None:
        """Remove the turn of a cell."""
        if cell_id in self._kept:
            self._kept.discard(cell_id)
            self._writer.submit(self._remove, cell_id)

    def take_over(self) -> dict[str, Turn]:
        """Return the turns that earlier kernels of the notebook left behind, by cell id.

        They are kept from now on as this kernel's own. Each of them has ended.
        """
        found: dict[str, Turn] = {}
        left: list[Path] = []
        for folder in self._others() if self._key is not None else ():
            is_old = _age(folder) > _DAYS * 86_400
            if is_old or folder.name.startswith(f"{self._key}-"):
                with _unlocked(folder) as is_left:
                    if is_left:
                        left.append(folder)
                        found |= {} if is_old else dict(_read(folder))
        for cell_id, turn in found.items():
            self.put(cell_id, turn)
        self._writer.submit(self._remove_folders, left)
        return found

    def renamed(self, notebook: Path) -> None:
        """Keep the turns under another name: the notebook's file was renamed."""
        if self._key is not None and not self._notebook.exists() and notebook.exists():
            self._notebook = notebook
            self._writer.submit(self._rename, _key(notebook))

    def finish(self) -> None:
        """Wait until all is written."""
        self._writer.submit(lambda: None).result()

    def _write(self, cell_id: str, turn: Turn) -> None:
        if self._key is None:
            return
        # ASCII, and the form of an output, whose reader checks it.
        content = json.dumps({"cell_id": cell_id, "data": {TURN_MIME: turn}}).encode()
        try:
            self._base.mkdir(parents=True, exist_ok=True, mode=0o700)
            with own_folder(self._base, _FOLDER, self._name, mode=0o700) as folder:
                if self._lock is None:
                    self._lock = _locked(folder.path)
                folder.replace(_file(cell_id), [content], mode=0o600)
        except OSError as error:
            self._key = None
            _log.warning("Turns that are not saved are not kept: %s", error.strerror)

    def _remove(self, cell_id: str) -> None:
        with suppress(OSError):
            (self._base / _FOLDER / self._name / _file(cell_id)).unlink()

    def _rename(self, key: str) -> None:
        self._key, before, self._name = key, self._name, f"{key}-{token_hex(8)}"
        with suppress(OSError):
            (self._base / _FOLDER / before).rename(self._base / _FOLDER / self._name)

    def _others(self) -> list[Path]:
        """Return the folders of other kernels, oldest first."""
        try:
            folders = [f for f in (self._base / _FOLDER).iterdir() if f.name != self._name]
        except OSError:
            return []
        return sorted(folders, key=_age, reverse=True)

    def _remove_folders(self, folders: list[Path]) -> None:
        # If their turns could not be written again, they stay.
        for folder in folders if self._key is not None else ():
            rmtree(folder, ignore_errors=True)


def _key(notebook: Path) -> str:
    return sha256(os.fsencode(os.path.realpath(notebook))).hexdigest()[:32]


def _file(cell_id: str) -> str:
    return f"{sha256(cell_id.encode('utf-8', 'backslashreplace')).hexdigest()[:32]}.json"


def _age(folder: Path) -> float:
    """Return the seconds since something in a folder was made or replaced; 0 for one that is gone."""
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:
        return 0.0


def _locked(folder: Path) -> int:
    """Lock a folder until the process ends."""
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    flock(lock, LOCK_EX | LOCK_NB)
    return lock


@contextmanager
def _unlocked(folder: Path) -> Iterator[bool]:
    """Hold a folder while the context is open; yield false if a running kernel has it."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        # It is being made, or is not a folder of ours.
        yield False
        return
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def _read(folder: Path) -> Iterator[tuple[str, Turn]]:
    """Yield the turns in a folder, by cell id; what is none is left out."""
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, RecursionError), open_regular(path) as file:
            content = json.loads(file.read(_LIMIT))
            turn = turn_of(content)
            if turn is not None and isinstance(content.get("cell_id"), str):
                yield content["cell_id"], _ended(turn)


def _ended(turn: Turn) -> Turn:
    """Return a turn that runs no longer, as an interrupt would have left it."""
    if turn["status"] != "running":
        return turn
    blocks = [_settled(dict(block)) for block in turn["blocks"]]
    return cast("Turn", {**turn, "status": "interrupted", "blocks": blocks})


def _settled(block: dict[str, Any]) -> dict[str, Any]:
    if block in TOOL_CALLS and block.get("approval") == "pending":
        # A turn that has ended waits for nobody.
        block["approval"] = "denied"
    if block in TOOL_RESULTS:
        block.setdefault("status", "interrupted")
    return block
