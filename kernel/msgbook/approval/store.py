"""What the user decided for good: small JSON files in Jupyter's data directory, never a project's."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError

_LIMIT = 10_000_000
"""Bytes of such a file; a longer one is none of ours."""


class StoreError(MsgbookError):
    """A file of decisions cannot be read or written; nothing in it was changed."""


def data_file(name: str) -> Path:
    """Where the user's file with that name is, or would be."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "msgbook" / name


class Store:
    """A JSON object in a file that only the user can read.

    Two kernels that write in the same instant: the later one wins, so that a decision may have to
    be made again; the file is whole all the time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = f"msgbook/{path.name} in Jupyter's data directory"
        """How a person is told of it."""

    def read(self) -> dict[str, Any]:
        """What the file holds; empty when there is none.

        Raises:
            StoreError: It cannot be read, or is no JSON object.
        """
        try:
            with self._path.open("rb") as file:
                data = json.loads(file.read(_LIMIT))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"{self.name} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{self.name} is no JSON; mend it or delete it.") from error
        if not isinstance(data, dict):
            raise StoreError(f"{self.name} is no JSON object; mend it or delete it.")
        return data

    def write(self, data: dict[str, Any]) -> None:
        """Replace the file in one step, readable for the user alone.

        Raises:
            StoreError: It cannot be written.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(data, file, indent=1)
                    file.write("\n")
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path)
            except BaseException:
                Path(name).unlink()
                raise
        except OSError as error:
            raise StoreError(f"{self.name} cannot be written: {error.strerror}.") from error
