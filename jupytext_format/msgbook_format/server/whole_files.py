"""Writes of a contents manager that replace a file in one step. Jupyter's own empty it first, and fill it then."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from msgbook_format.errors import NotReplaceableError
from msgbook_format.files import replace_bytes


def build_members(base: Any) -> dict[str, Any]:
    """Return the method by which a contents manager over `base` writes its files; none if it has no files on disk."""
    if not hasattr(base, "atomic_writing"):
        return {}

    @contextmanager
    def atomic_writing(self: Any, os_path: str, *args: Any, **options: Any) -> Iterator[IO[Any]]:
        if not self.use_atomic_writing:
            with base.atomic_writing(self, os_path, *args, **options) as stream:
                yield stream
            return
        written = io.BytesIO()
        yield _open(written, *args, **options)
        data = written.getvalue()
        with self.perm_to_403(os_path):
            try:
                replace_bytes(Path(os_path), data, follow=True)
            except NotReplaceableError:
                with base.atomic_writing(self, os_path, text=False) as stream:
                    stream.write(data)

    return {"atomic_writing": atomic_writing}


def _open(written: io.BytesIO, text: bool = True, encoding: str = "utf-8") -> IO[Any]:
    if not text:
        return written
    return io.TextIOWrapper(written, encoding, newline="\n", write_through=True)
