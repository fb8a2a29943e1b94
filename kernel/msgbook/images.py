"""The image types and limits of messages. Standard library only: the worker of the file tools imports it."""

from __future__ import annotations

import base64

IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Images that model servers accept."""

OUTPUT_IMAGE_TYPES = ("image/png", "image/jpeg")
"""Images of outputs and of function results that are sent; other images are only named."""

IMAGE_LIMIT = 5_000_000
"""Bytes of an image that is sent: the limit of common model servers."""

MAX_IMAGES = 20
"""Images that are sent of one prompt, of one cell's outputs, or of one Python result."""

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def image_type(data: bytes) -> str | None:
    """Return the MIME type of an image from its first bytes; None if models accept no such data."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for start, mime in _SIGNATURES.items() if data.startswith(start)), None)


def data_url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
