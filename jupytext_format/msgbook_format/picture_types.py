"""The types of pictures by their first bytes. Standard library only."""

from __future__ import annotations

IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Pictures that model servers accept, and all readers draw."""

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def image_type(data: bytes) -> str | None:
    """Return the MIME type of a PNG, JPEG, GIF or WebP picture; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for start, mime in _SIGNATURES.items() if data.startswith(start)), None)
