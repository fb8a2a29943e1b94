"""Tool results: long ones whole in `.msgbook/blobs/`, head and tail for the model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgbook.approval import find_project
from msgbook.errors import MsgbookError
from msgbook.images import IMAGE_LIMIT
from msgbook.tools.base import Content
from msgbook_format.files import own_folder

RESULT_LIMIT = 20_000
"""Most characters of a result, about 5,000 tokens: it is sent with each later request."""
BLOB_LIMIT = 50_000_000
"""Most bytes of a result that is kept whole on disk, so that a model can read on."""

APPROVED_RESULTS_DIR = "asked"
"""Folder below the blobs for the results of approved calls; it is one of the secret paths."""

_TOO_LONG = f"it has more than {BLOB_LIMIT // 1_000_000} MB"
_PIECE = 1_000_000
"""Characters that are written at a time, so that a long result is not in memory twice."""
_OURS, _BLOBS = ".msgbook", "blobs"


class NotKeptError(MsgbookError):
    """A complete result could not be kept; the message says why."""


class Results:
    """Shortens results, and keeps the complete ones in the project's `.msgbook/blobs/`.

    Args:
        folder: The notebook's folder; paths for the model are relative to it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._project = find_project(self._folder)

    @property
    def blobs(self) -> Path:
        """Folder of complete results, each named by the sha256 of its UTF-8."""
        return self._project / _OURS / _BLOBS

    def cap(self, content: Content, approved: bool) -> Content:
        """Return a result as the model gets it: cut to head and tail if it is long, with the path of the
        complete result.

        Args:
            approved: Whether the call was approved. Reading its complete result then needs approval.
        """
        if isinstance(content, str):
            return self._short(content, RESULT_LIMIT, approved)
        texts = [part["text"] for part in content if _is_text(part)]
        fits = sum(map(len, texts)) <= RESULT_LIMIT
        limit = RESULT_LIMIT if fits else max(RESULT_LIMIT // len(texts), 500)
        return [self._part(part, limit, approved) for part in content]

    def keep(self, text: str, approved: bool = False) -> Path:
        """Write a complete result and return its path; that of an approved call goes to `asked/`.

        Raises:
            NotKeptError: It is too long, or the folder is not writable.
        """
        if len(text) > BLOB_LIMIT:
            raise NotKeptError(_TOO_LONG)
        try:
            with (
                own_folder(self._project, _OURS) as ours,
                suppress(FileExistsError),  # the user's own file stays as it is
            ):
                ours.create(".gitignore", [b"blobs/\n"])
            names = [_OURS, _BLOBS, *([APPROVED_RESULTS_DIR] if approved else [])]
            with own_folder(self._project, *names, mode=0o700) as blobs:
                name = _digest(text)
                blobs.replace(name, _encoded(text), mode=0o600)
                return blobs.path / name
        except OSError as error:
            raise NotKeptError(f".msgbook/blobs: {error.strerror}") from error

    def _part(self, part: dict[str, Any], limit: int, approved: bool) -> dict[str, Any]:
        if _is_text(part):
            return {**part, "text": self._short(part["text"], limit, approved)}
        if part.get("type") != "image_url":
            return part
        size = len(str(part.get("image_url", {}).get("url", ""))) * 3 // 4
        if size <= IMAGE_LIMIT:
            return part
        words = f"[an image of about {size} bytes was left out; the limit is {IMAGE_LIMIT}]"
        return {"type": "text", "text": words}

    def _short(self, text: str, limit: int, approved: bool) -> str:
        if len(text) <= limit:
            return text
        try:
            path = Path(os.path.relpath(self.keep(text, approved), self._folder)).as_posix()
            where = f"the complete result is in {path}: read it with start and end, or use grep"
        except NotKeptError as error:
            where = f"the complete result could not be kept: {error}"
        left_out = f"[... {len(text) - limit} characters are left out here; {where} ...]"
        return f"{text[: limit * 3 // 4]}\n{left_out}\n{text[-(limit // 4) :]}"


def _is_text(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str)


def _encoded(text: str) -> Iterator[bytes]:
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE].encode("utf-8", "replace")


def _digest(text: str) -> str:
    """Return the name of a complete result.

    Raises:
        NotKeptError: It is too long.
    """
    digest, size = hashlib.sha256(), 0
    for piece in _encoded(text):
        size += len(piece)
        if size > BLOB_LIMIT:
            raise NotKeptError(_TOO_LONG)
        digest.update(piece)
    return digest.hexdigest()
