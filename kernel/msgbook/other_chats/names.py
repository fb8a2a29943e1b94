"""Names of files from titles of chats, which may be any text. Pure."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(r"[^\w .,()+-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_LONGEST = 80
"""Bytes of a name in UTF-8: with endings and numbers it fits on every file system."""

NAMELESS = "chat"


def safe_stem(title: str) -> str:
    """Return a name for a file, without its ending: letters, digits and a few signs, no path.

    It never begins with a dot or a dash, which hide a file or make it an option, and is no name of a device.
    """
    text = unicodedata.normalize("NFC", title[:500])
    text = "".join(char for char in text if unicodedata.category(char)[0] != "C" or char.isspace())
    text = " ".join(_UNSAFE.sub(" ", text).split())
    text = text.encode("utf-8", "ignore")[:_LONGEST].decode("utf-8", "ignore")
    text = text.strip(" .-+,")
    return f"{text}_" if _RESERVED.fullmatch(text) else text or NAMELESS
