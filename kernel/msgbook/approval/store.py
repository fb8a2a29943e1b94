"""The user's lasting decisions: small JSON files in Jupyter's data directory, never in a project."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError
from msgbook_format.files import replace_bytes

try:
    from fcntl import LOCK_EX, flock
except ImportError:  # Windows
    flock = None  # type: ignore[assignment]

LIMIT = 10_000_000
"""Most bytes of such a file."""

_TOO_LONG = f"longer than {LIMIT // 1_000_000} MB"


class StoreError(MsgbookError):
    """A file of decisions cannot be read or written; it is unchanged."""


def data_file(name: str) -> Path:
    """Return the path of the user's file with that name, which need not exist."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "msgbook" / name


class Store:
    """A JSON object in a file that only the user can read, and that is complete at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = f"msgbook/{path.name} in Jupyter's data directory"
        """Name of the file in messages."""

    def read(self) -> dict[str, Any]:
        """Return the content of the file; empty if there is no file.

        Raises:
            StoreError: It cannot be read, or is not a JSON object.
        """
        try:
            with self._path.open("rb") as file:
                text = file.read(LIMIT + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"{self.name} cannot be read: {error.strerror}.") from error
        if len(text) > LIMIT:
            raise StoreError(f"{self.name} is {_TOO_LONG}. Shorten or delete it.")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{self.name} is not JSON. Correct or delete it.") from error
        if not isinstance(data, dict):
            raise StoreError(f"{self.name} is not a JSON object. Correct or delete it.")
        return data

    def write(self, data: dict[str, Any]) -> None:
        """Replace the file in one step; only the user can read it.

        Raises:
            StoreError: It cannot be written, or would be too long to be read again.
        """
        text = f"{json.dumps(data, indent=1)}\n".encode()
        if len(text) > LIMIT:
            raise StoreError(f"{self.name} would be {_TOO_LONG}: remove something from it first.")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_bytes(self._path, text, mode=0o600, follow=True)
        except OSError as error:
            raise StoreError(f"{self.name} cannot be written: {error.strerror}.") from error

    def entries(self, data: Mapping[str, Any], key: str) -> list[Any]:
        """Return the list under a key of the content; empty if there is none.

        Raises:
            StoreError: There is something else.
        """
        entries = data.get(key, [])
        if not isinstance(entries, list):
            raise StoreError(f"{self.name}: expected a list in {key}. Correct or delete the file.")
        return entries

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Yield the content, and write it when the context has changed a value of it.

        Meanwhile no other kernel changes the file, so that what one has taken back does not return with
        what another one adds.

        Raises:
            StoreError: It cannot be read or written.
        """
        with self._locked():
            data = self.read()
            before = dict(data)
            yield data
            if data != before:
                self.write(data)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let other kernels wait while the context is open; none waits where files cannot be locked (Windows)."""
        with ExitStack() as stack:
            with suppress(OSError):  # if the file cannot be written either, that says why
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                # Others can neither open it nor hold it for ever. It stays, so that all lock the same file.
                name = self._path.with_name(f".{self._path.name}.lock")
                lock = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
                stack.callback(os.close, lock)
                if flock is not None:
                    flock(lock, LOCK_EX)
            yield
