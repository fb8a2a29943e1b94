"""Marks of running conversations: locked files in Jupyter's runtime directory.

The system drops a lock when the process that holds it ends, however it ends. So a mark that nobody
has locked was left behind, and is removed by whoever reads it. Where files cannot be locked
(Windows), nothing counts as running.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from msgbook_format.files import open_regular
from msgbook_format.typed import as_dict

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
except ImportError:  # Windows
    flock = None  # type: ignore[assignment]

_SUFFIX = ".running.json"
_CLAIM_SUFFIX = ".claim"
_LIMIT = 20_000
"""Bytes of a mark; longer ones are not ours."""


@dataclass(frozen=True, slots=True)
class RunningMarks:
    """The conversations that run now."""

    files: frozenset[str] = frozenset()
    """Real paths of their files."""
    moved: frozenset[str] = frozenset()
    """Ids of conversations whose file is no longer where it was when the turn began."""
    written: frozenset[str] = frozenset()
    """Those of `files` that the process that runs the turn writes itself, at each step."""

    def is_running(self, path: Path, uuid: str) -> bool:
        """Return whether the conversation in a file runs."""
        return os.path.realpath(path) in self.files or uuid in self.moved

    def is_written(self, path: Path) -> bool:
        """Return whether a process that runs a turn writes the file, so that nobody else should."""
        return os.path.realpath(path) in self.written


@contextmanager
def mark_running(path: Path | None, uuid: str, *, writes: bool = False) -> Iterator[None]:
    """Mark a conversation as running while the context is open. A mark that fails changes nothing.

    Args:
        path: Its file, if it is known.
        uuid: Of its AgentMetadata.
        writes: Whether this process writes the file, and no page does.
    """
    mark = None
    with suppress(OSError):
        file = "" if path is None else os.path.realpath(path)
        mark = _Mark({"file": file, "uuid": uuid, "writes": writes})
    try:
        yield
    finally:
        if mark is not None:
            mark.remove()


@contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Claim a file while the context is open; yield false if another claim is open, of any process.

    Unlike a mark, of which two processes that begin at once both find none, only one gets it. A claim
    that fails for another reason, such as a folder that cannot be written, keeps nobody from the file.
    """
    file, is_taken = None, False
    try:
        file = _claimed(os.path.realpath(path))
    except BlockingIOError:
        is_taken = True
    except OSError:
        pass
    try:
        yield not is_taken
    finally:
        if file is not None:
            with suppress(OSError):
                Path(file.name).unlink()
            file.close()


def _claimed(file: str) -> IO[str]:
    """Return a locked file that stands for another one. Raise `BlockingIOError` if somebody has locked it."""
    if flock is None:
        raise OSError("no locks")
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = folder / f"{sha256(os.fsencode(file)).hexdigest()[:32]}{_CLAIM_SUFFIX}"
    while True:
        held = name.open("a", encoding="utf-8")
        try:
            flock(held.fileno(), LOCK_EX | LOCK_NB)
            # Who had it until now has deleted it, perhaps before it was locked here.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(held.fileno()), name.stat()):
                    return held
        except BaseException:
            held.close()
            raise
        held.close()


def read_marks() -> RunningMarks:
    """Return the conversations that run now, and remove marks that were left behind."""
    files, moved, written = set(), set(), set()
    for mark in _live_marks():
        file, uuid = mark.get("file"), mark.get("uuid")
        if isinstance(file, str) and os.path.lexists(file):
            files.add(file)
            if mark.get("writes") is True:
                written.add(file)
        elif isinstance(uuid, str) and uuid:
            moved.add(uuid)
    return RunningMarks(frozenset(files), frozenset(moved), frozenset(written))


class _Mark:
    """A locked file."""

    def __init__(self, content: dict[str, Any]) -> None:
        if flock is None:
            raise OSError("no locks")
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = token_hex(8)
        hidden, self._path = folder / f".{name}", folder / f"{name}{_SUFFIX}"
        self._file = hidden.open("x", encoding="utf-8")
        try:
            # It gets its name when it is locked and complete, so a reader sees no other.
            flock(self._file.fileno(), LOCK_EX | LOCK_NB)
            json.dump(content, self._file)
            self._file.flush()
            hidden.rename(self._path)
        except BaseException:
            hidden.unlink(missing_ok=True)
            self._file.close()
            raise

    def remove(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._file.close()


def _live_marks() -> Iterator[dict[str, Any]]:
    folder = _folder()
    marks = sorted(folder.glob(f"*{_SUFFIX}")) if flock is not None else []
    for path in marks:
        with suppress(OSError, ValueError, RecursionError), open_regular(path) as file:
            try:
                # Shared, so that two readers do not take each other for a turn.
                flock(file.fileno(), LOCK_SH | LOCK_NB)
            except BlockingIOError:  # a turn holds it; any other error says nothing of a turn
                yield as_dict(json.loads(file.read(_LIMIT)))
            else:
                path.unlink()


def _folder() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir()) / "msgbook"


# The place of sub-agents' conversations.


SUB_AGENTS = Path(".msgbook") / "subagents"
"""Folder of the conversations of sub-agents, in the project's."""
