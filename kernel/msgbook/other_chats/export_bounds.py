"""What may be read of an export, whether it is an archive or a folder. Pure."""

from __future__ import annotations

from msgbook.other_chats.unread import TooMuchError

MOST_ENTRIES = 200_000
_MOST_BYTES = 1_000_000_000
"""Bytes of all conversations."""
_SHOWN_START, _SHOWN_FACTOR = 500_000_000, 30
"""Bytes of all images that are shown, one that is shown twice counted twice: a start, and this much for each byte."""


def require_entries(count: int) -> None:
    """Raise `TooMuchError` if an export has too many files."""
    if count > MOST_ENTRIES:
        raise TooMuchError(f"expected at most {MOST_ENTRIES:,} files, found {count:,}")


def require_size(size: int) -> None:
    """Raise `TooMuchError` if all conversations together are too large."""
    if size > _MOST_BYTES:
        raise TooMuchError(f"expected conversations of at most {_MOST_BYTES:,} bytes, found more")


class ShownImages:
    """Counts the bytes of the images that chats show.

    Args:
        size: Bytes of the export.
    """

    def __init__(self, size: int) -> None:
        self._most = _SHOWN_START + _SHOWN_FACTOR * size
        self._shown = 0

    def take(self, size: int) -> None:
        """Count an image before it is read. Raises `TooMuchError` if there are too many."""
        self._shown += size
        if self._shown > self._most:
            raise TooMuchError(f"expected images of at most {self._most:,} bytes, found more")
