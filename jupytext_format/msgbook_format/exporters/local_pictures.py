"""Pictures beside a conversation, which its prompts and notes name: they become attachments.

A text may come from anybody, and an export is passed on. So only pictures inside the conversation's
folder are read, never hidden ones, and none at all if that is the home folder or the root. An answer
is a model's text, whose pictures stay links.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgbook_format.cells import is_code
from msgbook_format.exporters.nbconvert_markdown import replace_image_targets
from msgbook_format.files import read_regular
from msgbook_format.links import real_path
from msgbook_format.metadata import as_dict, msgbook_metadata
from msgbook_format.picture_types import image_type
from msgbook_format.syntax import Dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]

_MOST_BYTES = 50_000_000
"""Bytes of all pictures of one export."""
_NOT_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\~#?]")


class LocalPictures:
    """The pictures of a folder, each read once."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is that of the conversation; None if it is in none."""
        real = folder.resolve() if folder is not None else None
        home = os.path.expanduser("~")  # noqa: PTH111 - no error where there is none
        is_too_wide = real is not None and real in (Path(home).resolve(), Path(real.anchor))
        self._folder = None if is_too_wide else real
        self._left = _MOST_BYTES
        self._read: dict[str, Json | None] = {}

    def attach(self, cells: Sequence[Json], metadata: Json) -> list[Json]:
        """Return cells whose prompts and notes have the pictures that they name attached."""
        if self._folder is None:
            return list(cells)
        dialect = Dialect.from_metadata(metadata, None)
        return [self._attach(cell) if _is_by_a_person(cell, dialect) else cell for cell in cells]

    def _attach(self, cell: Json) -> Json:
        attachments = dict(as_dict(cell.get("attachments")))

        def attached(target: str) -> str | None:
            if target not in self._read:
                self._read[target] = self._find(target)
            picture = self._read[target]
            if picture is None:
                return None
            name = f"picture-{len(attachments) + 1}"
            while name in attachments:
                name += "-"
            attachments[name] = picture
            return f"attachment:{name}"

        source = replace_image_targets(cell["source"], attached)
        changed = source != cell["source"]
        return {**cell, "source": source, "attachments": attachments} if changed else cell

    def _find(self, target: str) -> Json | None:
        # Editors write a space as %20, but a file name may contain %20, too.
        for path in dict.fromkeys((target, unquote(target))):
            data = self._data(path)
            kind = image_type(data) if data is not None else None
            if data is not None and kind is not None:
                self._left -= len(data)
                return {kind: base64.b64encode(data).decode("ascii")}
        return None

    def _data(self, path: str) -> bytes | None:
        """Return the bytes of a file inside the folder; None for any other, which stays a link."""
        if self._folder is None or _NOT_LOCAL.match(path):
            return None
        try:
            real = real_path(self._folder / path)
            inside = real.relative_to(self._folder)
            if any(part.startswith(".") for part in inside.parts):
                return None
            return read_regular(real, self._left)
        except (OSError, ValueError):
            return None


def _is_by_a_person(cell: Json, dialect: Dialect) -> bool:
    if cell["cell_type"] == "markdown":
        return msgbook_metadata(cell).get("role") != "assistant"
    return cell["cell_type"] == "code" and not is_code(cell["source"], dialect)
