"""Images of other chats as files beside a conversation, as those that are pasted into a prompt. Pure."""

from __future__ import annotations

import base64
import re
from hashlib import sha256

from msgbook.images import IMAGE_LIMIT, image_type

FOLDER = "attachments"
"""Folder of the files, beside the conversation."""

_DATA = re.compile(r"data:image/[a-z+.-]{1,20};base64,", re.IGNORECASE)
_LINK = re.compile(r"[^\s()<>]{1,2000}")


class Images:
    """The images of one message.

    Attributes:
        files: Contents by path. The name follows from the content, so equal images are one file.
    """

    def __init__(self, findings: list[str]) -> None:
        self.files: dict[str, bytes] = {}
        self._findings = findings

    def markdown(self, url: str) -> str:
        """Return the image of a URL as Markdown; data becomes a file, and nothing is fetched."""
        found = _DATA.match(url)
        if found is None:
            self._findings.append("an image stays a link to where it was")
            return f"[image]({url})" if _LINK.fullmatch(url) else "[image]"
        try:
            data = base64.b64decode(url[found.end() :], validate=True)
        except ValueError:
            data = b""
        return self.attach(data)

    def attach(self, data: bytes) -> str:
        """Return an image as Markdown that shows its file."""
        mime = image_type(data)
        if mime is None or len(data) > IMAGE_LIMIT:
            self._findings.append(
                "an image is left out: it is too large, or of no type that models take"
            )
            return "[image]"
        name = f"{FOLDER}/{sha256(data).hexdigest()[:16]}.{mime.removeprefix('image/')}"
        self.files[name] = data
        return f"![image]({name})"
